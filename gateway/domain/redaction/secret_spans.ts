/**
 * Where secrets stand in a text, however they are written.
 *
 * @module
 */

import { readingsOf } from "./readings.ts";

/** What is looked for. */
export interface Sought {
  /** Secrets that are known, each as {@linkcode writingsOf} has them. @default {none} */
  readonly writings?: readonly string[];
  /**
   * What secrets look like; global. What group 1 holds, at the beginning of a match, is none. Each must
   * take time by the text's length alone: none may look along a text again from its next character.
   *
   * @default {none}
   */
  readonly forms?: readonly RegExp[];
}

/** From a character up to another, which is not part of it. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

/** A secret as it may stand in a text, and as that text reads. */
export function writingsOf(secret: string): readonly string[] {
  return [
    ...new Set([
      secret,
      encodeURIComponent(secret.toWellFormed()),
      JSON.stringify(secret).slice(1, -1),
      ...readingsOf(secret).map(({ text }) => text),
    ]),
  ];
}

/** Where the secrets of a text are, from its beginning to its end, none within another. */
export function secretSpans(text: string, { writings = [], forms = [] }: Sought): readonly Span[] {
  const spans: Span[] = [];
  for (const { text: read, beginOf } of readingsOf(text)) {
    const note = (begin: number, end: number) =>
      void (end > begin && spans.push({ begin: beginOf(begin), end: beginOf(end) }));
    for (const secret of writings) {
      for (let at = read.indexOf(secret); at !== -1; at = read.indexOf(secret, at)) {
        note(at, at += secret.length);
      }
    }
    for (const form of forms) {
      for (const match of read.matchAll(form)) {
        note(match.index + (match[1]?.length ?? 0), match.index + match[0].length);
      }
    }
  }
  return mergedSpans(spans);
}

/** The text with a mark in the place of each span. */
export function withoutSpans(text: string, spans: readonly Span[], mark: string): string {
  let out = "";
  let from = 0;
  for (const { begin, end } of spans) {
    out += text.slice(from, begin) + mark;
    from = end;
  }
  return out + text.slice(from);
}

/** Those that overlap as one, from the first to the last. */
export function mergedSpans(spans: readonly Span[]): readonly Span[] {
  const apart: Span[] = [];
  for (const span of [...spans].sort((one, other) => one.begin - other.begin)) {
    const last = apart.at(-1);
    if (last === undefined || span.begin >= last.end) apart.push(span);
    else if (span.end > last.end) apart[apart.length - 1] = { begin: last.begin, end: span.end };
  }
  return apart;
}
