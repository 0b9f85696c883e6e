/**
 * Stands in for `@std/assert` where JSR cannot be reached: the names and the signatures that the
 * project uses, over `node:assert`.
 *
 * Equality is `node:assert`'s strict one. It is the stricter of the two: it also compares
 * prototypes and the sign of zero, so what is equal here is equal there.
 *
 * @module
 */
import {
  AssertionError as NodeAssertionError,
  deepStrictEqual,
  notDeepStrictEqual,
} from "node:assert";

/** Thrown by every assertion of this module. */
export class AssertionError extends Error {
  /** An error with this message. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AssertionError";
  }
}

/** The values to which {@linkcode assertFalse} narrows. */
export type Falsy = false | 0 | 0n | "" | null | undefined;

function suffix(message: string | undefined): string {
  return message ? `: ${message}` : ".";
}

/** Throws an {@linkcode AssertionError}. */
export function fail(msg?: string): never {
  throw new AssertionError(`Failed assertion${suffix(msg)}`);
}

/** Asserts that a value is truthy. */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError(msg);
}

/** Asserts that a value is falsy. */
export function assertFalse(expr: unknown, msg = ""): asserts expr is Falsy {
  if (expr) throw new AssertionError(msg);
}

function rethrow(check: () => void, msg: string | undefined): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof NodeAssertionError)) throw error;
    throw new AssertionError(msg ? `${msg}: ${error.message}` : error.message);
  }
}

/** Asserts deep equality. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  rethrow(() => deepStrictEqual(actual, expected), msg);
}

/** Asserts deep inequality. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  rethrow(() => notDeepStrictEqual(actual, expected), msg);
}

/** Asserts identity by `Object.is`. */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T {
  if (!Object.is(actual, expected)) {
    throw new AssertionError(
      `Expected ${Deno.inspect(actual)} to be ${Deno.inspect(expected)}${suffix(msg)}`,
    );
  }
}

/** Asserts that a value is neither `null` nor `undefined`. */
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T> {
  if (actual === undefined || actual === null) {
    throw new AssertionError(`Expected a value, got ${actual}${suffix(msg)}`);
  }
}

/** Asserts that a text contains another. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  if (!actual.includes(expected)) {
    throw new AssertionError(`Expected "${actual}" to contain "${expected}"${suffix(msg)}`);
  }
}

/** Asserts that a text matches a pattern. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  if (!expected.test(actual)) {
    throw new AssertionError(`Expected "${actual}" to match ${expected}${suffix(msg)}`);
  }
}

/** Asserts that a text does not match a pattern. */
export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void {
  if (expected.test(actual)) {
    throw new AssertionError(`Expected "${actual}" not to match ${expected}${suffix(msg)}`);
  }
}

/** Asserts that a value is an instance of a class. */
export function assertInstanceOf<T>(
  actual: unknown,
  expectedType: abstract new (...args: never[]) => T,
  msg = "",
): asserts actual is T {
  if (actual instanceof expectedType) return;
  throw new AssertionError(
    `Expected an instance of "${expectedType.name}", got ${Deno.inspect(actual)}${suffix(msg)}`,
  );
}

function compare(holds: boolean, actual: unknown, expected: unknown, relation: string): void {
  if (holds) return;
  throw new AssertionError(
    `Expected ${Deno.inspect(actual)} ${relation} ${Deno.inspect(expected)}`,
  );
}

/** Asserts `actual > expected`. */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void {
  compare(actual > expected, actual, expected, `>${msg ? ` (${msg})` : ""}`);
}

/** Asserts `actual >= expected`. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void {
  compare(actual >= expected, actual, expected, `>=${msg ? ` (${msg})` : ""}`);
}

/** Asserts `actual < expected`. */
export function assertLess<T>(actual: T, expected: T, msg?: string): void {
  compare(actual < expected, actual, expected, `<${msg ? ` (${msg})` : ""}`);
}

/** Asserts `actual <= expected`. */
export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void {
  compare(actual <= expected, actual, expected, `<=${msg ? ` (${msg})` : ""}`);
}

type ErrorClass<E extends Error> = new (...args: never[]) => E;

/** The arguments after the function: a class with a part of its messages, or a message alone. */
type Expectation<E extends Error> = [ErrorClass<E> | string | undefined, string?, string?];

/** Checks which class a failure has, and what its message contains; then returns it. */
function checked<E extends Error>(
  error: unknown,
  [expected, includes, msg]: Expectation<E>,
): unknown {
  if (expected === undefined || typeof expected === "string") return error;
  if (!(error instanceof Error)) {
    throw new AssertionError(`Expected an Error object${suffix(msg)}`);
  }
  if (!(error instanceof expected)) {
    const actual = `"${error.constructor.name}": ${error.message}`;
    throw new AssertionError(`Expected "${expected.name}", got ${actual}${suffix(msg)}`);
  }
  if (includes && !error.message.includes(includes)) {
    throw new AssertionError(
      `Expected the message to include "${includes}", got "${error.message}"${suffix(msg)}`,
    );
  }
  return error;
}

function failNoError(problem: string, [expected, , msg]: Expectation<Error>): never {
  throw new AssertionError(problem + suffix(typeof expected === "string" ? expected : msg));
}

/** Asserts that a function throws, whatever it throws, and returns that. */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
/** Asserts that a function throws an error of a class, and returns it. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  errorClass: new (...args: never[]) => E,
  msgIncludes?: string,
  msg?: string,
): E;
export function assertThrows(fn: () => unknown, ...expectation: Expectation<Error>): unknown {
  try {
    fn();
  } catch (error) {
    return checked(error, expectation);
  }
  failNoError("Expected function to throw", expectation);
}

/** Asserts that a number is within a distance of another. */
export function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance?: number,
  msg?: string,
): void {
  const most = tolerance ?? Math.abs(expected || 1) * 1e-7;
  if (Object.is(actual, expected) || Math.abs(actual - expected) <= most) return;
  throw new AssertionError(`Expected actual: ${actual} to be close to ${expected}${suffix(msg)}`);
}

/** Asserts that a promise rejects, whatever with, and returns that. */
export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
/** Asserts that a promise rejects with an error of a class, and returns it. */
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  errorClass: new (...args: never[]) => E,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export async function assertRejects(
  fn: () => PromiseLike<unknown>,
  ...expectation: Expectation<Error>
): Promise<unknown> {
  let promise: PromiseLike<unknown>;
  try {
    promise = fn();
  } catch {
    failNoError("Function throws when expected to reject", expectation);
  }
  try {
    await promise;
  } catch (error) {
    return checked(error, expectation);
  }
  failNoError("Expected function to reject", expectation);
}
