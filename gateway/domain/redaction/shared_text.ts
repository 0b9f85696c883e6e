/**
 * Takes out of one text the parts that stand in another one too: out of an upstream's error those that
 * repeat the request.
 *
 * @module
 */

import { readingsOf } from "./readings.ts";
import type { Span } from "./secret_spans.ts";
import { mergedSpans, withoutSpans } from "./secret_spans.ts";

/** Stands where shared text stood. */
export const SHARED = "[request text]";

/** A run that both texts have is shared from so many bytes of UTF-8 on: shorter ones are common words. */
const RUN_BYTES_MIN = 16;
/** Every run of twice this length, less one, has a whole piece that begins at a multiple of it. */
const PIECE_CHARS = 6;
/** Places of a piece that are tried: in words that repeat themselves there are more. */
const PLACES_MAX = 32;
/** A shorter text of the request is too common to be its own. */
const WHOLE_CHARS_MIN = 4;
/** Characters of the request that are looked at in one step. */
const STEP_CHARS = 32 * 1024;
/** Quotations: a part of the request may be short there. */
const QUOTED = /(["'`“‘«])([^"'`”’»\n]{4,200})["'`”’»]/g;
/** Members whose short values are words of the interface, not the caller's. */
const LABELS = new Set(["detail", "format", "model", "object", "role", "status", "type"]);
const LABEL_CHARS_MAX = 32;

/** A way to read the words, with where runs of the request may begin in it. */
interface Reading {
  readonly text: string;
  readonly beginOf: (index: number) => number;
  readonly pieces: ReadonlyMap<string, readonly number[]>;
  /** Characters that are known to be shared: nothing is looked for there again. */
  readonly shared: Uint8Array;
  readonly quoted: readonly { readonly text: string; readonly at: number }[];
}

/**
 * The words without what the strings of a JSON value have too: runs of some length, whatever is
 * quoted, and whole strings. Takes its time in steps, and bounded time a character.
 */
export function* withoutShared(words: string, value: unknown): Generator<void, string> {
  const readings = readingsOf(words).map(({ text, beginOf }) => readingOf(text, beginOf));
  const spans: Span[] = [];
  let looked = 0;
  for (const text of stringsIn(value)) {
    for (let from = 0; from < text.length; from += STEP_CHARS) {
      // A run over the border of two steps is found in one of them whole, or in both in part.
      const step = from === 0 && text.length <= STEP_CHARS
        ? text
        : text.slice(Math.max(0, from - RUN_BYTES_MIN), from + STEP_CHARS + RUN_BYTES_MIN);
      for (const reading of readings) {
        for (const [begin, end] of sharedIn(reading, step)) {
          spans.push({ begin: reading.beginOf(begin), end: reading.beginOf(end) });
        }
      }
      looked += step.length;
      if (looked >= STEP_CHARS) {
        looked = 0;
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

/** Every string of a JSON value but its labels, the value's own names left aside. */
function* stringsIn(value: unknown, name = ""): Generator<string> {
  if (typeof value === "string") {
    if (value.length > LABEL_CHARS_MAX || !LABELS.has(name)) yield value;
  } else if (Array.isArray(value)) {
    for (const part of value) yield* stringsIn(part, name);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, part] of Object.entries(value)) yield* stringsIn(part, key);
  }
}

/** The places of a reading that a text has as well, from one character up to another. */
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

/** The longest run around a piece that both have. */
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

/** True for a place that is no part of a longer word. */
function isApart(words: string, begin: number, end: number): boolean {
  const isWord = (char: string | undefined) => char !== undefined && /\w/.test(char);
  return !(isWord(words[begin - 1]) && isWord(words[begin])) &&
    !(isWord(words[end - 1]) && isWord(words[end]));
}
