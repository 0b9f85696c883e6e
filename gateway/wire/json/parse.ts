/**
 * Parses JSON in steps, with the result of `JSON.parse`. That takes 50 ms for 10 MB of escapes, in
 * which the event loop is blocked; and in V8 15.0 it mistakes names that are written with an
 * escape: once it has parsed the name `\u006`, written `"\\u006"`, it takes `"\u006dodel"` at the
 * same place of another object for it. Here a name is parsed like any other string, so no other
 * text matters.
 *
 * @module
 */

import { atOnce, STEP_CHARS, type Steps } from "../../domain/redaction/steps.ts";
import { LEAP_CHARS, scalarEnd, stringEnd, stringSteps } from "./text.ts";

/** An array or object that has not ended. */
interface Open {
  readonly value: unknown[] | Record<string, unknown>;
  /** Name of the member whose value comes next; absent in an array. */
  name?: string;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const LETTER_U = 0x75;
/** Maximum length of an escape: `\u0061`. */
const ESCAPE_CHARS = 6;

/** Parses the object of a request. Throws a `SyntaxError`. */
export function recordOf(text: string): Readonly<Record<string, unknown>> {
  return parseJson(text) as Readonly<Record<string, unknown>>;
}

/** Parses a text at once, also with escaped names. Throws a `SyntaxError`. */
export function parseJson(text: string): unknown {
  return hasEscapedName(text) ? atOnce(parseSteps(text)) : JSON.parse(text);
}

/** From an escape to the colon after its string, which is then a name. */
const ESCAPED_NAME = /\\.[^"\\]*"\s*:/;

/** True when a name has an escape, or something looks like it: takes up to 5 ns a character. */
export function hasEscapedName(text: string): boolean {
  return text.includes("\\") && ESCAPED_NAME.test(text);
}

/**
 * Parses a text in steps. Throws a `SyntaxError` where `JSON.parse` does.
 *
 * Check its limits first: the time grows with the number of values.
 */
export function* parseSteps(text: string): Steps<unknown> {
  const open: Open[] = [];
  let at = skipSpace(text, 0);
  let stepEnd = STEP_CHARS;
  for (;;) {
    if (at >= stepEnd) {
      yield;
      stepEnd = at + STEP_CHARS;
    }
    const code = text.charCodeAt(at);
    let value: unknown;
    if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      const inner = skipSpace(text, at + 1);
      const isArray = code === OPEN_BRACKET;
      const container: Open = { value: isArray ? [] : {} };
      if (text.charCodeAt(inner) !== (isArray ? CLOSE_BRACKET : CLOSE_BRACE)) {
        at = isArray ? inner : yield* readName(text, inner, container);
        open.push(container);
        continue;
      }
      value = container.value;
      at = inner + 1;
    } else if (code === QUOTE) {
      const end = yield* endOfString(text, at);
      value = yield* stringOf(text, at, end);
      at = end;
    } else {
      const end = scalarEnd(text, at);
      value = JSON.parse(text.slice(at, end));
      at = end;
    }
    // It may be the last value of its container, and that in turn of its own.
    for (;;) {
      at = skipSpace(text, at);
      const within = open.at(-1);
      if (within === undefined) {
        if (at < text.length) throw unexpected(text, at);
        return value;
      }
      setMember(within, value);
      const next = text.charCodeAt(at);
      const isArray = within.name === undefined;
      if (next === COMMA) {
        at = skipSpace(text, at + 1);
        if (!isArray) at = yield* readName(text, at, within);
        break;
      }
      if (next !== (isArray ? CLOSE_BRACKET : CLOSE_BRACE)) throw unexpected(text, at);
      value = within.value;
      open.pop();
      at++;
    }
  }
}

/** Parses the name at `at` into `into`; returns the offset of its value. */
function* readName(text: string, at: number, into: Open): Steps<number> {
  if (text.charCodeAt(at) !== QUOTE) throw unexpected(text, at);
  const end = yield* endOfString(text, at);
  into.name = yield* stringOf(text, at, end);
  const colon = skipSpace(text, end);
  if (text.charCodeAt(colon) !== COLON) throw unexpected(text, colon);
  return skipSpace(text, colon + 1);
}

function setMember({ value, name }: Open, member: unknown): void {
  if (Array.isArray(value)) value.push(member);
  else if (name !== "__proto__") value[name ?? ""] = member;
  // An assignment would set the object's prototype.
  else {
    const own = { value: member, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(value, name, own);
  }
}

function* endOfString(text: string, at: number): Steps<number> {
  return text.length - at > STEP_CHARS ? yield* stringSteps(text, at) : stringEnd(text, at);
}

/** An escape, or a character that no string may have without one: those below the space. */
const NOT_PLAIN = /[^\x20-\x5b\x5d-\uffff]/;

/** True when a string has no escape between two offsets. */
function* isPlain(text: string, start: number, end: number): Steps<boolean> {
  for (let from = start; from < end; from += LEAP_CHARS) {
    if (NOT_PLAIN.test(text.slice(from, Math.min(from + LEAP_CHARS, end)))) return false;
    yield;
  }
  return true;
}

/**
 * Returns the string between two quotes; a long one is parsed in pieces that are cut between
 * characters.
 */
function* stringOf(text: string, start: number, end: number): Steps<string> {
  if (end - start <= LEAP_CHARS) return JSON.parse(text.slice(start, end));
  const isClosed = text.charCodeAt(end - 1) === QUOTE;
  // As for images: pieces would be copied into one string at their first use.
  if (isClosed && (yield* isPlain(text, start + 1, end - 1))) return text.slice(start + 1, end - 1);
  let value = "";
  for (let from = start + 1; from < end - 1;) {
    const to = Math.min(cut(text, from), end - 1);
    value += JSON.parse(`"${text.slice(from, to)}"`);
    from = to;
    yield;
  }
  // Its last quote may be missing.
  if (!isClosed) throw unexpected(text, end);
  return value;
}

/** Returns the end of a piece that begins at `from`: after an escape that is about to end. */
function cut(text: string, from: number): number {
  const to = from + LEAP_CHARS;
  const last = to - ESCAPE_CHARS + text.slice(to - ESCAPE_CHARS, to).lastIndexOf("\\");
  if (last < to - ESCAPE_CHARS) return to;
  let first = last;
  while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first--;
  // The second of two backslashes is what the first escapes.
  if ((last - first) % 2 === 1) return to;
  return Math.max(to, last + (text.charCodeAt(last + 1) === LETTER_U ? ESCAPE_CHARS : 2));
}

/** Returns the first offset that is no JSON white space. */
function skipSpace(text: string, at: number): number {
  for (;; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
  }
}

function unexpected(text: string, at: number): SyntaxError {
  const what = at < text.length ? `Unexpected token in JSON at position ${at}` : "";
  return new SyntaxError(what || "Unexpected end of JSON input");
}
