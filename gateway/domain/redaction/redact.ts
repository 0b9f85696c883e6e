/**
 * Removes secrets and personal data from text that callers and models wrote.
 *
 * @module
 */

import { SECRET_FORMS } from "./secret_forms.ts";
import { secretSpans } from "./secret_spans.ts";

/** Replacement for a removed secret. */
export const REDACTED = "[redacted]";

/** Characters examined beyond a cut, so that a secret across the cut is recognised. */
const LOOK_AHEAD_CHARS = 512;

/** Forms of personal data: mail addresses, and numbers as long as those of payment cards. */
const PERSONAL_FORMS: readonly RegExp[] = [
  /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu,
  /(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d])/g,
];
const FORMS = [...SECRET_FORMS, ...PERSONAL_FORMS];

/**
 * Returns at most the first `maxChars` characters of a text, without secrets and personal data. A
 * secret that begins before the cut is removed as a whole.
 */
export function redacted(text: string, maxChars: number): string {
  const examined = text.slice(0, maxChars + LOOK_AHEAD_CHARS);
  let out = "";
  let from = 0;
  for (const { begin, end } of secretSpans(examined, { forms: FORMS, isPrefixRemoved: true })) {
    if (begin >= maxChars) break;
    out += examined.slice(from, begin) + REDACTED;
    from = end;
  }
  if (from < maxChars) out += examined.slice(from, maxChars);
  return out.toWellFormed();
}
