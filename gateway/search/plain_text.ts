/** Read of a text before it is cleaned, for each character that is kept. */
const READ_AHEAD = 4;
/** Controls, and the separators that are line breaks to some. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
// Text that reads otherwise than it looks: turned around, or written in characters nobody sees.
const DECEPTIVE = /[\p{Bidi_Control}\u{E0000}-\u{E007F}]+/gu;
const HALF_PAIR_AT_END = /[\uD800-\uDBFF]$/;

/** A stranger's text on one line, without controls and hidden characters, of at most `maxChars`. */
export function plainText(text: string, maxChars: number): string {
  const clean = text.slice(0, maxChars * READ_AHEAD).toWellFormed()
    .replace(BREAKS, " ").replace(DECEPTIVE, "").replace(/\s+/g, " ").trim();
  return clean.slice(0, maxChars).replace(HALF_PAIR_AT_END, "").trimEnd();
}
