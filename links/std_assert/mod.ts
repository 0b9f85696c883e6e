/** Stands in for `@std/assert` where JSR cannot be reached: the same names over `node:assert`. */
import { AssertionError as NodeAssertionError, deepStrictEqual, notDeepStrictEqual } from "node:assert";

/** Thrown by every assertion of this module. */
export class AssertionError extends Error {
  override name = "AssertionError";
}

/** Throws an {@linkcode AssertionError}. */
export function fail(message?: string): never {
  throw new AssertionError(message ?? "Failed assertion.");
}

/** Asserts that a value is truthy. */
export function assert(expression: unknown, message = ""): asserts expression {
  if (!expression) throw new AssertionError(message);
}

/** Asserts that a value is falsy. */
export function assertFalse(expression: unknown, message = ""): void {
  if (expression) throw new AssertionError(message);
}

function rethrow(check: () => void, message?: string): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof NodeAssertionError)) throw error;
    throw new AssertionError(message === undefined ? error.message : `${message}: ${error.message}`);
  }
}

/** Asserts deep equality. */
export function assertEquals<T>(actual: T, expected: T, message?: string): void {
  rethrow(() => deepStrictEqual(actual, expected), message);
}

/** Asserts deep inequality. */
export function assertNotEquals<T>(actual: T, expected: T, message?: string): void {
  rethrow(() => notDeepStrictEqual(actual, expected), message);
}

/** Asserts identity by `Object.is`. */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  message?: string,
): asserts actual is T {
  if (!Object.is(actual, expected)) {
    throw new AssertionError(message ?? `Expected ${String(actual)} to be ${String(expected)}`);
  }
}

/** Asserts that a value is neither `null` nor `undefined`. */
export function assertExists<T>(actual: T, message?: string): asserts actual is NonNullable<T> {
  if (actual === undefined || actual === null) {
    throw new AssertionError(message ?? `Expected a value, got ${String(actual)}`);
  }
}

/** Asserts that a text contains another. */
export function assertStringIncludes(actual: string, expected: string, message?: string): void {
  if (!actual.includes(expected)) {
    throw new AssertionError(message ?? `Expected actual: "${actual}" to contain: "${expected}"`);
  }
}

/** Asserts that a text matches a pattern. */
export function assertMatch(actual: string, expected: RegExp, message?: string): void {
  if (!expected.test(actual)) {
    throw new AssertionError(message ?? `Expected actual: "${actual}" to match: "${expected}"`);
  }
}

/** Asserts that a text does not match a pattern. */
export function assertNotMatch(actual: string, expected: RegExp, message?: string): void {
  if (expected.test(actual)) {
    throw new AssertionError(message ?? `Expected actual: "${actual}" not to match: "${expected}"`);
  }
}

/** Asserts that a value is an instance of a class. */
// deno-lint-ignore no-explicit-any -- the real package's signature: any constructor is accepted
export function assertInstanceOf<T extends abstract new (...args: any[]) => any>(
  actual: unknown,
  expected: T,
  message?: string,
): asserts actual is InstanceType<T> {
  if (!(actual instanceof expected)) {
    throw new AssertionError(message ?? `Expected an instance of "${expected.name}"`);
  }
}

/** Asserts `actual > expected`. */
export function assertGreater<T>(actual: T, expected: T, message?: string): void {
  if (!(actual > expected)) {
    throw new AssertionError(message ?? `Expect ${String(actual)} > ${String(expected)}`);
  }
}

/** Asserts `actual >= expected`. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, message?: string): void {
  if (!(actual >= expected)) {
    throw new AssertionError(message ?? `Expect ${String(actual)} >= ${String(expected)}`);
  }
}

/** Asserts `actual < expected`. */
export function assertLess<T>(actual: T, expected: T, message?: string): void {
  if (!(actual < expected)) {
    throw new AssertionError(message ?? `Expect ${String(actual)} < ${String(expected)}`);
  }
}

/** Asserts `actual <= expected`. */
export function assertLessOrEqual<T>(actual: T, expected: T, message?: string): void {
  if (!(actual <= expected)) {
    throw new AssertionError(message ?? `Expect ${String(actual)} <= ${String(expected)}`);
  }
}

type ErrorClass<E extends Error> = new (...args: never[]) => E;

function checkThrown<E extends Error>(
  thrown: unknown,
  errorClass: ErrorClass<E> | undefined,
  includes: string | undefined,
): E {
  if (!(thrown instanceof Error)) throw new AssertionError("A non-Error object was thrown.");
  if (errorClass !== undefined && !(thrown instanceof errorClass)) {
    throw new AssertionError(`Expected error to be instance of "${errorClass.name}", but was "${thrown.constructor.name}": ${thrown.message}`);
  }
  if (includes !== undefined && !thrown.message.includes(includes)) {
    throw new AssertionError(`Expected error message to include "${includes}", but got "${thrown.message}"`);
  }
  return thrown as E;
}

/** Asserts that a function throws, and returns the error. */
export function assertThrows<E extends Error = Error>(
  run: () => unknown,
  errorClass?: ErrorClass<E>,
  includes?: string,
): E {
  let thrown: unknown;
  try {
    run();
  } catch (error) {
    thrown = error;
    return checkThrown(thrown, errorClass, includes);
  }
  throw new AssertionError("Expected function to throw.");
}

/** Asserts that a promise rejects, and returns the error. */
export async function assertRejects<E extends Error = Error>(
  run: () => PromiseLike<unknown>,
  errorClass?: ErrorClass<E>,
  includes?: string,
): Promise<E> {
  try {
    await run();
  } catch (error) {
    return checkThrown(error, errorClass, includes);
  }
  throw new AssertionError("Expected function to reject.");
}
