import { isJsonObject } from "@svc/sdk/protocol";

/**
 * What a simulated model makes of search results: numbered sources, `{"results": [{"source": 1}]}`.
 *
 * @module
 */

/** A source as an answer tells of it. */
export interface FoundSource {
  /** What it is cited by. */
  readonly number: number;
  /** Title of the page, or name of the file. */
  readonly name: string;
  /** Beginning of the passage; empty for pages. */
  readonly passage: string;
}

/** Most sources that an answer tells of. */
const MOST_TOLD = 3;
const LONGEST_NAME = 160;
const LONGEST_PASSAGE = 160;

/** The first sources of a tool's result; `undefined` where it is none of a search. */
export function foundSources(result: string): readonly FoundSource[] | undefined {
  const found = parsed(result);
  if (!isJsonObject(found) || !Array.isArray(found.results)) return undefined;
  if (!found.results.every((one) => isJsonObject(one) && Number.isSafeInteger(one.source))) {
    return undefined;
  }
  return found.results.slice(0, MOST_TOLD).filter(isJsonObject).map((one) => ({
    number: Number(one.source),
    name: begin(one.title ?? one.filename ?? "untitled", LONGEST_NAME),
    passage: one.title === undefined ? begin(one.text ?? "", LONGEST_PASSAGE) : "",
  }));
}

function parsed(text: string): unknown {
  // Anything else is not worth a try.
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
