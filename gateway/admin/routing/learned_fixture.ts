/**
 * Learned statistics for tests: two wallets, three tasks, outcomes of every source, and audits.
 *
 * @module
 */

import type { Learning } from "../../flows/learn/learning.ts";
import type { RequestRecord } from "../../ports/request_log.ts";

/** Fingerprints of the tasks. */
export const TASKS = {
  summaries: "5f3c9ab2d4e60718",
  answers: "a1b2c3d4e5f60718",
  lab: "0011223344556677",
} as const;

/** The models of the learned requests: a cheap one and a better one. */
export interface LearnedModels {
  readonly cheap: string;
  readonly better: string;
}

const TEST_MODELS: LearnedModels = { cheap: "fast-mini", better: "slow-maxi" };

/**
 * Notes 60 requests of wallet `team` and 10 of `lab`. At `summaries` both models are equally good, at
 * `answers` the cheap one fails.
 */
export function noteTraffic(
  learning: Learning,
  { atMs, models: { cheap, better } = TEST_MODELS, wallets: [team, lab] = ["team", "lab"] }: {
    readonly atMs: number;
    readonly models?: LearnedModels;
    readonly wallets?: readonly [team: string, lab: string];
  },
): void {
  const note = (walletId: string, task: string, at: number) => {
    const model = at % 3 === 0 ? better : cheap;
    const charged = model === better ? 1 : 0.1;
    const factors = model === better
      ? { bestFactor: 1, cheapestFactor: 0.1 }
      : { bestFactor: 10, cheapestFactor: 1 };
    const options = [[cheap, 0.1], [better, 1]] as const;
    const sample = { task, load: 1, price: 1, options };
    const call = { walletId, task, model, atMs: atMs - at * 1_000 };
    learning.noteServed({ ...call, charged, ...factors, sample });
    const isBad = task === TASKS.answers && model === cheap;
    const outcome = { ...call, score: isBad ? 0 : 1, weight: 1, load: 1 };
    learning.noteOutcome({ ...outcome, source: at % 4 === 0 ? "audit" : "feedback" });
  };
  for (let at = 0; at < 30; at++) note(team, TASKS.summaries, at);
  for (let at = 0; at < 30; at++) note(team, TASKS.answers, at);
  for (let at = 0; at < 10; at++) note(lab, TASKS.lab, at);
  for (let at = 0; at < 6; at++) {
    const answers = [
      { model: better, group: 0, cost: 1 },
      { model: cheap, group: at % 3 === 0 ? 1 : 0, cost: 0.1 },
      { model: `${cheap}-2`, group: 0, cost: 0.15 },
    ];
    learning.pending().noteAudit(team, { task: TASKS.summaries, load: 1, answers }, atMs);
  }
}

/** Returns the row of a request of a task, decided by the snapshot of a number. */
export function learnedRow(
  id: string,
  { atMs, snapshot, routing, ...rest }: Partial<RequestRecord> & {
    readonly atMs: number;
    readonly snapshot: number;
  },
): RequestRecord {
  return {
    ...{ id, requestId: `req_${id}`, atMs, keyId: "key_a", walletId: "team", endpoint: "chat" },
    ...{ stream: false, status: 200, outcome: "ok", durationMs: 400, holdIds: [] },
    ...{ charged: "0.100000", inputTokens: 900, cachedInputTokens: 0, outputTokens: 200 },
    estimated: false,
    routing: {
      ...{ model: "fast-mini", provider: "lab", tier: "standard", reason: "Best value" },
      ...{ considered: 2, attempts: [], dial: 0.5, plan: "value", difficulty: 0.25 },
      ...{ p: 0.9, p_error: 0.04, outcomes: 20, snapshot, task: TASKS.summaries },
      ...routing,
    },
    scores: [{ model: "fast-mini", score: 0.71 }, { model: "slow-maxi", score: 0.42 }],
    exclusions: [{ model: "third", stage: "tier", reason: 'is not in the tier "standard"' }],
    ...rest,
  };
}
