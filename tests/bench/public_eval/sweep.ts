/**
 * Sweeps the dial, and chooses its positions on the training half.
 *
 * @module
 */

import type { Catalog } from "../../../gateway/domain/catalog/catalog.ts";
import type { Dial } from "../../../gateway/domain/routing/dial.ts";
import { randomOf } from "./random.ts";
import { type Bench, planOf, type Served, served, type Way } from "./replay.ts";

/** Positions of the dial that are measured; others are mixes of two neighbours. */
export const DIALS: readonly Dial[] = [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

/** Results at one position of the dial, in the order of the questions. */
export type Results = readonly Served[];

/** Returns the results of questions at every position of {@linkcode DIALS}. */
export function sweep(bench: Bench, positions: readonly number[], { catalog, way, seed }: {
  readonly catalog: Catalog;
  readonly way: Way;
  readonly seed: number;
}): Results[] {
  const random = randomOf(seed);
  const seeds = positions.map(random);
  return DIALS.map((dial) =>
    positions.map((at, index) => {
      const input = { catalog, way, dial, seed: seeds[index] ?? 0 };
      return served(bench, at, planOf(bench, at, input));
    })
  );
}

/** Mean result at one position of the dial. */
export interface CurvePoint {
  /** Cost beside the best single model's. */
  readonly share: number;
  readonly quality: number;
}

/** Returns the mean results of a sweep beside the cost of the best model at the same questions. */
export function curveOf(results: readonly Results[], bestCost: number): CurvePoint[] {
  return results.map((all) => {
    const cost = all.reduce((sum, { cost }) => sum + cost, 0);
    const quality = all.reduce((sum, { quality }) => sum + quality, 0);
    return { share: cost / bestCost / all.length, quality: quality / all.length };
  });
}

/** A mix of neighbouring positions: positions in {@linkcode DIALS} with their parts. */
export type Mix = readonly (readonly [index: number, part: number])[];

/** Returns the highest mix that costs at most the share; the lowest position if none does. */
export function mixOfShare(curve: readonly CurvePoint[], share: number): Mix {
  const index = curve.findLastIndex((point) => point.share <= share);
  const [lower, upper] = [curve[index], curve[index + 1]];
  if (lower === undefined) return [[0, 1]];
  if (upper === undefined) return [[index, 1]];
  const part = (share - lower.share) / (upper.share - lower.share);
  return [[index, 1 - part], [index + 1, part]];
}

/** Returns the cheapest mix of neighbours with at least the quality; `best` if none has it. */
export function mixOfQuality(curve: readonly CurvePoint[], quality: number): Mix {
  let cheapest: { readonly mix: Mix; readonly share: number } | undefined;
  for (const [index, upper] of curve.entries()) {
    if (upper.quality < quality) continue;
    const lower = curve[index - 1];
    const isBetween = lower !== undefined && lower.quality < quality;
    const part = isBetween ? (quality - lower.quality) / (upper.quality - lower.quality) : 1;
    const share = isBetween ? lower.share + part * (upper.share - lower.share) : upper.share;
    if (cheapest !== undefined && cheapest.share <= share) continue;
    cheapest = { mix: isBetween ? [[index - 1, 1 - part], [index, part]] : [[index, 1]], share };
  }
  return cheapest?.mix ?? [[curve.length - 1, 1]];
}
