/**
 * Tavily: `POST /search`.
 *
 * Source: https://docs.tavily.com/documentation/api-reference/endpoint/search
 *
 * @module
 */

import { z } from "zod";
import type { SearchApi } from "./http_search.ts";

const answer = z.object({ results: z.array(z.unknown()) }).transform(({ results }) => results);

const page = z.object({
  url: z.string(),
  title: z.string().nullish(),
  content: z.string().nullish(),
  published_date: z.string().nullish(),
}).transform((entry) => ({
  url: entry.url,
  title: entry.title ?? "",
  text: entry.content ?? "",
  published: entry.published_date ?? undefined,
}));

/** Statuses for a used-up plan, or a reached limit without a plan. */
const USED_UP: readonly number[] = [432, 433];

/**
 * Returns Tavily's API. The depth is always basic, which is one credit. Locations are not sent:
 * Tavily knows only its own names.
 */
export function tavilyApi(config: {
  readonly baseUrl: string;
  readonly key: SearchApi["key"];
}): SearchApi {
  const base = config.baseUrl.replace(/\/+$/, "");
  return {
    id: "tavily",
    key: config.key,
    takesPlaces: false,
    request: (query, key) => ({
      url: `${base}/search`,
      headers: { authorization: `Bearer ${key}` },
      body: {
        query: query.text,
        search_depth: "basic",
        max_results: query.maxResults,
        ...(query.domains.length === 0 ? {} : { include_domains: query.domains }),
      },
    }),
    answer,
    page,
    refusal: ({ status }) => USED_UP.includes(status) ? { outcome: "refused_credentials" } : {},
  };
}
