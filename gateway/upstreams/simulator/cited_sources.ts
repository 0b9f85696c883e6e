import { isJsonObject } from "@svc/sdk/protocol";

/**
 * Sources in search results, as a simulated model reads them: `{"results": [{"source": 1}]}`.
 *
 * @module
 */

/** A source that an answer cites. */
export interface CitedSource {
  /** Number of the citation. */
  readonly number: number;
  /** Title of the page, or name of the file. */
  readonly name: string;
  /** Start of the passage; empty for pages. */
  readonly passage: string;
}

/** Maximum number of sources in an answer. */
const SOURCES_MAX = 3;
const LONGEST_NAME = 160;
const LONGEST_PASSAGE = 160;

/** Returns the first sources of a tool's result; `undefined` where it is no result of a search. */
export function citedSources(result: string): readonly CitedSource[] | undefined {
  const entries = parsed(result);
  if (!isJsonObject(entries) || !Array.isArray(entries.results)) return undefined;
  if (!entries.results.every((one) => isJsonObject(one) && Number.isSafeInteger(one.source))) {
    return undefined;
  }
  return entries.results.slice(0, SOURCES_MAX).filter(isJsonObject).map((one) => ({
    number: Number(one.source),
    name: begin(one.title ?? one.filename ?? "untitled", LONGEST_NAME),
    passage: one.title === undefined ? begin(one.text ?? "", LONGEST_PASSAGE) : "",
  }));
}

function parsed(text: string): unknown {
  // Other texts need not be parsed.
  if (!text.startsWith('{"results":')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function begin(text: unknown, length: number): string {
  const line = String(text).slice(0, 4 * length).replace(/\s+/g, " ").trim();
  if (line.length <= length) return line;
  return `${line.slice(0, length).toWellFormed().replace(/\uFFFD$/, "")}…`;
}
