/**
 * Reads JSON in steps, to the value that `JSON.parse` makes of it. That one takes 50 ms for 10 MB of
 * escapes, in which nobody else has a turn; and in V8 15.0 it mistakes names that are written with an
 * escape: once it has met the name `\u006`, written `"\\u006"`, it takes `"\u006dodel"` at the same
 * place of another object for it. Here a name is read like any other string, so no other text matters.
 *
 * @module
 */

import { atOnce, STEP_CHARS, type Steps } from "../../domain/redaction/steps.ts";
import { LEAP_CHARS, scalarEnd, stringEnd, stringSteps } from "./text.ts";

/** An array or object that has not ended. */
interface Open {
  readonly value: unknown[] | Record<string, unknown>;
  /** Of the member whose value comes next; absent in an array. */
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
/** What an escape takes, at most: `\u0061`. */
const ESCAPE_CHARS = 6;

/** The object that a text says, which came from a request. Throws a `SyntaxError`. */
export function recordOf(text: string): Readonly<Record<string, unknown>> {
  return parseJson(text) as Readonly<Record<string, unknown>>;
}

/** The value of a text, which may have names with escapes, at once. Throws a `SyntaxError`. */
export function parseJson(text: string): unknown {
  return hasEscapedName(text) ? atOnce(parseSteps(text)) : JSON.parse(text);
}

/** From an escape to the colon behind its string, which is a name, then. */
const ESCAPED_NAME = /\\.[^"\\]*"\s*:/;

/** Whether a name is written with an escape, or something looks like it: takes up to 5 ns a character. */
export function hasEscapedName(text: string): boolean {
  return text.includes("\\") && ESCAPED_NAME.test(text);
}

/**
 * The value of a text, in steps. Throws a `SyntaxError` where `JSON.parse` does.
 *
 * Ask for its limits before: what it takes grows with the number of values.
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
    // It may be the last of what it stands in, and that in turn.
    for (;;) {
      at = skipSpace(text, at);
      const within = open.at(-1);
      if (within === undefined) {
        if (at < text.length) throw unexpected(text, at);
        return value;
      }
      put(within, value);
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

/** Reads the name that begins at `at`; the offset of its value. */
function* readName(text: string, at: number, into: Open): Steps<number> {
  if (text.charCodeAt(at) !== QUOTE) throw unexpected(text, at);
  const end = yield* endOfString(text, at);
  into.name = yield* stringOf(text, at, end);
  const colon = skipSpace(text, end);
  if (text.charCodeAt(colon) !== COLON) throw unexpected(text, colon);
  return skipSpace(text, colon + 1);
}

function put({ value, name }: Open, member: unknown): void {
  if (Array.isArray(value)) value.push(member);
  else if (name !== "__proto__") value[name ?? ""] = member;
  // Assigned it would be the object's prototype.
  else {
    const own = { value: member, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(value, name, own);
  }
}

function* endOfString(text: string, at: number): Steps<number> {
  return text.length - at > STEP_CHARS ? yield* stringSteps(text, at) : stringEnd(text, at);
}

/** An escape, or what stands in no string without one: what is below the space. */
const NOT_PLAIN = /[^\x20-\x5b\x5d-\uffff]/;

/** Whether a string says what is written between two offsets. */
function* isPlain(text: string, start: number, end: number): Steps<boolean> {
  for (let from = start; from < end; from += LEAP_CHARS) {
    if (NOT_PLAIN.test(text.slice(from, Math.min(from + LEAP_CHARS, end)))) return false;
    yield;
  }
  return true;
}

/** The string between two quotes; a long one is read in pieces that are cut between its characters. */
function* stringOf(text: string, start: number, end: number): Steps<string> {
  if (end - start <= LEAP_CHARS) return JSON.parse(text.slice(start, end));
  const isClosed = text.charCodeAt(end - 1) === QUOTE;
  // As pictures are: pieces of it would be copied into one by whoever looks at it first.
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

/** Where a piece that begins at `from` ends: behind an escape that is about to end. */
function cut(text: string, from: number): number {
  const to = from + LEAP_CHARS;
  const last = to - ESCAPE_CHARS + text.slice(to - ESCAPE_CHARS, to).lastIndexOf("\\");
  if (last < to - ESCAPE_CHARS) return to;
  let first = last;
  while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first--;
  // The second of two is what the first stands for.
  if ((last - first) % 2 === 1) return to;
  return Math.max(to, last + (text.charCodeAt(last + 1) === LETTER_U ? ESCAPE_CHARS : 2));
}

/** As JSON has it: no other character is white space. */
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
