/**
 * Integers that a double cannot hold. Packages that parse JSON round them.
 *
 * @module
 */

import type { ChatFormat } from "../providers/descriptor.ts";
import { parseObject } from "../openai_compatible/body.ts";

/** True when a value parsed from JSON contains an integer beyond 2^53. */
export function hasRounded(value: unknown): boolean {
  const remaining: unknown[] = [value];
  while (remaining.length > 0) {
    const one = remaining.pop();
    if (typeof one === "number") {
      if (Number.isInteger(one) && !Number.isSafeInteger(one)) return true;
    } else if (typeof one === "object" && one !== null) {
      for (const member of Object.values(one)) remaining.push(member);
    }
  }
  return false;
}

/** Returns a warning where a tool call's arguments may have been rounded by the package. */
export function roundedCall(
  input: string,
  { format: { parsedArguments }, stream }: {
    readonly format: ChatFormat;
    readonly stream: boolean;
  },
): string | undefined {
  const isParsed = parsedArguments === "always" || (parsedArguments === "unstreamed" && !stream);
  // Most inputs have no number of so many digits, and need not be parsed again.
  if (!isParsed || !/\d{16}|\de\+?\d/i.test(input) || !hasRounded(parseObject(input))) {
    return undefined;
  }
  return "tool_calls: integers beyond 2^53 in the arguments were rounded";
}
