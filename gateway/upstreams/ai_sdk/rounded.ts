/**
 * Integers that no double holds: where a package hands JSON over as values, they have been rounded.
 *
 * @module
 */

import type { NativeKind } from "../../domain/catalog/catalog.ts";
import { parseObject } from "../openai_compatible/body.ts";

/** Kinds whose calls come as values; those of the first two do so only where nothing is streamed. */
const VALUES: readonly NativeKind[] = ["anthropic", "amazon-bedrock", "google", "google-vertex"];
const STREAMED_VALUES: readonly NativeKind[] = ["google", "google-vertex"];

/** Whether there is an integer beyond 2^53 in a value out of JSON. */
export function hasRounded(value: unknown): boolean {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one === "number") {
      if (Number.isInteger(one) && !Number.isSafeInteger(one)) return true;
    } else if (typeof one === "object" && one !== null) {
      for (const member of Object.values(one)) left.push(member);
    }
  }
  return false;
}

/** A line on a tool call of an answer whose input may have been rounded on its way here. */
export function roundedCall(
  input: string,
  { kind, stream }: { readonly kind: NativeKind; readonly stream: boolean },
): string | undefined {
  const comesAsValue = (stream ? STREAMED_VALUES : VALUES).includes(kind);
  // Most inputs have no number of so many digits: they need not be read again.
  if (!comesAsValue || !/\d{16}|\de\+?\d/i.test(input) || !hasRounded(parseObject(input))) {
    return undefined;
  }
  return "tool_calls: integers beyond 2^53 in the arguments were rounded";
}
