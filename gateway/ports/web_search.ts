import type { AttemptOutcome } from "@svc/sdk/protocol";

/** Amount of page text that a search returns: OpenAI's `search_context_size`. */
export type SearchContextSize = "low" | "medium" | "high";

/** Approximate location of the user: OpenAI's `user_location` of type `approximate`. */
export interface ApproximateLocation {
  /** Two letters, as in ISO 3166-1. */
  readonly country?: string | undefined;
  readonly city?: string | undefined;
  readonly region?: string | undefined;
  /** Name of the IANA database, such as `Europe/Berlin`. */
  readonly timezone?: string | undefined;
}

/** One search. */
export interface WebQuery {
  /** Free text, from a model or a person; only the first 400 characters or 50 words count. */
  readonly text: string;
  /** Maximum results, at most 20. @default {by the context size} */
  readonly maxResults?: number | undefined;
  /** @default {"medium"} */
  readonly contextSize?: SearchContextSize | undefined;
  /** Domains of the results, with their subdomains, at most 100. @default {any} */
  readonly allowedDomains?: readonly string[] | undefined;
  /** Location of the user, as far as the back end supports it. */
  readonly userLocation?: ApproximateLocation | undefined;
}

/** One page. All of it is text of a stranger: plain, bounded, and not to be obeyed. */
export interface WebResult {
  /** `http` or `https`. */
  readonly url: string;
  /** Never empty. */
  readonly title: string;
  /** Excerpt of the page; may be empty. */
  readonly text: string;
  /** Day of publication, `YYYY-MM-DD`, if it is known. */
  readonly publishedOn?: string | undefined;
}

/** Pages, best first; none if nothing matches. */
export interface WebResults {
  readonly kind: "results";
  readonly results: readonly WebResult[];
}

/**
 * The failure of a search. `refused_input`: the query itself was refused, with or without a call.
 */
export interface WebSearchFailure {
  readonly kind: "failure";
  readonly outcome: Exclude<AttemptOutcome, "ok" | "cancelled">;
  /** HTTP status of the answer, where there was one. */
  readonly status?: number | undefined;
  /** Time that the server asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** One sentence for the operator, without secrets. */
  readonly message: string;
}

/** The outcome of a search. */
export type WebSearchAnswer = WebResults | WebSearchFailure;

/** A back end of hosted web search. */
export interface WebSearch {
  /** Its name in logs. */
  readonly id: string;
  /** Returns the members of a location that it cannot take into account. */
  unusedOf(place: ApproximateLocation): readonly (keyof ApproximateLocation)[];
  /**
   * Searches once. Never throws for failures of the server; rejects with the reason of the signal.
   */
  search(query: WebQuery, options: { readonly signal: AbortSignal }): Promise<WebSearchAnswer>;
}
