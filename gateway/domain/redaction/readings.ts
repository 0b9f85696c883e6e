/**
 * How a text reads once what disguises its characters is undone: escapes of JSON, also of JSON within
 * JSON, of addresses and of HTML, and characters that only look like those of ASCII.
 *
 * @module
 */

/** A text as it reads. */
export interface Reading {
  readonly text: string;
  /** Where in the written text a character of this one begins; its length stands for the end. */
  readonly beginOf: (index: number) => number;
}

/** Escapes within escapes are undone so often: `%5Cu002d` is two. */
const PASSES = 3;
/** What may be the beginning of a disguise. */
const SUSPECT = /[\\%&\u0080-\uffff]/g;
const ENTITY = /&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|(amp|quot|apos|lt|gt));/iy;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: "&", quot: '"', apos: "'", lt: "<", gt: ">" },
};
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
/** Hyphens, dashes and the minus sign. */
const DASH = /[\u2010-\u2015\u2043\u2212\ufe58\ufe63]/;
/** What nobody sees: soft hyphens, joiners and spaces without width, byte order marks. */
const UNSEEN = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/;
const SPACE = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/;
const [WIDE_FIRST, WIDE_LAST, WIDE_SHIFT] = [0xff01, 0xff5e, 0xfee0];

/** The text as it is written, and as it reads; takes time by its length alone. */
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

/** One layer of disguises less; `undefined` where there is none. */
function undone({ text, beginOf }: Reading): Reading | undefined {
  let read = "";
  let from = 0;
  let begins: Int32Array | undefined;
  const keepUpTo = (end: number, places: Int32Array) => {
    for (let at = from; at < end; at++) places[read.length + at - from] = at;
    read += text.slice(from, end);
  };
  SUSPECT.lastIndex = 0;
  for (let found = SUSPECT.exec(text); found !== null; found = SUSPECT.exec(text)) {
    const disguise = disguiseAt(text, found.index);
    if (disguise === undefined) continue;
    begins ??= new Int32Array(text.length + 1);
    keepUpTo(found.index, begins);
    if (disguise.reads !== "") begins[read.length] = found.index;
    read += disguise.reads;
    SUSPECT.lastIndex = from = disguise.end;
  }
  if (begins === undefined) return undefined;
  keepUpTo(text.length, begins);
  begins[read.length] = text.length;
  const places = begins;
  return { text: read, beginOf: (index) => beginOf(places[index] ?? text.length) };
}

/** At most one character in the place of what is written up to `end`. */
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

/** However many backslashes: each JSON around the first has doubled them. */
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
  // A percent sign that was escaped itself, as often as that was done.
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

/** The number that so many hexadecimal digits write. */
function hexAt(text: string, at: number, digits: number): number | undefined {
  const written = text.slice(at, at + digits);
  return written.length === digits && /^[0-9a-f]+$/i.test(written)
    ? parseInt(written, 16)
    : undefined;
}

/** What a character looks like in ASCII. */
function plain(char: string): string {
  const code = char.charCodeAt(0);
  if (code < 0x80) return char;
  if (code >= WIDE_FIRST && code <= WIDE_LAST) return String.fromCharCode(code - WIDE_SHIFT);
  if (DASH.test(char)) return "-";
  if (SPACE.test(char)) return " ";
  return UNSEEN.test(char) ? "" : char;
}
