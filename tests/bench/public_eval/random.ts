/**
 * Random numbers from fixed seeds: splits of questions and bootstrap draws.
 *
 * @module
 */

/** Seeds of the splits; a run with fewer splits takes the first ones. */
export const SPLIT_SEEDS: readonly number[] = Array.from({ length: 20 }, (_, at) => at + 1);
/** Seed of the bootstrap draws. */
export const BOOTSTRAP_SEED = 1_000;
/** Draws of a bootstrap interval. */
export const BOOTSTRAP_DRAWS = 200;

/** Returns a generator of numbers in [0, 1) with 53 bits: mulberry32, twice. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  const bits = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return () => ((bits() >>> 5) * 2 ** 26 + (bits() >>> 6)) / 2 ** 53;
}

/** Returns the numbers from 0 to `count - 1` in a random order. */
export function orderOf(count: number, seed: number): number[] {
  const random = randomOf(seed);
  return Array.from({ length: count }, (_, at) => [random(), at] as const)
    .sort(([one], [other]) => one - other).map(([, at]) => at);
}

/** Two halves of a set, as positions of its questions. */
export interface Split {
  readonly seed: number;
  readonly training: readonly number[];
  readonly test: readonly number[];
}

/** Returns a split into halves. */
export function splitOf(count: number, seed: number): Split {
  const order = orderOf(count, seed);
  const half = Math.floor(count / 2);
  return { seed, training: order.slice(0, half), test: order.slice(half) };
}

/** Returns bootstrap draws: for each, how often it has each question. */
export function bootstrapDraws(count: number): Uint16Array[] {
  const random = randomOf(BOOTSTRAP_SEED);
  return Array.from({ length: BOOTSTRAP_DRAWS }, () => {
    const times = new Uint16Array(count);
    for (let at = 0; at < count; at++) {
      const index = Math.floor(random() * count);
      times[index] = (times[index] ?? 0) + 1;
    }
    return times;
  });
}

/** A figure with the 95 % interval and the standard error of its bootstrap draws. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly error: number;
}

/** Returns a figure with the interval of its draws. */
export function intervalOf(value: number, draws: readonly number[]): Interval {
  const sorted = draws.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? value;
  const mean = sorted.reduce((sum, draw) => sum + draw, 0) / Math.max(1, sorted.length);
  const square = sorted.reduce((sum, draw) => sum + (draw - mean) ** 2, 0);
  const error = Math.sqrt(square / Math.max(1, sorted.length - 1));
  return { value, low: at(0.025), high: at(0.975), error };
}
