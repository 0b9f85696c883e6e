/**
 * Finds secrets in a text, in any encoding.
 *
 * @module
 */

import { readingsOf } from "./readings.ts";

/** Secrets to search for. */
export interface SecretPatterns {
  /** Known secrets in all encodings, see {@linkcode writingsOf}. @default {none} */
  readonly writings?: readonly string[];
  /**
   * Forms of secrets; global. Matching must take time linear in the length of the text: a form must
   * not scan the same characters again from the next position.
   *
   * @default {none}
   */
  readonly forms?: readonly RegExp[];
  /** True when group 1 of a form, the prefix of a match, is part of the span. @default {false} */
  readonly isPrefixRemoved?: boolean;
}

/** A range of characters; `end` is exclusive. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

/** Returns all encodings in which a secret may occur in a text. */
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

/** Returns the ranges of all secrets in a text, in order and without overlaps. */
export function secretSpans(
  text: string,
  { writings = [], forms = [], isPrefixRemoved = false }: SecretPatterns,
): readonly Span[] {
  const spans: Span[] = [];
  for (const { text: decoded, beginOf } of readingsOf(text)) {
    const note = (begin: number, end: number) =>
      void (end > begin && spans.push({ begin: beginOf(begin), end: beginOf(end) }));
    for (const secret of writings) {
      for (let at = decoded.indexOf(secret); at !== -1; at = decoded.indexOf(secret, at)) {
        note(at, at += secret.length);
      }
    }
    for (const form of forms) {
      for (const match of decoded.matchAll(form)) {
        const prefix = isPrefixRemoved ? "" : match[1] ?? "";
        note(match.index + prefix.length, match.index + match[0].length);
      }
    }
  }
  return mergedSpans(spans);
}

/** Replaces each span of a text by a mark. */
export function withoutSpans(text: string, spans: readonly Span[], mark: string): string {
  let out = "";
  let from = 0;
  for (const { begin, end } of spans) {
    out += text.slice(from, begin) + mark;
    from = end;
  }
  return out + text.slice(from);
}

/** Merges overlapping spans and sorts the result. */
export function mergedSpans(spans: readonly Span[]): readonly Span[] {
  const apart: Span[] = [];
  for (const span of [...spans].sort((one, other) => one.begin - other.begin)) {
    const last = apart.at(-1);
    if (last === undefined || span.begin >= last.end) apart.push(span);
    else if (span.end > last.end) apart[apart.length - 1] = { begin: last.begin, end: span.end };
  }
  return apart;
}
