/**
 * The expected quality of the answers of several models.
 *
 * @module
 */

/** An estimated probability with its standard error. */
export interface Quality {
  readonly p: number;
  readonly error: number;
}

/** A share of the answers, by one model. */
export interface QualityPart extends Quality {
  readonly model: string;
  /** Number of answers. */
  readonly weight: number;
}

/**
 * Returns the mean quality of all answers; `undefined` without answers. Errors of different models
 * are independent; those of one model at several tasks rest on the same record and add up.
 */
export function expectedQuality(parts: readonly QualityPart[]): Quality | undefined {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  if (total <= 0) return undefined;
  let [p, variance] = [0, 0];
  for (const own of Map.groupBy(parts, ({ model }) => model).values()) {
    let error = 0;
    for (const part of own) {
      p += part.weight * part.p;
      error += part.weight * part.error;
    }
    variance += error ** 2;
  }
  return { p: p / total, error: Math.sqrt(variance) / total };
}

/** Standard errors to either side of an estimate that include the true value 19 times out of 20. */
const INTERVAL_ERRORS = 1.96;

/** Returns the 95 % interval of a quality, within 0 to 1. */
export function intervalOf({ p, error }: Quality): readonly [low: number, high: number] {
  const half = INTERVAL_ERRORS * error;
  return [Math.max(0, p - half), Math.min(1, p + half)];
}
