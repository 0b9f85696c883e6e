/** Controls, line separators, what changes the direction of text, and halves of characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/**
 * A text as a log may show it: what a terminal would obey, or what would begin a line of its own,
 * becomes a space, each code unit one.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, " ");
}
