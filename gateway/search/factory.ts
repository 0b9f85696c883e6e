import type { KeyedSearchConfig, SearchConfig } from "../domain/catalog/catalog.ts";
import type { WebSearch } from "../ports/web_search.ts";
import { braveApi } from "./brave.ts";
import { type HttpSearchDeps, HttpWebSearch, type SearchApi } from "./http_search.ts";
import { createOfflineSearch } from "./offline.ts";
import { searxngApi } from "./searxng.ts";
import { tavilyApi } from "./tavily.ts";

/** Dependencies of web search. */
export type WebSearchDeps = HttpSearchDeps;

/** Creates the back end of a configuration. It keeps no connection and no state. */
export function createWebSearch(config: SearchConfig, deps: WebSearchDeps): WebSearch {
  switch (config.kind) {
    case "offline":
      return createOfflineSearch();
    case "searxng":
      return new HttpWebSearch(searxngApi(config), deps);
    case "brave":
      return new HttpWebSearch(braveApi({ ...config, key: keyOf(config, deps) }), deps);
    case "tavily":
      return new HttpWebSearch(tavilyApi({ ...config, key: keyOf(config, deps) }), deps);
  }
}

function keyOf(
  { apiKey, apiKeyEnv }: KeyedSearchConfig,
  { env }: WebSearchDeps,
): NonNullable<SearchApi["key"]> {
  if (apiKey !== undefined || apiKeyEnv === undefined) {
    return { value: apiKey ?? "", source: "the configuration" };
  }
  // Variables that are read from files end with a line break.
  return { value: env(apiKeyEnv)?.trim() ?? "", source: `the environment variable ${apiKeyEnv}` };
}
