/**
 * Measures text by kinds of characters that differ in tokens per character, without a tokenizer.
 *
 * @module
 */

import { STEP_CHARS, type Steps } from "../redaction/steps.ts";

/** Sums of text lengths. */
export interface TextMeasure {
  /** UTF-8 bytes. */
  bytes: number;
  /** UTF-16 code units. */
  chars: number;
  /** Number of `chars` that are dense. */
  dense: number;
}

const PLAIN = 0;
const DIGIT = 1;
const PUNCTUATION = 2;
const SPACE = 3;
const LONGEST_WORD = 20;

// Kind of each ASCII code. `+ / = _ -` continue a run, because base64 and identifiers contain them.
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[A-Za-z]/.test(char)) return PLAIN;
  if (/[0-9+/=_-]/.test(char)) return DIGIT;
  return code <= 32 ? SPACE : PUNCTUATION;
});

/** Adds a text to the measure. Linear in its length, without a copy. */
export function measureText(text: string, measure: TextMeasure): void {
  const open = { run: 0, digits: 0 };
  measureRange(text, { from: 0, to: text.length, open }, measure);
  endRun(open, measure);
}

/** Adds a text to the measure, one step per {@linkcode STEP_CHARS}. */
export function* measureSteps(text: string, measure: TextMeasure): Steps<void> {
  const open = { run: 0, digits: 0 };
  for (let from = 0; from < text.length; from += STEP_CHARS) {
    if (from > 0) yield;
    const to = Math.min(text.length, from + STEP_CHARS);
    measureRange(text, { from, to, open }, measure);
  }
  endRun(open, measure);
}

/** A run that has not ended: its length, and the number of its digits. */
interface OpenRun {
  run: number;
  digits: number;
}

interface MeasuredRange {
  readonly from: number;
  readonly to: number;
  /** The run left open by the range before; updated to the one that this range leaves open. */
  readonly open: OpenRun;
}

function measureRange(text: string, { from, to, open }: MeasuredRange, measure: TextMeasure): void {
  let beyond = 0;
  let dense = 0;
  let { run, digits } = open;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    const kind = code < 128 ? KINDS[code] : SPACE;
    if (kind === PLAIN) {
      run++;
    } else if (kind === DIGIT) {
      run++;
      digits++;
    } else {
      dense += run > LONGEST_WORD ? run : digits;
      run = 0;
      digits = 0;
      if (kind === PUNCTUATION) dense++;
      // Half of a surrogate pair takes two of four bytes; a lone surrogate becomes three.
      if (code >= 128) beyond += code < 0x800 ? 1 : isPaired(text, i) ? 1 : 2;
    }
  }
  open.run = run;
  open.digits = digits;
  measure.chars += to - from;
  measure.bytes += to - from + beyond;
  measure.dense += dense;
}

function endRun({ run, digits }: OpenRun, measure: TextMeasure): void {
  measure.dense += run > LONGEST_WORD ? run : digits;
}

function isPaired(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (code < 0xd800 || code > 0xdfff) return false;
  const other = text.charCodeAt(code < 0xdc00 ? index + 1 : index - 1);
  return code < 0xdc00 ? other >= 0xdc00 && other <= 0xdfff : other >= 0xd800 && other < 0xdc00;
}
