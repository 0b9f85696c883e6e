/**
 * Queries within the bounds of all back ends.
 *
 * @module
 */

import type { ApproximateLocation, SearchContextSize, WebQuery } from "../ports/web_search.ts";
import { plainText } from "./plain_text.ts";

/** Maximum length of a query in characters; Brave and Tavily have equal limits. */
export const MAX_QUERY_CHARS = 400;
/** See {@linkcode MAX_QUERY_CHARS}. */
export const MAX_QUERY_WORDS = 50;
/** Maximum number of results of one search. */
export const MAX_RESULTS = 20;
/** Maximum number of domains of one search, which is OpenAI's limit. */
export const MAX_DOMAINS = 100;
const MAX_PLACE_CHARS = 100;

/** Results of each context size, and characters of each result. */
const SIZES: Readonly<Record<SearchContextSize, { results: number; textChars: number }>> = {
  low: { results: 3, textChars: 400 },
  medium: { results: 6, textChars: 1_200 },
  high: { results: 10, textChars: 3_000 },
};

/** A query within bounds. */
export interface BoundQuery {
  /** One line, never empty. */
  readonly text: string;
  readonly maxResults: number;
  /** Maximum number of characters of a result's text. */
  readonly textChars: number;
  /** Lower-case names; empty for any. */
  readonly domains: readonly string[];
  /** Visible ASCII only, because it is sent in headers. */
  readonly location: ApproximateLocation;
}

/** Returns a query within bounds, or a sentence about the problem. */
export function boundQuery(query: WebQuery): BoundQuery | string {
  const words = plainText(query.text, MAX_QUERY_CHARS).split(" ");
  const text = words.slice(0, MAX_QUERY_WORDS).join(" ");
  if (text === "") return "the query is empty";
  const allowed = query.allowedDomains ?? [];
  if (allowed.length > MAX_DOMAINS) return `there are more than ${MAX_DOMAINS} allowed domains`;
  const domains: string[] = [];
  for (const domain of allowed) {
    const name = domainName(domain);
    if (name === undefined) return `"${plainText(domain, MAX_PLACE_CHARS)}" is no domain name`;
    domains.push(name);
  }
  const size = SIZES[query.contextSize ?? "medium"];
  return {
    text,
    maxResults: Math.max(1, Math.min(query.maxResults ?? size.results, MAX_RESULTS)),
    textChars: size.textChars,
    domains,
    location: usableOf(query.userLocation ?? {}),
  };
}

/**
 * Returns a domain in lower case and ASCII; `undefined` for any other text, such as an address, a
 * port or a path.
 */
export function domainName(text: string): string | undefined {
  if (/[\s/:@?#\\%]/.test(text)) return undefined;
  const host = URL.parse(`https://${text}`)?.hostname.replace(/\.$/, "") ?? "";
  return /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z][a-z0-9-]*$/.test(host)
    ? host
    : undefined;
}

/** Returns the members of a location that are not in `usable`. */
export function unusedOf(
  place: ApproximateLocation,
  usable: ApproximateLocation = {},
): readonly (keyof ApproximateLocation)[] {
  const names = ["country", "city", "region", "timezone"] as const;
  return names.filter((name) => place[name] !== undefined && usable[name] === undefined);
}

/** Returns the usable part of a location: visible ASCII, and a country by its two letters. */
export function usableOf(location: ApproximateLocation): ApproximateLocation {
  const { country, city, region, timezone } = location;
  return {
    country: /^[A-Za-z]{2}$/.test(country ?? "") ? country?.toUpperCase() : undefined,
    city: place(city),
    region: place(region),
    timezone: place(timezone),
  };
}

function place(name: string | undefined): string | undefined {
  const plain = plainText(name ?? "", MAX_PLACE_CHARS);
  return /^[\x20-\x7E]+$/.test(plain) ? plain : undefined;
}
