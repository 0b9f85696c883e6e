/**
 * Reads a search server's entries as results that can be shown; they are untrusted text.
 *
 * @module
 */

import type { WebResult } from "../ports/web_search.ts";
import type { BoundQuery } from "./bound_query.ts";
import { plainText } from "./plain_text.ts";

/** Maximum number of entries that are read; later ones rank lower. */
const MAX_ENTRIES = 100;
const MAX_URL_CHARS = 2_048;
const MAX_TITLE_CHARS = 300;

/** A page, as a back end's schema reads it. */
export interface FoundPage {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** A date in any form. */
  readonly published?: string | undefined;
}

/**
 * Returns the results of a query: web pages of its domains, each once, best first. `read` returns
 * `undefined` for an entry that is no page, which is skipped.
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

/** Returns a web address; `undefined` for other schemes and for addresses with credentials. */
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
  // A date without a time is kept as it is, because a time zone would shift it.
  const written = /^\d{4}-\d{2}-\d{2}/.exec(date)?.[0] ?? date.slice(0, 64);
  const ms = Date.parse(written);
  if (Number.isNaN(ms)) return undefined;
  const day = new Date(ms).toISOString().slice(0, 10);
  return /^\d{4}-/.test(day) ? day : undefined;
}
