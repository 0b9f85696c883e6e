import { setImmediate } from "node:timers/promises";
import type { LateText, TokenCounter } from "../ports/token_counter.ts";

// Maximum length of a piece, in UTF-16 code units. The tokenizer's time grows with the square of a
// run without breaks; such a piece takes about 1 ms at worst, so that the event loop is not
// blocked.
const LONGEST_PIECE = 192;
const MOST_PIECES_COUNTED = 4_096;
// Longer texts are counted in sequence, so that only one is in memory.
const LONG_CHARS = 64 * 1024;

/**
 * Creates a counter for the `o200k_base` encoding. The first count that needs the tokenizer loads
 * it.
 *
 * Text is counted in pieces of at most 192 UTF-16 code units, cut at the start of a word or a
 * phrase, which is exact to about a percent. Counting yields to the event loop between the pieces.
 * Of texts above 700 000 units only every n-th piece is counted and the rest inferred, so that
 * hostile text costs a bounded time.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(await createTokenCounter().count("hello world"), 2);
 * ```
 */
export function createTokenCounter(): TokenCounter {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = ({ text }: LateText) => {
    const counted = last.then(() => countText(text()));
    last = counted.catch(() => {});
    return counted;
  };
  return {
    async count(text) {
      if (typeof text === "string") return await countText(text);
      return await (text.chars > LONG_CHARS ? inTurn(text) : countText(text.text()));
    },
  };
}

async function countText(text: string): Promise<number> {
  if (text === "") return 0;
  const countTokens = await loadTokenizer();
  const stride = Math.ceil(text.length / LONGEST_PIECE / MOST_PIECES_COUNTED);
  let tokens = 0;
  let counted = 0;
  let index = 0;
  for (const piece of piecesOf(text)) {
    if (index++ % stride !== 0) continue;
    tokens += countTokens(piece);
    counted += piece.length;
    await setImmediate();
  }
  return Math.round(tokens * (text.length / counted));
}

async function loadTokenizer(): Promise<(text: string) => number> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // Text that looks like a special token is counted as text.
  const plain = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
  return (text) => countTokens(text, plain);
}

/** Cuts a text into pieces; joined they are the text. */
export function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = pieceEnd(text, start);
    yield text.slice(start, end);
    start = end;
  }
}

function pieceEnd(text: string, start: number): number {
  const limit = start + LONGEST_PIECE;
  if (limit >= text.length) return text.length;
  for (let at = limit; at > start + LONGEST_PIECE / 2; at--) {
    // A token may start with a space or a mark, and never ends with that of the next word.
    if (isBreak(text.charCodeAt(at)) && !isBreak(text.charCodeAt(at - 1))) return at;
  }
  return isLowSurrogate(text.charCodeAt(limit)) ? limit - 1 : limit;
}

/** True for white space, and for the punctuation of scripts without spaces between words. */
function isBreak(code: number): boolean {
  return code <= 0x20 || (code >= 0x3000 && code <= 0x303f) || (code >= 0xff00 && code <= 0xff0f);
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
