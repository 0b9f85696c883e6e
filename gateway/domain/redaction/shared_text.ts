/**
 * Removes from one text the parts that it shares with another: from an upstream's error the parts
 * that repeat the request.
 *
 * @module
 */

import { readingsOf } from "./readings.ts";
import type { Span } from "./secret_spans.ts";
import { mergedSpans, withoutSpans } from "./secret_spans.ts";

/** Replacement for shared text. */
export const SHARED = "[request text]";

/** Shortest shared run that is removed, in bytes of UTF-8: shorter runs are common words. */
const RUN_BYTES_MIN = 16;
/**
 * Length of an index piece: every run of twice this length, less one, contains an aligned piece.
 */
const PIECE_CHARS = 6;
/** Maximum positions compared per piece; repetitive text has more. */
const PLACES_MAX = 32;
/** Shortest complete string of the request that is removed: shorter ones are too common. */
const WHOLE_CHARS_MIN = 4;
/** Characters of the request examined in one step. */
const STEP_CHARS = 32 * 1024;
/** Quotations, in which even short parts of the request are removed. */
const QUOTED = /(["'`“‘«])([^"'`”’»\n]{4,200})["'`”’»]/g;
/** Members whose short values are words of the API, not the caller's. */
const LABELS = new Set(["detail", "format", "model", "object", "role", "status", "type"]);
const LABEL_CHARS_MAX = 32;

/** A decoded form of the text, with an index of the pieces at which shared runs may begin. */
interface Reading {
  readonly text: string;
  readonly beginOf: (index: number) => number;
  readonly pieces: ReadonlyMap<string, readonly number[]>;
  /** Marks characters that are known to be shared, so that they are not searched again. */
  readonly shared: Uint8Array;
  readonly quoted: readonly { readonly text: string; readonly at: number }[];
}

/**
 * Removes from the text what it shares with the strings of a JSON value: runs above a minimum
 * length, quotations, and complete strings. Works in steps, in linear time.
 */
export function* withoutShared(words: string, value: unknown): Generator<void, string> {
  const readings = readingsOf(words).map(({ text, beginOf }) => readingOf(text, beginOf));
  const spans: Span[] = [];
  let examinedChars = 0;
  for (const text of stringsIn(value)) {
    for (let from = 0; from < text.length; from += STEP_CHARS) {
      // A run across the border of two steps lies completely in one of them, or in part in both.
      const step = from === 0 && text.length <= STEP_CHARS
        ? text
        : text.slice(Math.max(0, from - RUN_BYTES_MIN), from + STEP_CHARS + RUN_BYTES_MIN);
      for (const reading of readings) {
        for (const [begin, end] of sharedIn(reading, step)) {
          spans.push({ begin: reading.beginOf(begin), end: reading.beginOf(end) });
        }
      }
      examinedChars += step.length;
      if (examinedChars >= STEP_CHARS) {
        examinedChars = 0;
        yield;
      }
    }
  }
  return withoutSpans(words, mergedSpans(spans), SHARED);
}

function readingOf(text: string, beginOf: (index: number) => number): Reading {
  const pieces = new Map<string, number[]>();
  for (let at = 0; at + PIECE_CHARS <= text.length; at++) {
    const places = pieces.getOrInsertComputed(text.slice(at, at + PIECE_CHARS), () => []);
    if (places.length < PLACES_MAX) places.push(at);
  }
  const quoted = [...text.matchAll(QUOTED)].map(({ index, 2: inside = "" }) => (
    { text: inside, at: index + 1 }
  ));
  return { text, beginOf, pieces, quoted, shared: new Uint8Array(text.length) };
}

/** Yields every string of a JSON value except labels; member names are skipped. */
function* stringsIn(value: unknown, name = ""): Generator<string> {
  if (typeof value === "string") {
    if (value.length > LABEL_CHARS_MAX || !LABELS.has(name)) yield value;
  } else if (Array.isArray(value)) {
    for (const part of value) yield* stringsIn(part, name);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, part] of Object.entries(value)) yield* stringsIn(part, key);
  }
}

/** Yields the ranges of a decoded text that also occur in another text. */
function* sharedIn(reading: Reading, text: string): Generator<readonly [number, number]> {
  const { text: words, pieces, quoted, shared } = reading;
  for (const quote of quoted) {
    if (text.includes(quote.text)) yield [quote.at, quote.at + quote.text.length];
  }
  const whole = text.trim();
  if (whole.length >= WHOLE_CHARS_MIN && whole.length <= words.length) {
    for (let at = words.indexOf(whole); at !== -1; at = words.indexOf(whole, at + whole.length)) {
      if (isApart(words, at, at + whole.length)) yield [at, at + whole.length];
    }
  }
  for (let at = 0; at + PIECE_CHARS <= text.length; at += PIECE_CHARS) {
    for (const place of pieces.get(text.slice(at, at + PIECE_CHARS)) ?? []) {
      if (shared[place] === 1 && shared[place + PIECE_CHARS - 1] === 1) continue;
      const [begin, end] = runAt({ words, place }, { text, at });
      if (!isLong(words.slice(begin, end))) continue;
      shared.fill(1, begin, end);
      yield [begin, end];
    }
  }
}

/** Returns the longest shared run around a piece. */
function runAt(
  { words, place }: { readonly words: string; readonly place: number },
  { text, at }: { readonly text: string; readonly at: number },
): readonly [number, number] {
  let before = 0;
  while (before < Math.min(place, at) && words[place - before - 1] === text[at - before - 1]) {
    before++;
  }
  let after = PIECE_CHARS;
  while (
    place + after < words.length && at + after < text.length &&
    words[place + after] === text[at + after]
  ) after++;
  return [place - before, place + after];
}

function isLong(run: string): boolean {
  if (run.length >= RUN_BYTES_MIN) return true;
  let bytes = 0;
  for (let at = 0; at < run.length; at++) bytes += run.charCodeAt(at) < 0x80 ? 1 : 3;
  return bytes >= RUN_BYTES_MIN;
}

/** True for a range that is not part of a longer word. */
function isApart(words: string, begin: number, end: number): boolean {
  const isWord = (char: string | undefined) => char !== undefined && /\w/.test(char);
  return !(isWord(words[begin - 1]) && isWord(words[begin])) &&
    !(isWord(words[end - 1]) && isWord(words[end]));
}
