/**
 * From what a search server says it found to what may be shown: by then it is a stranger's text.
 *
 * @module
 */

import type { WebResult } from "../ports/web_search.ts";
import type { BoundQuery } from "./bound_query.ts";
import { plainText } from "./plain_text.ts";

/** Entries of an answer that are looked at: those beyond are worse ones. */
const MAX_ENTRIES = 100;
const MAX_URL_CHARS = 2_048;
const MAX_TITLE_CHARS = 300;

/** A page as a back end's schema reads it. */
export interface FoundPage {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** A date in any form. */
  readonly published?: string | undefined;
}

/**
 * The results that a query asked for: pages on the web, of its domains, each once, best first.
 * `read` gives `undefined` for an entry that is no page: the others count all the same.
 */
export function resultsOf(
  entries: readonly unknown[],
  query: BoundQuery,
  read: (entry: unknown) => FoundPage | undefined,
): WebResult[] {
  const results = new Map<string, WebResult>();
  for (const entry of entries.slice(0, MAX_ENTRIES)) {
    if (results.size === query.maxResults) break;
    const page = read(entry);
    const url = page === undefined ? undefined : webUrl(page.url);
    if (page === undefined || url === undefined || !isOf(url.hostname, query.domains)) continue;
    if (results.has(url.href)) continue;
    results.set(url.href, {
      url: url.href,
      title: plainText(page.title, MAX_TITLE_CHARS) || url.hostname,
      text: plainText(page.text, query.textChars),
      publishedOn: dayOf(page.published ?? ""),
    });
  }
  return [...results.values()];
}

/** An address that a person may follow; `undefined` where it is of another kind, or says too much. */
function webUrl(text: string): URL | undefined {
  if (text.length > MAX_URL_CHARS) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  return url.href.length > MAX_URL_CHARS ? undefined : url;
}

function isOf(host: string, domains: readonly string[]): boolean {
  return domains.length === 0 ||
    domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

function dayOf(date: string): string | undefined {
  // A day that is written as such is taken as it stands: without a zone it would shift.
  const written = /^\d{4}-\d{2}-\d{2}/.exec(date)?.[0] ?? date.slice(0, 64);
  const ms = Date.parse(written);
  if (Number.isNaN(ms)) return undefined;
  const day = new Date(ms).toISOString().slice(0, 10);
  return /^\d{4}-/.test(day) ? day : undefined;
}
