/**
 * The simulator's tokenisation: deterministic, one pass, no tables.
 *
 * A token is the white space before it and then a run of at most 8 ASCII letters, 3 digits, 4
 * punctuation marks or 3 letters of other alphabets, or one character of a wide script (Chinese,
 * Japanese, Korean, emoji). For usual texts, the number of tokens is close to that of real
 * tokenizers.
 *
 * @module
 */

const CLASSES = ["space", "letter", "digit", "mark", "other", "wide"] as const;
type CharClass = typeof CLASSES[number];

const LONGEST_RUN: Record<CharClass, number> = {
  space: 8,
  letter: 8,
  digit: 3,
  mark: 4,
  other: 3,
  wide: 1,
};

const WIDE_FROM = 0x2e80;

const ASCII_CLASSES: readonly CharClass[] = Array.from({ length: 128 }, (_, code) => {
  if (code <= 0x20) return "space";
  if ((code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)) return "letter";
  return code >= 0x30 && code <= 0x39 ? "digit" : "mark";
});

function classOf(code: number): CharClass {
  return ASCII_CLASSES[code] ?? (code < WIDE_FROM ? "other" : "wide");
}

/** Returns the offset after the token that starts at `start`. Surrogate pairs stay whole. */
function tokenEnd(text: string, start: number): number {
  const spaceLimit = Math.min(text.length, start + LONGEST_RUN.space);
  let at = start;
  while (at < spaceLimit && classOf(text.charCodeAt(at)) === "space") at++;
  if (at === text.length || at === start + LONGEST_RUN.space) return at;
  const kind = classOf(text.charCodeAt(at));
  if (kind === "wide") return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  const limit = Math.min(text.length, at + LONGEST_RUN[kind]);
  at++;
  while (at < limit && classOf(text.charCodeAt(at)) === kind) at++;
  return at;
}

/** Returns the number of tokens of a text. */
export function countTokens(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; at = tokenEnd(text, at)) tokens++;
  return tokens;
}

/** Returns the tokens of a text, in order; joined they are the text. */
export function* tokensOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = tokenEnd(text, at);
    yield text.slice(at, end);
    at = end;
  }
}

/** Returns the start of a text, at most `limit` tokens, with the number of its tokens. */
export function takeTokens(text: string, limit: number): { text: string; tokens: number } {
  let at = 0;
  let tokens = 0;
  while (at < text.length && tokens < limit) {
    at = tokenEnd(text, at);
    tokens++;
  }
  return { text: text.slice(0, at), tokens };
}
