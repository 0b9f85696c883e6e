/**
 * Finds the sources that a text cites, by marker or by address.
 *
 * @module
 */

import type { ResponseAnnotation } from "@svc/sdk/protocol";
import { codeSpans } from "./code_spans.ts";
import type { FindCitations } from "./relay.ts";

/** A page that a search returned. */
export interface WebSource {
  readonly url: string;
  readonly title: string;
}

/** A file that a search returned. */
export interface FileSource {
  readonly fileId: string;
  readonly filename: string;
}

/** A source that can be cited. */
export type CitationSource = WebSource | FileSource;

/** Maximum number of annotations of a text: endless repetition of a marker cites nothing. */
const ANNOTATIONS_MAX = 400;

/** `[1]`, `[1, 2]`, `【1】`, and `【1†source】` as some models learned it. Bounded, so never slow. */
const MARKER = String.raw`\[ ?\d{1,4}(?: ?[,;] ?\d{1,4}){0,31} ?\]` +
  String.raw`|【 ?\d{1,4}(?: ?[,;、] ?\d{1,4}){0,31} ?(?:†[^】\n]{0,80})?】`;

/** End of an address: a character that no address has, or a mark that ends a sentence. */
const ADDRESS_END = String
  .raw`(?=$|[\s)\]}>"'*|${"`"}，。、；）】]|[.,;:!?_]+(?:$|[\s)\]}>"'*|${"`"}]))`;

/**
 * Returns a function that finds citations of sources that are numbered from 1. It reads the list
 * for each text, since the list may grow.
 */
export function findCitations(sources: readonly CitationSource[]): FindCitations {
  return (text) => {
    if (sources.length === 0) return [];
    const addresses = addressesOf(sources);
    const pattern = new RegExp(`(${addressPattern(addresses)})|${MARKER}`, "g");
    const reader = new CitationReader(text, { sources, addresses });
    for (const match of text.matchAll(pattern)) {
      if (reader.count >= ANNOTATIONS_MAX) break;
      if (match[1] === undefined) reader.marker(match.index, match[0]);
      else reader.address(match.index, match[0]);
    }
    return reader.annotations();
  };
}

/** An occurrence that may become the text of a link. */
interface Occurrence {
  readonly end: number;
  readonly annotations: readonly ResponseAnnotation[];
}

class CitationReader {
  readonly #text: string;
  readonly #sources: readonly CitationSource[];
  readonly #addresses: ReadonlyMap<string, WebSource>;
  readonly #code: Iterator<readonly [number, number]>;
  #span: readonly [number, number] | undefined;
  readonly #citations: ResponseAnnotation[] = [];
  #last: Occurrence = { end: -1, annotations: [] };

  constructor(
    text: string,
    options: {
      readonly sources: readonly CitationSource[];
      readonly addresses: ReadonlyMap<string, WebSource>;
    },
  ) {
    this.#text = text;
    this.#sources = options.sources;
    this.#addresses = options.addresses;
    this.#code = codeSpans(text).values();
    this.#span = this.#code.next().value;
  }

  get count(): number {
    return this.#citations.length;
  }

  annotations(): readonly ResponseAnnotation[] {
    return this.#citations.slice(0, ANNOTATIONS_MAX);
  }

  marker(start: number, marker: string): void {
    if (this.#isCode(start) || this.#isIndex(start)) return;
    const numbers = new Set(marker.replace(/†.*/, "").match(/\d+/g)?.map(Number));
    const end = start + marker.length;
    const annotations = [...numbers].map((number) => this.#sources[number - 1])
      .filter((source) => source !== undefined)
      .map((source) => annotationOf(source, { start, end }));
    this.#add({ end, annotations });
  }

  address(start: number, address: string): void {
    const source = this.#addresses.get(withoutSlash(address));
    if (source === undefined || this.#isCode(start)) return;
    // A link's text that names the same source is the same citation.
    const between = start - this.#last.end;
    const isTarget = (between === 1 && this.#text[start - 1] === "(") ||
      (between === 2 && this.#text.startsWith("](", start - 2));
    if (isTarget) this.#citations.length -= this.#last.annotations.length;
    const end = start + address.length;
    this.#add({ end, annotations: [annotationOf(source, { start, end })] });
  }

  #add(occurrence: Occurrence): void {
    this.#citations.push(...occurrence.annotations);
    this.#last = occurrence;
  }

  /**
   * True for an index: `list[1]` is an element of a list, and so is the second of `list[0][1]`;
   * `[1][2]` are two markers.
   */
  #isIndex(start: number): boolean {
    const before = this.#text[start - 1] ?? "";
    if (this.#text[start] !== "[") return false;
    return before === "]" ? this.#last.end !== start : /\w/.test(before);
  }

  #isCode(at: number): boolean {
    while (this.#span !== undefined && this.#span[1] <= at) this.#span = this.#code.next().value;
    return this.#span !== undefined && this.#span[0] <= at;
  }
}

function annotationOf(
  source: CitationSource,
  { start, end }: { readonly start: number; readonly end: number },
): ResponseAnnotation {
  if ("fileId" in source) {
    const { fileId, filename } = source;
    return { type: "file_citation", file_id: fileId, filename, index: start };
  }
  const { url, title } = source;
  return { type: "url_citation", start_index: start, end_index: end, url, title };
}

/** Returns sources by address, without a slash at its end; of several the first. */
function addressesOf(sources: readonly CitationSource[]): Map<string, WebSource> {
  const addresses = new Map<string, WebSource>();
  for (const source of sources) {
    if (!("url" in source) || !/^https?:\/\/./i.test(source.url)) continue;
    const address = withoutSlash(source.url);
    if (!addresses.has(address)) addresses.set(address, source);
  }
  return addresses;
}

/**
 * Returns a pattern with the longest address first, since an address may begin with another.
 * Without addresses it never matches.
 */
function addressPattern(addresses: ReadonlyMap<string, WebSource>): string {
  if (addresses.size === 0) return "(?!)";
  const literals = [...addresses.keys()].sort((one, other) => other.length - one.length)
    .map((address) => address.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`));
  return `(?:${literals.join("|")})/?${ADDRESS_END}`;
}

function withoutSlash(address: string): string {
  return address.endsWith("/") ? address.slice(0, -1) : address;
}
