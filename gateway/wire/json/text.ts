/**
 * Edits JSON as text, so that everything else keeps its bytes: numbers such as `1.0` or
 * `12345678901234567890`, the order of keys, duplicates, escapes and white space.
 *
 * All functions except {@linkcode exceededLimit} and {@linkcode scanSteps} take text that
 * `JSON.parse` accepts.
 *
 * @module
 */

import { invariant, InvariantError } from "../../domain/invariant.ts";
import { atOnce, STEP_CHARS, type Steps } from "../../domain/redaction/steps.ts";

/** Offsets of one member of an object in the text. */
export interface Member {
  /** The key after decoding: `"mod\u0065l"` is `model`. */
  readonly key: string;
  /** Offset of the key's opening quote. */
  readonly keyStart: number;
  /** Offset of the value's first character. */
  readonly valueStart: number;
  /** Offset after the value's last character. */
  readonly valueEnd: number;
}

/** Offsets of one value in the text. */
export interface Span {
  /** Offset of its first character. */
  readonly start: number;
  /** Offset after its last character. */
  readonly end: number;
}

/** Limits of a text. */
export interface JsonLimits {
  /** Maximum nesting of arrays and objects. */
  readonly maxDepth: number;
  /** Maximum number of values, arrays and objects included. @default {no limit} */
  readonly maxValues?: number;
  /**
   * Maximum number of characters outside strings: numbers, punctuation, white space. @default {no
   * limit}
   */
  readonly maxBareChars?: number;
}

/** New JSON texts by key; `undefined` removes the member. */
export type MemberEdits = Readonly<Record<string, string | undefined>>;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;

/** Returns the members of the object that begins at `start`, after white space, in order. */
export function members(text: string, start = 0): Member[] {
  const list: Member[] = [];
  visitMembers(text, start, (key, keyStart, valueStart, valueEnd) => {
    list.push({ key, keyStart, valueStart, valueEnd });
  });
  return list;
}

/** Returns the elements of the array that begins at `start`, after white space. */
export function elements(text: string, start = 0): Span[] {
  let at = skipSpace(text, start);
  invariant(
    text.charCodeAt(at) === OPEN_BRACKET,
    `Cannot list elements at ${start}: no array there`,
  );
  const spans: Span[] = [];
  at = skipSpace(text, at + 1);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = valueEnd(text, at);
    spans.push({ start: at, end });
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return spans;
}

/** Returns the JSON text of a member of the object; of duplicates the last counts. */
export function memberText(object: string, key: string): string | undefined {
  const member = members(object).findLast((candidate) => candidate.key === key);
  return member === undefined ? undefined : object.slice(member.valueStart, member.valueEnd);
}

/** Returns the JSON texts of an array's elements; none where it is no array. */
export function elementTexts(array: string | undefined): readonly string[] {
  if (array === undefined || !array.startsWith("[")) return [];
  return elements(array).map(({ start, end }) => array.slice(start, end));
}

/**
 * Returns the whole text with members of the object at `start` replaced (every duplicate of the
 * key), added at its end where there was none, or removed.
 */
export function editMembers(text: string, edits: MemberEdits, start = 0): string {
  const added = Object.keys(edits).filter((key) => edits[key] !== undefined);
  let out = "";
  // The text up to this offset is in `out`, or left out.
  let done = 0;
  let bodyEnd = skipSpace(text, start) + 1;
  let isFirst = true;
  visitMembers(text, start, (key, keyStart, valueStart, valueEnd) => {
    const isEdited = Object.hasOwn(edits, key);
    const value = edits[key];
    if (isEdited && value === undefined) {
      // With the comma before it; the first remaining member needs none.
      if (!isFirst) out += text.slice(done, bodyEnd);
      else if (done === 0) out = text.slice(0, keyStart);
      done = valueEnd;
    } else {
      if (isFirst && done > 0) done = keyStart;
      isFirst = false;
      if (isEdited) {
        out += text.slice(done, valueStart) + value;
        done = valueEnd;
        const at = added.indexOf(key);
        if (at >= 0) added.splice(at, 1);
      }
    }
    bodyEnd = valueEnd;
  });
  out += text.slice(done, bodyEnd);
  for (const key of added) {
    out += `${isFirst ? "" : ","}${JSON.stringify(key)}:${edits[key]}`;
    isFirst = false;
  }
  return out + text.slice(bodyEnd);
}

/** Result of scanning a text. */
export interface JsonScan {
  /**
   * The first limit that the text passes; the scan ends there. An empty array counts as two values.
   */
  readonly exceeded?: keyof JsonLimits;
  /** Number of names in its objects, counting duplicates. */
  readonly names: number;
}

/**
 * Returns the first limit that a text passes. Check before `JSON.parse`, which recurses and creates
 * every value. An empty array or object counts as two values.
 *
 * Takes any text; for invalid JSON the result means nothing, but takes no longer.
 */
export function exceededLimit(text: string, limits: JsonLimits): keyof JsonLimits | undefined {
  return atOnce(scanSteps(text, limits)).exceeded;
}

