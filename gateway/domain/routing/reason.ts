import { formatCredits } from "../ledger/money.ts";
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
  const { rank, count, isSticky, latencyMs } = ranking;
  const choice = isSticky && rank === 1
    ? "It answered this conversation last and is still among the best"
    : `Number ${rank} of ${count}`;
  const latency = latencyMs === undefined ? "" : `, first byte in ${Math.round(latencyMs)} ms`;
  const limitText = limitedBy === undefined
    ? ""
    : `; output is limited to ${outputLimit} tokens because ${LIMIT_CAUSES[limitedBy]}`;
  const difficulty = Math.round(ranking.difficulty * 100) / 100;
  const most = formatCredits(holdAmount);
  return `${choice} for a prompt of difficulty ${difficulty}: ` +
    `quality ${model.quality}, at most ${most} credits${latency}${limitText}`;
}
