/** The longest that a timer of any host can wait, in milliseconds: some 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** Between asking a process group to end and ending it by force, in milliseconds. */
export const GRACE_MS = 1_000;

/**
 * A limit of time as timers take it: they would take what is too long, or endless, for one
 * millisecond.
 *
 * @throws {RangeError} It is none.
 */
export function timeLimit(name: string, ms: number): number {
  if (ms > 0) return Math.min(ms, LONGEST_MS);
  throw new RangeError(`Cannot use the limit ${name} ${ms}: expected milliseconds more than 0`);
}

/**
 * A limit of bytes.
 *
 * @throws {RangeError} It is none.
 */
export function byteLimit(name: string, bytes: number): number {
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw new RangeError(`Cannot use the limit ${name} ${bytes}: expected an integer more than 0`);
}