/** Scans a text once, in steps, until it passes a limit. Takes any text, as `exceededLimit`. */
export function* scanSteps(text: string, limits: JsonLimits): Steps<JsonScan> {
  const { maxDepth, maxValues = Infinity, maxBareChars = Infinity } = limits;
  let bareChars = 0;
  let depth = 0;
  let values = 1;
  let strings = 0;
  let names = 0;
  let stepEnd = STEP_CHARS;
  for (let at = 0; at < text.length; at++) {
    if (at >= stepEnd) {
      yield;
      stepEnd = at + STEP_CHARS;
    }
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = text.length - at > STEP_CHARS
        ? (yield* stringSteps(text, at)) - 1
        : stringEnd(text, at) - 1;
      // A value has one key at most: only invalid JSON has more strings.
      if (++strings > 2 * maxValues) return { exceeded: "maxValues", names };
      continue;
    }
    // They are scanned one by one, here and by edits of the text.
    if (++bareChars > maxBareChars) return { exceeded: "maxBareChars", names };
    if (code === COLON) names++;
    else if (code === COMMA) {
      if (++values > maxValues) return { exceeded: "maxValues", names };
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > maxDepth) return { exceeded: "maxDepth", names };
      if (++values > maxValues) return { exceeded: "maxValues", names };
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
  return { names };
}

/**
 * True when an object, anywhere in a text, has a name twice. `written` is the number of names in a
 * {@linkcode JsonScan}; `value` is the result of `JSON.parse`, which keeps the last of each, where
 * another reader may keep the first.
 */
export function repeatsName(written: number, value: unknown): boolean {
  return written !== namesIn(value);
}

/**
 * Returns the number of names of all objects in a value, which may be as deep as the stack allows.
 */
function namesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let names = 0;
  if (Array.isArray(value)) {
    for (const element of value) names += namesIn(element);
  } else {
    for (const member of Object.values(value)) names += 1 + namesIn(member);
  }
  return names;
}

/**
 * Called with one member, see {@linkcode Member}: without an object for members that are not
 * needed.
 */
type VisitMember = (key: string, keyStart: number, valueStart: number, valueEnd: number) => void;

function visitMembers(text: string, start: number, visit: VisitMember): void {
  let at = skipSpace(text, start);
  if (text.charCodeAt(at) !== OPEN_BRACE) {
    throw new InvariantError(`Cannot list members at ${start}: no object there`);
  }
  at = skipSpace(text, at + 1);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_BRACE) {
    const keyEnd = stringEnd(text, at);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = valueEnd(text, valueStart);
    visit(decodeKey(text, at, keyEnd), at, valueStart, end);
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
}

/** Returns the offset after the value that begins at `at`. */
function valueEnd(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return stringEnd(text, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return containerEnd(text, at);
  return scalarEnd(text, at);
}

/**
 * Returns the offset after the object or array that begins at `at`: a loop, since nesting may be
 * deep.
 */
function containerEnd(text: string, at: number): number {
  let depth = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
      continue;
    }
    at++;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) break;
  }
  return at;
}

/**
 * Returns the offset after the string whose opening quote is at `at`, or the text's end where none
 * closes it.
 */
export function stringEnd(text: string, at: number): number {
  for (let from = at + 1;;) {
    from = nextQuote(text, from);
    if (from < 0) return -from;
  }
}

/** Does the same in steps: one string may be a whole text. */
export function* stringSteps(text: string, at: number): Steps<number> {
  let stepEnd = at + STEP_CHARS;
  for (let from = at + 1;;) {
    from = nextQuote(text, from, from + LEAP_CHARS);
    if (from < 0) return -from;
    if (from < stepEnd) continue;
    yield;
    stepEnd = from + STEP_CHARS;
  }
}

/**
 * Characters of a string that are searched or parsed in one step, which takes less time for each.
 */
export const LEAP_CHARS = 4 * STEP_CHARS;
/** Characters of a string that are scanned one by one before its end is searched for. */
const NEAR_CHARS = 32;

/**
 * Searches for the end of a string between `from` and `to`, where no escape has begun. Returns
 * minus the offset after it, or the offset from which to continue.
 */
function nextQuote(text: string, from: number, to: number = text.length): number {
  // Many escapes in a row are scanned faster than they are searched; and so is a text whose
  // characters have the quote's code as one of their bytes, as U+6F22.
  const isWide = text.charCodeAt(from) > 0xff;
  for (const near = from + (isWide ? LEAP_CHARS : NEAR_CHARS); from < near;) {
    const code = text.charCodeAt(from);
    if (code === QUOTE) return -(from + 1);
    if (!(code >= 0)) return -text.length;
    from += code === BACKSLASH ? 2 : 1;
  }
  if (isWide) return from;
  // A search instead of a scan: an image of 10 MB takes a millisecond.
  const isLast = to >= text.length;
  const position = isLast ? text.indexOf('"', from) : text.slice(from, to).indexOf('"');
  if (position === -1 && isLast) return -text.length;
  const quote = isLast ? position : position === -1 ? to : from + position;
  let escapes = quote;
  while (escapes > from && text.charCodeAt(escapes - 1) === BACKSLASH) escapes--;
  if ((quote - escapes) % 2 === 1) return quote + 1;
  return position === -1 ? quote : -(quote + 1);
}

/** Returns the offset after the number, `true`, `false` or `null` that begins at `at`. */
export function scalarEnd(text: string, at: number): number {
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET) break;
    at++;
  }
  return at;
}

/** Returns the first offset from `at` on that is not white space; JSON has none above the space. */
function skipSpace(text: string, at: number): number {
  while (text.charCodeAt(at) <= SPACE) at++;
  return at;
}

/** Returns the key between two quotes. */
function decodeKey(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  if (!raw.includes("\\")) return raw;
  return JSON.parse(text.slice(start, end)) as string;
}
