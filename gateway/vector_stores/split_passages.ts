import { OVERLAP_TOKENS, PASSAGE_TOKENS } from "./limits.ts";

/** Quarters of a token per code unit outside the East Asian scripts. */
const QUARTERS = 4;
const EAST_ASIAN = 0x2e80;

/** Preferred positions of a cut, the best first. */
const BREAKS = [/\n\s*?\n/g, /[.!?]["')\]]?\s|[。！？；]|\n/g, /\s/g];
const SENTENCE = /[.!?]["')\]]?\s|[。！？；\n]/;

/**
 * Splits a text into passages of at most {@linkcode PASSAGE_TOKENS} estimated tokens (four letters
 * of an alphabet are one, and so is an East Asian character), each but the first beginning with
 * about {@linkcode OVERLAP_TOKENS} of the one before. Cuts between paragraphs if one ends in the
 * last quarter of a passage, else between sentences, else between words. Blank passages are
 * omitted.
 */
export function splitPassages(text: string): string[] {
  const passages: string[] = [];
  let from = 0;
  while (from < text.length) {
    const most = walk(text, from, PASSAGE_TOKENS);
    const end = most === text.length
      ? most
      : lastBreak(text, walk(text, from, (PASSAGE_TOKENS * 3) / 4), most);
    const passage = text.slice(from, end).trim();
    if (passage !== "") passages.push(passage);
    if (end === text.length) break;
    from = firstBreak(text, walkBack(text, end, OVERLAP_TOKENS), end);
  }
  return passages;
}

/**
 * Returns the length of the text at the begin of a passage that repeats the one before it: the rest
 * follows that one, beginning with the whitespace between the two. Returns 0 if the passage repeats
 * nothing, or it cannot be told what.
 */
export function repeatedLength(passage: string, before: string): number {
  // Of the one before, no more than its end is repeated.
  const tail = before.slice(-OVERLAP_TOKENS * QUARTERS - 1);
  // A cut is behind whitespace, which the passage before it has lost.
  for (let gap = longestGap(passage, tail); gap >= 0; gap--) {
    const repeated = repeatedAt(tail, " ".repeat(gap));
    const { length } = repeated;
    if (length === 0 || !passage.startsWith(repeated)) continue;
    const between = passage.slice(length, length + gap);
    // If this much is repeated, the whitespace of the cut follows: it must lead to the same.
    if (between.trim() !== "" || repeatedAt(tail, between.padEnd(gap)) !== repeated) continue;
    return length;
  }
  return 0;
}

/** Returns the end of a passage that the next one repeats if this whitespace is between the two. */
function repeatedAt(tail: string, gap: string): string {
  const text = tail + gap;
  const begin = firstBreak(text, walkBack(text, text.length, OVERLAP_TOKENS), text.length);
  return tail.slice(begin).trimStart();
}

/** Returns the greatest length of the whitespace that may be between a passage and the one before. */
function longestGap(passage: string, tail: string): number {
  // The last passage may repeat alone, and whitespace that it has lost was at the end of the text.
  if (tail.endsWith(passage)) return OVERLAP_TOKENS * QUARTERS;
  let longest = 0;
  for (const { 0: { length }, index } of passage.slice(0, 2 * tail.length).matchAll(/\s+/g)) {
    if (length > longest && tail.endsWith(passage.slice(0, index))) longest = length;
  }
  return longest;
}

function weight(text: string, at: number): number {
  return text.charCodeAt(at) >= EAST_ASIAN ? QUARTERS : 1;
}

/** Returns the end of a number of tokens after a position. */
function walk(text: string, from: number, tokens: number): number {
  let remaining = tokens * QUARTERS;
  let at = from;
  while (at < text.length && remaining >= weight(text, at)) remaining -= weight(text, at++);
  return whole(text, at);
}

/** Returns the begin of a number of tokens before a position. */
function walkBack(text: string, end: number, tokens: number): number {
  let remaining = tokens * QUARTERS;
  let at = end;
  while (at > 0 && remaining >= weight(text, at - 1)) remaining -= weight(text, --at);
  return whole(text, at);
}

/** Returns the position, moved back if it would split a surrogate pair. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff && at > 0 ? at - 1 : at;
}

function lastBreak(text: string, from: number, to: number): number {
  const window = text.slice(from, to);
  for (const pattern of BREAKS) {
    const last = [...window.matchAll(pattern)].at(-1);
    if (last !== undefined) return from + last.index + last[0].length;
  }
  return to;
}

function firstBreak(text: string, from: number, end: number): number {
  const window = text.slice(from, end);
  for (const pattern of [SENTENCE, /\s/]) {
    const first = pattern.exec(window);
    if (first === null) continue;
    const start = from + first.index + first[0].length;
    if (start < end) return start;
  }
  return from;
}
