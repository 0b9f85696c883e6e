import { formatCredits } from "../ledger/money.ts";
import { dialText } from "./dial.ts";
import type { Candidate } from "./plan.ts";
import type { LimitCause } from "./hold_shape.ts";

const LIMIT_CAUSES: Readonly<Record<LimitCause, string>> = {
  unknown: "the longest output of the model is not known",
  model: "the model gives no more",
  context: "the model's context has no room for more",
  funds: "no more can be paid for",
};

/** Returns one sentence on why a candidate has its rank. Built on demand, since few are read. */
export function reasonOf(candidate: Candidate): string {
  const { model, holdAmount, outputLimit, limitedBy, ranking } = candidate;
  const { rank, count, isSticky, latencyMs, estimate } = ranking;
  const most = formatCredits(holdAmount);
  const latency = latencyMs === undefined ? "" : `, first byte in ${Math.round(latencyMs)} ms`;
  if (ranking.isPinned === true) {
    return `The embedding model of this key: at most ${most} credits${latency}`;
  }
  const choice = ranking.isExplored
    ? "It is tried to learn how well it answers"
    : isSticky
    ? "It answered this conversation last and is still among the best"
    : `Number ${rank} of ${count}`;
  const limitText = limitedBy === undefined
    ? ""
    : `; output is limited to ${outputLimit} tokens because ${LIMIT_CAUSES[limitedBy]}`;
  const difficulty = Math.round(ranking.difficulty * 100) / 100;
  const basis = estimate.outcomes === 0
    ? `quality ${model.quality}`
    : `quality ${model.quality}, ${estimate.outcomes} outcomes of this task`;
  return `${choice} at the dial ${dialText(ranking.dial)} for a prompt of difficulty ` +
    `${difficulty}: ${percentOf(estimate.p)} good answers expected (${basis}), ` +
    `at most ${most} credits${latency}${limitText}`;
}

function percentOf(p: number): string {
  return `${Math.round(100 * p)} %`;
}
