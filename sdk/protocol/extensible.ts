/**
 * The base of every open wire object.
 *
 * @module
 */

/**
 * A wire object that may carry unknown fields.
 *
 * Providers and clients add fields that this package does not know yet. They are passed on
 * unchanged in both directions, so that new features work without a new release.
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
