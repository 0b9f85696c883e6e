import type {
  FileSearchResult,
  ResponseFileSearchCall,
  ResponsesRequest,
  ResponseWebSearchCall,
} from "@svc/sdk/protocol";
import { invariant } from "../../domain/invariant.ts";
import type { HostedCall, HostedOutcome, HostedPassage } from "./relay.ts";

/** A search as an item of an answer. */
export type SearchItem = ResponseWebSearchCall | ResponseFileSearchCall;

/** Results that an item contains besides the query. */
export interface ShownFindings {
  /** Addresses that a web search returned. */
  readonly sources: boolean;
  /** Passages that a file search returned. */
  readonly results: boolean;
}

/** Returns the results that a request asks for. */
export function shownFindings({ include }: Pick<ResponsesRequest, "include">): ShownFindings {
  return {
    sources: include?.includes("web_search_call.action.sources") === true,
    results: include?.includes("file_search_call.results") === true,
  };
}

/** Returns the item of a search; without an outcome it is in progress. */
export function searchItem(
  { id, type, query }: HostedCall,
  outcome: HostedOutcome | undefined,
  shown: ShownFindings,
): SearchItem {
  const status = outcome?.status ?? "in_progress";
  if (type === "web_search_preview") {
    const urls = shown.sources ? outcome?.urls : undefined;
    const sources = urls?.map((url) => ({ type: "url" as const, url }));
    const action = {
      type: "search" as const,
      query,
      ...(sources === undefined ? {} : { sources }),
    };
    return { type: "web_search_call", id, status, action };
  }
  const passages = shown.results ? outcome?.passages : undefined;
  const results = passages?.map(resultOf) ?? null;
  return { type: "file_search_call", id, status, queries: [query], results };
}

/** The searches of an answer, which are sent together at its end with all their results. */
export class SearchLog {
  readonly #searches = new Map<string, { call: HostedCall; outcome: HostedOutcome | undefined }>();

  /** Adds a search that begins. */
  begin(call: HostedCall): void {
    this.#searches.set(call.id, { call, outcome: undefined });
  }

  /** Notes the result of a search. */
  end({ id }: HostedCall, outcome: HostedOutcome): void {
    const search = this.#searches.get(id);
    invariant(
      search !== undefined && search.outcome === undefined,
      `Cannot end search "${id}": it is not in progress`,
    );
    search.outcome = outcome;
  }

  /** Returns their items, in the order in which they began; one without an end has failed. */
  items(): SearchItem[] {
    return [...this.#searches.values()].map(({ call, outcome }) =>
      searchItem(call, outcome ?? { status: "failed" }, { sources: true, results: true })
    );
  }
}

function resultOf(passage: HostedPassage): FileSearchResult {
  const { file_id, filename, score, text, attributes } = passage;
  return { file_id, filename, score, text, attributes: { ...attributes } };
}
