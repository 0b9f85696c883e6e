import type { WebSearch } from "../ports/web_search.ts";
import { boundQuery, unusedOf } from "./bound_query.ts";
import { resultsOf } from "./results.ts";

const ID = "offline";
/** Reserved by RFC 2606: no server can exist there. */
const ADDRESS = "https://example.invalid/offline-search";
const ASPECTS = ["overview", "background", "details", "examples", "questions", "history"];

/**
 * Creates a stand-in that sends no request and says so in every result. Equal queries have equal
 * results; a query for other domains has none.
 */
export function createOfflineSearch(): WebSearch {
  return {
    id: ID,
    unusedOf: (place) => unusedOf(place),
    search(query, { signal }) {
      if (signal.aborted) return Promise.reject(signal.reason);
      const bound = boundQuery(query);
      if (typeof bound === "string") {
        const message = `Cannot search with "${ID}": ${bound}`;
        return Promise.resolve({ kind: "failure", outcome: "refused_input", message });
      }
      const { maxResults, text } = bound;
      const places = Array.from({ length: maxResults }, (_, at) => at);
      const results = resultsOf(places, bound, (at) => pageOf(text, Number(at)));
      return Promise.resolve({ kind: "results", results });
    },
  };
}

function pageOf(query: string, at: number) {
  const aspect = ASPECTS[at % ASPECTS.length] ?? "";
  const parameters = new URLSearchParams({ q: query, result: String(at + 1) });
  return {
    url: `${ADDRESS}?${parameters}`,
    title: `[offline, simulated] ${aspect}: ${query}`,
    text: `This result is simulated: no search server is configured and nothing was looked up. ` +
      `It stands for page ${at + 1}, ${aspect}, of what a search for "${query}" would find.`,
  };
}
