/**
 * A lower bound of the tokens of a text, without a tokenizer.
 *
 * The encoding `o200k_base` first cuts a text into pieces by a regular expression, and no token
 * crosses a piece: a text has at least as many tokens as pieces. Pieces per token: 0.93 in English
 * prose, 0.95 in code, 0.78 in JSON, 0.67 in base64, 0.62 in German, 0.72 in Russian and, with
 * whole clauses as pieces, 0.12 in Chinese.
 *
 * @module
 */

const UPPER = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const LOWER = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
const CONTRACTION = "(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?";

// As in gpt-tokenizer 4.0.0, `encodingParams/constants.js`. Takes 13 to 36 ns per UTF-16 code unit.
const PIECE = new RegExp(
  [
    String.raw`[^\r\n\p{L}\p{N}]?${UPPER}*${LOWER}+${CONTRACTION}`,
    String.raw`[^\r\n\p{L}\p{N}]?${UPPER}+${LOWER}*${CONTRACTION}`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join("|"),
  "gu",
);

/**
 * Returns the minimum tokens of a text in `o200k_base`, whatever follows it: its last piece may
 * merge with later text and is not counted. Text beyond `maxChars` UTF-16 code units is not counted
 * either.
 */
export function fewestTokens(text: string, options: { readonly maxChars: number }): number {
  const counted = text.length > options.maxChars ? text.slice(0, options.maxChars) : text;
  let pieces = 0;
  PIECE.lastIndex = 0;
  while (PIECE.test(counted)) pieces++;
  return Math.max(0, pieces - 1);
}
