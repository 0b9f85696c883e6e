/**
 * SearXNG, the operator's own metasearch server: `GET /search?format=json`.
 *
 * Source: https://docs.searxng.org/dev/search_api.html
 *
 * @module
 */

import { z } from "zod";
import type { SearxngSearchConfig } from "../domain/catalog/catalog.ts";
import type { SearchApi } from "./http_search.ts";

const answer = z.object({
  results: z.array(z.unknown()),
  unresponsive_engines: z.array(z.unknown()).default([]),
}).refine(
  // SearXNG answers 200 with an empty list when every engine has blocked it, which is a failure.
  ({ results, unresponsive_engines: silent }) => results.length > 0 || silent.length === 0,
  { error: "nothing was found, and some of its engines did not answer" },
).transform(({ results }) => results);

const page = z.object({
  url: z.string(),
  title: z.string().nullish(),
  content: z.string().nullish(),
  publishedDate: z.string().nullish(),
}).transform(({ url, title, content, publishedDate }) => ({
  url,
  title: title ?? "",
  text: content ?? "",
  published: publishedDate ?? undefined,
}));

/** Returns SearXNG's API, which takes neither a number of results nor a location. */
export function searxngApi(config: SearxngSearchConfig): SearchApi {
  const base = config.baseUrl.replace(/\/+$/, "");
  return {
    id: "searxng",
    takesPlaces: false,
    request({ domains, text }) {
      const sites = domains.map((domain) => `site:${domain}`).join(" OR ");
      const q = sites === "" ? text : `${text} ${domains.length > 1 ? `(${sites})` : sites}`;
      return { url: `${base}/search?${new URLSearchParams({ q, format: "json" })}` };
    },
    answer,
    page,
    refusal: ({ status }) =>
      status === 403
        ? { message: "the server answered 403: its settings must list json in search.formats" }
        : {},
  };
}
