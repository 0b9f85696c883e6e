/** Characters that are read before cleaning, for each character of the result. */
const READ_AHEAD = 4;
/** Controls, and separators that some programs treat as line breaks. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
// Characters that change how text is displayed: bidirectional controls and invisible tags.
const DECEPTIVE = /[\p{Bidi_Control}\u{E0000}-\u{E007F}]+/gu;
const HALF_PAIR_AT_END = /[\uD800-\uDBFF]$/;

/**
 * Returns foreign text on one line, without controls and hidden characters, of at most `maxChars`.
 */
export function plainText(text: string, maxChars: number): string {
  const clean = text.slice(0, maxChars * READ_AHEAD).toWellFormed()
    .replace(BREAKS, " ").replace(DECEPTIVE, "").replace(/\s+/g, " ").trim();
  return clean.slice(0, maxChars).replace(HALF_PAIR_AT_END, "").trimEnd();
}
