/**
 * Scores a model for a request: one number from 0 to 1.
 *
 * ```text
 * score   = (wq * quality + wp * (1 - price) + wl * (1 - latency)) / (wq + wp + wl)
 * quality = 1 / (1 + exp(-12 * (model's quality - (0.25 + 0.6 * difficulty))))
 * price   = ln(1 + 100 * cost / dearest) / ln(101)
 * latency = ms / (ms + 2000); 1000 ms are assumed without observations
 * ```
 *
 * Quality saturates: beyond what the difficulty needs, more of it adds next to nothing, so that an
 * easy prompt goes to a cheap model. `cost` is the expected cost of this request, `dearest` its
 * cost at the highest prices in the catalog: the price term of one model does not depend on which
 * others are candidates. The weights are part of the catalog version.
 *
 * @module
 */

/** Weights of the terms of a score; part of the catalog version. */
export interface ScoringWeights {
  /** Weight of expected quality for the prompt's difficulty. */
  readonly quality: number;
  /** Weight of price. */
  readonly price: number;
  /** Weight of observed latency. */
  readonly latency: number;
}

/** Weights of a catalog that sets none. */
export const DEFAULT_SCORING: ScoringWeights = { quality: 0.6, price: 0.3, latency: 0.1 };

/** Maximum difference to the best score at which a conversation stays with its model. */
export const STICKY_MARGIN = 0.08;

/** Input of a score. */
export interface ScoreInput {
  /** The model's expected quality, 0 to 1. */
  readonly quality: number;
  /** Difficulty of the request, 0 to 1. */
  readonly difficulty: number;
  /** Expected cost, in any unit. */
  readonly cost: number;
  /** Cost at the highest prices, in the same unit. */
  readonly dearestCost: number;
  /** Observed time to first byte in milliseconds. */
  readonly latencyMs?: number | undefined;
}

const ASSUMED_LATENCY_MS = 1_000;
const HALF_LATENCY_MS = 2_000;

/** Returns the score of a model for a request, 0 to 1. */
export function scoreOf(input: ScoreInput, weights: ScoringWeights): number {
  const total = weights.quality + weights.price + weights.latency;
  if (total <= 0) return 0;
  const gap = input.quality - (0.25 + 0.6 * input.difficulty);
  const quality = 1 / (1 + Math.exp(-12 * gap));
  const share = input.dearestCost > 0 ? Math.min(1, input.cost / input.dearestCost) : 0;
  const price = Math.log1p(100 * share) / Math.log(101);
  const latencyMs = input.latencyMs ?? ASSUMED_LATENCY_MS;
  const latency = latencyMs / (latencyMs + HALF_LATENCY_MS);
  return (weights.quality * quality + weights.price * (1 - price) +
    weights.latency * (1 - latency)) / total;
}

/** Returns the expected output tokens of an unlimited answer. */
export function expectedOutputTokens(difficulty: number): number {
  return 300 + 1_200 * difficulty;
}

/** A scored candidate. */
export interface Ranked {
  readonly id: string;
  readonly score: number;
}

/**
 * Orders candidates, best first. Equal scores are ordered by id, beginning at one that the seed
 * selects; the sticky model comes first while it is within {@linkcode STICKY_MARGIN} of the best.
 */
export function rank<T extends Ranked>(
  items: readonly T[],
  options: { readonly seed: number; readonly sticky?: string | undefined },
): T[] {
  const ranked = items.toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  for (let start = 0; start < ranked.length;) {
    let end = start + 1;
    while (end < ranked.length && ranked[end]?.score === ranked[start]?.score) end++;
    const equals = end - start;
    if (equals > 1) {
      const first = start + Math.floor(options.seed * equals);
      ranked.splice(start, equals, ...ranked.slice(first, end), ...ranked.slice(start, first));
    }
    start = end;
  }
  const at = ranked.findIndex((item) => item.id === options.sticky);
  const [best, sticky] = [ranked[0], ranked[at]];
  if (best === undefined || sticky === undefined || at === 0) return ranked;
  if (sticky.score < best.score - STICKY_MARGIN) return ranked;
  return [sticky, ...ranked.slice(0, at), ...ranked.slice(at + 1)];
}
