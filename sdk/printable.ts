/** Controls, line separators, characters that change the direction of text, and lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/**
 * Returns a text that is safe to log: each code unit that a terminal would obey, or that would
 * begin a new line, becomes a space.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, " ");
}
