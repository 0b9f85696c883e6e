/**
 * The dial between cost and quality: a number from 0 (`economy`) to 1 (`best`).
 *
 * A position of the dial is a target: the share of the cost of always calling the best allowed
 * model. `balanced` (0.5) targets 0.4. The share is measured on a wallet's own traffic, and the
 * exchange rate of {@linkcode rateOf} is chosen so that the traffic meets it.
 *
 * @module
 */

/** A position of the dial, 0 to 1. */
export type Dial = number;

/** The named positions. */
export const DIAL_NAMES = { economy: 0, balanced: 0.5, best: 1 } as const;

export type DialName = keyof typeof DIAL_NAMES;

/** The position where nothing else is set. */
export const DEFAULT_DIAL: Dial = DIAL_NAMES.balanced;

/** Target share of the cost of always-best at the named positions; linear between them. */
const TARGET_SHARES = [0, 0.4, 1] as const;

/** Returns the position that a name or a number states; `undefined` if it is neither. */
export function dialOf(value: string | number): Dial | undefined {
  if (typeof value === "string" && Object.hasOwn(DIAL_NAMES, value)) {
    return DIAL_NAMES[value as DialName];
  }
  const text = String(value).trim();
  const position = /^(?:0|1|[01]?\.\d{1,6}|[01]\.\d{1,6})$/.test(text) ? Number(text) : NaN;
  return position >= 0 && position <= 1 ? position : undefined;
}

/** Returns the name of a position, or its number with two places. */
export function dialText(dial: Dial): string {
  for (const [name, position] of Object.entries(DIAL_NAMES)) if (position === dial) return name;
  return String(Math.round(dial * 100) / 100);
}

/** Returns the target share of the cost of always calling the best allowed model, 0 to 1. */
export function targetShare(dial: Dial): number {
  const [economy, balanced, best] = TARGET_SHARES;
  return dial <= 0.5
    ? economy + (balanced - economy) * dial / 0.5
    : balanced + (best - balanced) * (dial - 0.5) / 0.5;
}

/** Positions at which a snapshot holds a measured rate. */
export const MEASURED_DIALS: readonly Dial[] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/**
 * Returns the exchange rate of a position: the probability of a good answer that one price of the
 * best allowed model is worth. Between measured positions it is interpolated on a logarithmic scale;
 * without measurements it is `0.6 * spread * (1 - dial) / dial`, where `spread` is the difference of the
 * catalog's qualities among the allowed models. Infinite at 0, zero at 1.
 */
export function rateOf(
  dial: Dial,
  { spread, measured }: {
    readonly spread: number;
    /** Rates at {@linkcode MEASURED_DIALS}. */
    readonly measured?: readonly number[] | undefined;
  },
): number {
  if (dial <= 0) return Infinity;
  if (dial >= 1) return 0;
  if (measured === undefined) return Math.max(spread, 0.01) * 0.6 * (1 - dial) / dial;
  const at = MEASURED_DIALS.findIndex((position) => position >= dial);
  const [lower, upper] = at < 0 ? [MEASURED_DIALS.length - 1, -1] : [at - 1, at];
  const above = upper < 0 ? 0 : measured[upper] ?? 0;
  const below = lower < 0 ? (measured[0] ?? 0) * 4 : measured[lower] ?? 0;
  const from = lower < 0 ? 0 : MEASURED_DIALS[lower] ?? 0;
  const to = upper < 0 ? 1 : MEASURED_DIALS[upper] ?? 1;
  const part = to === from ? 0 : (dial - from) / (to - from);
  if (above <= 0 || below <= 0) return below + (above - below) * part;
  return Math.exp(Math.log(below) + (Math.log(above) - Math.log(below)) * part);
}

/** Weights of the score before version 0.14, of which only the ratio of two decides now. */
export interface FormerWeights {
  readonly quality: number;
  readonly price: number;
  readonly latency: number;
}

/** The former default weights: they become the default position. */
const FORMER_DEFAULT: FormerWeights = { quality: 0.6, price: 0.3, latency: 0.1 };

/**
 * Returns a sentence for the operator about the former weights of a catalog: their position, and the
 * setting to write instead.
 */
export function formerWeightsText(weights: FormerWeights, catalog: string): string {
  const dial = dialText(dialOfWeights(weights));
  const value = Object.hasOwn(DIAL_NAMES, dial) ? `"${dial}"` : dial;
  return `The former "scoring" of ${catalog} now means the dial ${dial}: ` +
    `write "auto": {"dial": ${value}} instead`;
}

/** True for weights that an earlier version filled in where none were written. */
export function areFormerDefaults({ quality, price, latency }: FormerWeights): boolean {
  return quality === FORMER_DEFAULT.quality && price === FORMER_DEFAULT.price &&
    latency === FORMER_DEFAULT.latency;
}

/**
 * Returns the position that stands for former weights: without a weight for price `best`, without
 * one for quality `economy`, and at the former default ratio of two to one `balanced`.
 */
export function dialOfWeights({ quality, price }: FormerWeights): Dial {
  if (price <= 0) return quality > 0 ? DIAL_NAMES.best : DEFAULT_DIAL;
  const ratio = quality / price * FORMER_DEFAULT.price / FORMER_DEFAULT.quality;
  return Math.round(100 * ratio / (1 + ratio)) / 100;
}
