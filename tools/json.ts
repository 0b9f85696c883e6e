/**
 * Parsed JSON values.
 *
 * @module
 */

/** A JSON object: members by name, none of them checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Returns true for an object with named members: neither `null`, nor an array, nor a primitive.
 * Narrows a parsed JSON value to its members.
 *
 * @example
 * ```ts
 * import { isJsonObject } from "@svc/tools/json";
 * import { assertEquals } from "@std/assert";
 *
 * const body: unknown = JSON.parse('{"error":{"code":"not_found"}}');
 * const error = isJsonObject(body) ? body["error"] : undefined;
 * assertEquals(isJsonObject(error) && error["code"], "not_found");
 * assertEquals([[], null, "text"].filter(isJsonObject), []);
 * ```
 */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
