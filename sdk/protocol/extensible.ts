/**
 * The base of every open wire object.
 *
 * @module
 */

/**
 * A wire object that may carry unknown fields.
 *
 * Providers and clients add fields before this project hears of them. They are kept as they came, in
 * both directions, so that a new feature works before a new release does.
 *
 * @example
 * ```ts
 * import type { Extensible, TextPart } from "@svc/sdk/protocol";
 * import { assert } from "@std/assert";
 *
 * const part: TextPart = { type: "text", text: "Hello", annotations: [] };
 * // A field that the type does not name has to be looked at before it can be used.
 * const { annotations }: Extensible = part;
 * assert(Array.isArray(annotations));
 * ```
 */
export interface Extensible {
  /** A field that is not modelled here; it passes through unread. */
  [field: string]: unknown;
}
