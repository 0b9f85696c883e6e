/**
 * APGR, the average performance gap recovered (arXiv 2406.18665): the share of the gap between the
 * weak and the strong model that a router recovers, averaged over all shares of calls to the strong
 * one. A random order has 0.5.
 *
 * @module
 */

/** The outcomes of two models at the same questions. */
export interface PairOutcomes {
  readonly weak: readonly number[];
  readonly strong: readonly number[];
}

/** Positions by falling score, in groups of equal scores. */
export type ScoreOrder = readonly (readonly number[])[];

/** Returns the order in which questions go to the strong model, the highest score first. */
export function scoreOrder(scores: readonly number[]): ScoreOrder {
  const groups = [...Map.groupBy(scores.keys(), (at) => scores[at] ?? 0)];
  return groups.sort(([one], [other]) => other - one).map(([, positions]) => positions);
}

/**
 * Returns the APGR of an order. Questions of equal score count as if in a random order. `times` says
 * how often each question counts.
 *
 * @default times {once}
 */
export function apgrOf(
  order: ScoreOrder,
  { weak, strong }: PairOutcomes,
  times?: ArrayLike<number>,
): number {
  let [calls, recovered, area] = [0, 0, 0];
  for (const group of order) {
    let [count, gain] = [0, 0];
    for (const at of group) {
      const weight = times?.[at] ?? 1;
      count += weight;
      gain += weight * ((strong[at] ?? 0) - (weak[at] ?? 0));
    }
    area += count * (recovered + gain / 2);
    recovered += gain;
    calls += count;
  }
  return recovered === 0 || calls === 0 ? 0.5 : area / calls / recovered;
}
