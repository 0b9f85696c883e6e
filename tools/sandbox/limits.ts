/** Longest delay of a timer on any host, in milliseconds: some 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** Time between SIGTERM and SIGKILL for a process group, in milliseconds. */
export const GRACE_MS = 1_000;

/**
 * Checks a delay for a timer and limits it to the longest possible; timers would run a longer one
 * after one millisecond.
 *
 * @example
 * ```ts
 * import { timeLimit } from "@svc/tools/sandbox";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * assertEquals(timeLimit("timeoutMs", Infinity), 2 ** 31 - 1);
 * assertThrows(() => timeLimit("timeoutMs", 0), RangeError, "timeoutMs 0");
 * ```
 *
 * @throws {RangeError} It is none.
 */
export function timeLimit(name: string, ms: number): number {
  if (ms > 0) return Math.min(ms, LONGEST_MS);
  throw new RangeError(`Cannot use the limit ${name} ${ms}: expected milliseconds more than 0`);
}

/**
 * Returns a valid limit of bytes.
 *
 * @throws {RangeError} It is none.
 */
export function byteLimit(name: string, bytes: number): number {
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw new RangeError(`Cannot use the limit ${name} ${bytes}: expected an integer more than 0`);
}
