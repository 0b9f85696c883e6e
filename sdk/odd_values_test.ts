/**
 * Values with one malformed member, for tests of hostile services.
 *
 * @module
 */

import { assertInstanceOf } from "@std/assert";
import fc from "fast-check";
import { ServiceError } from "./mod.ts";

/** Returns the paths of the values in a JSON value, at any depth. */
function places(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    [name],
    ...places(member).map((place) => [name, ...place]),
  ]);
}

/** A copy with another value at that place. */
function replaced(value: unknown, [name = "", ...place]: readonly string[], by: unknown): unknown {
  const inner = Object(value)[name];
  const member = place.length === 0 ? by : replaced(inner, place, by);
  if (Array.isArray(value)) return value.with(Number(name), member);
  return { ...Object(value), [name]: member };
}

const garbage = fc.oneof(
  fc.constantFrom<unknown>(null, 5, "text", true, [], [null], ["text"], {}, [{}], { type: "x" }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** One place of a value is something else, whatever it is: nothing is thrown but errors of ours. */
export async function withGarbageIn(
  whole: unknown,
  ask: (odd: unknown) => Promise<unknown>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...places(whole)), garbage, async (place, by) => {
      await ask(replaced(whole, place, by)).catch((error: unknown) => {
        assertInstanceOf(error, ServiceError);
        if (error.cause !== undefined) assertInstanceOf(error.cause, ServiceError);
      });
    }),
    { numRuns: 600 },
  );
}
