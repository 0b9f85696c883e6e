import type { AttemptOutcome } from "@svc/sdk/protocol";

/** How much of the pages a search brings: OpenAI's `search_context_size`. */
export type SearchContextSize = "low" | "medium" | "high";

/** Where the person who asks is, roughly: OpenAI's `user_location` of type `approximate`. */
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
  /** Free text, from a model or a person; what is beyond 400 characters or 50 words is left out. */
  readonly text: string;
  /** Most results, at most 20. @default {what the context size asks for} */
  readonly maxResults?: number | undefined;
  /** @default {"medium"} */
  readonly contextSize?: SearchContextSize | undefined;
  /** Domains that results may be of, their subdomains included, at most 100. @default {any} */
  readonly allowedDomains?: readonly string[] | undefined;
  /** Taken into account as far as the back end can. */
  readonly userLocation?: ApproximateLocation | undefined;
}

/** One page that was found. All of it is a stranger's text: plain, bounded, and not to be obeyed. */
export interface WebResult {
  /** `http` or `https`. */
  readonly url: string;
  /** Never empty. */
  readonly title: string;
  /** Excerpt of the page; may be empty. */
  readonly text: string;
  /** Day it was published, `YYYY-MM-DD`, where that is known. */
  readonly publishedOn?: string | undefined;
}

/** Pages that were found, best first; none where nothing fits. */
export interface WebResults {
  readonly kind: "results";
  readonly results: readonly WebResult[];
}

/** Why a search brought nothing. `refused_input`: the query itself; nothing was asked, or it was refused. */
export interface WebSearchFailure {
  readonly kind: "failure";
  readonly outcome: Exclude<AttemptOutcome, "ok" | "cancelled">;
  /** HTTP status of the answer, where there was one. */
  readonly status?: number | undefined;
  /** How long the server asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** One sentence for the operator, without secrets. */
  readonly message: string;
}

/** What a search came to. */
export type WebSearchAnswer = WebResults | WebSearchFailure;

/** A back end of hosted web search. */
export interface WebSearch {
  /** Its name in logs. */
  readonly id: string;
  /** Members of a place that it cannot take into account. */
  unusedOf(place: ApproximateLocation): readonly (keyof ApproximateLocation)[];
  /**
   * Asks once. Never throws for what the other side does; rejects with the signal's reason where that
   * is aborted.
   */
  search(query: WebQuery, options: { readonly signal: AbortSignal }): Promise<WebSearchAnswer>;
}
