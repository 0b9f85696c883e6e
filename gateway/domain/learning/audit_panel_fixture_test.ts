/** Candidates that differ only in what a test of audits needs. */

import type { Candidate } from "../routing/plan.ts";
import { modelWith } from "../routing/route_fixture_test.ts";

/** Returns a candidate with an estimate, a price in credits and a quality. */
export function candidateWith(
  id: string,
  { p, price, quality }: { readonly p: number; readonly price: number; readonly quality: number },
): Candidate {
  return {
    model: modelWith({ id, quality }),
    upstream: {
      ...{ id: "lab", kind: "openai", provider: "lab", maxInFlight: 1, onDisconnect: "cancel" },
      timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1 },
    },
    traits: {},
    price: {
      ...{ version: 1, input: 1n, cachedInput: 1n, cacheWriteInput: 1n },
      ...{ imageInput: 1n, output: 1n, image: 1n },
    },
    ...{ inputTokens: 1, imageInputTokens: 0, mediaInputTokens: 0, outputTokens: 1 },
    ...{ holdAmount: 1n, holdMinimum: 1n, score: p },
    ranking: {
      ...{ rank: 1, count: 1, difficulty: 0.2, isSticky: false, latencyMs: undefined },
      ...{ price, dial: 0.5, isExplored: false },
      estimate: { p, error: 0.1, outcomes: 0 },
    },
  };
}
