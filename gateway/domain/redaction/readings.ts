/**
 * Decodes text whose characters are disguised: escapes of JSON, also within JSON, of URLs and of
 * HTML, and characters that only look like ASCII.
 *
 * @module
 */

/** A decoded text. */
export interface Reading {
  readonly text: string;
  /**
   * Returns the index in the original text at which a character begins; the length maps to the end.
   */
  readonly beginOf: (index: number) => number;
}

/** Maximum depth of escapes within escapes: `%5Cu002d` has depth two. */
const PASSES = 3;
/** Characters at which a disguise may begin. */
const SUSPECT = /[\\%&\u0080-\uffff]/g;
const ENTITY = /&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|(amp|quot|apos|lt|gt));/iy;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: "&", quot: '"', apos: "'", lt: "<", gt: ">" },
};
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
/** Hyphens, dashes and the minus sign. */
const DASH = /[\u2010-\u2015\u2043\u2212\ufe58\ufe63]/;
/** Invisible characters: soft hyphens, joiners, zero-width spaces, byte order marks. */
const UNSEEN = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/;
const SPACE = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/;
const [WIDE_FIRST, WIDE_LAST, WIDE_SHIFT] = [0xff01, 0xff5e, 0xfee0];

/** Returns the text itself and each decoded form of it, in linear time. */
export function readingsOf(text: string): readonly Reading[] {
  const readings: Reading[] = [{ text, beginOf: (index) => index }];
  for (let pass = 0; pass < PASSES; pass++) {
    const last = readings.at(-1);
    const next = last === undefined ? undefined : undone(last);
    if (next === undefined) break;
    readings.push(next);
  }
  return readings;
}

/** Undoes one layer of disguises; `undefined` when there is none. */
function undone({ text, beginOf }: Reading): Reading | undefined {
  let decoded = "";
  let from = 0;
  let begins: Int32Array | undefined;
  const keepUpTo = (end: number, places: Int32Array) => {
    for (let at = from; at < end; at++) places[decoded.length + at - from] = at;
    decoded += text.slice(from, end);
  };
  SUSPECT.lastIndex = 0;
  for (let match = SUSPECT.exec(text); match !== null; match = SUSPECT.exec(text)) {
    const disguise = disguiseAt(text, match.index);
    if (disguise === undefined) continue;
    begins ??= new Int32Array(text.length + 1);
    keepUpTo(match.index, begins);
    if (disguise.reads !== "") begins[decoded.length] = match.index;
    decoded += disguise.reads;
    SUSPECT.lastIndex = from = disguise.end;
  }
  if (begins === undefined) return undefined;
  keepUpTo(text.length, begins);
  begins[decoded.length] = text.length;
  const places = begins;
  return { text: decoded, beginOf: (index) => beginOf(places[index] ?? text.length) };
}

/** A disguise up to `end`, with the character that it stands for, if any. */
interface Disguise {
  readonly reads: string;
  readonly end: number;
}

function disguiseAt(text: string, at: number): Disguise | undefined {
  switch (text[at]) {
    case "\\":
      return escapeAt(text, at);
    case "%":
      return percentAt(text, at);
    case "&":
      return entityAt(text, at);
    default: {
      const char = text.charAt(at);
      const reads = plain(char);
      return reads === char ? undefined : { reads, end: at + 1 };
    }
  }
}

/** Reads an escape with any number of backslashes: each level of JSON doubles them. */
function escapeAt(text: string, at: number): Disguise | undefined {
  let end = at + 1;
  while (text[end] === "\\") end++;
  const letter = text.charAt(end);
  const digits = { u: 4, x: 2 }[letter];
  if (digits !== undefined) {
    const code = hexAt(text, end + 1, digits);
    if (code !== undefined) {
      return { reads: plain(String.fromCharCode(code)), end: end + 1 + digits };
    }
  }
  if (letter !== "" && `"'/`.includes(letter)) return { reads: letter, end: end + 1 };
  const control = CONTROLS[letter];
  if (control !== undefined) return { reads: control, end: end + 1 };
  return end > at + 1 ? { reads: "\\", end } : undefined;
}

function percentAt(text: string, at: number): Disguise | undefined {
  let end = at + 1;
  // Skips percent signs that were escaped in turn.
  while (text.startsWith("25", end) && hexAt(text, end + 2, 2) !== undefined) end += 2;
  const code = hexAt(text, end, 2);
  if (code === undefined || code > 0x7f) return undefined;
  return { reads: String.fromCharCode(code), end: end + 2 };
}

function entityAt(text: string, at: number): Disguise | undefined {
  ENTITY.lastIndex = at;
  const match = ENTITY.exec(text);
  if (match === null) return undefined;
  const [whole, decimal, hex, name] = match;
  const code = decimal === undefined ? parseInt(hex ?? "", 16) : Number(decimal);
  const char = name === undefined
    ? String.fromCharCode(code)
    : ENTITIES[name.toLowerCase()] ?? whole;
  return { reads: plain(char), end: at + whole.length };
}

/** Parses a number of hexadecimal digits. */
function hexAt(text: string, at: number, digits: number): number | undefined {
  const digitText = text.slice(at, at + digits);
  return digitText.length === digits && /^[0-9a-f]+$/i.test(digitText)
    ? parseInt(digitText, 16)
    : undefined;
}

/** Returns the ASCII character that a character looks like. */
function plain(char: string): string {
  const code = char.charCodeAt(0);
  if (code < 0x80) return char;
  if (code >= WIDE_FIRST && code <= WIDE_LAST) return String.fromCharCode(code - WIDE_SHIFT);
  if (DASH.test(char)) return "-";
  if (SPACE.test(char)) return " ";
  return UNSEEN.test(char) ? "" : char;
}
