import type { ResponseLogprob, ResponsesRequest, ResponseToken } from "@svc/sdk/protocol";

import type { CharBudget } from "../text/char_budget.ts";

const encoder = new TextEncoder();

/** Value of `include` that requests log probabilities. */
export const LOGPROBS_INCLUDE = "message.output_text.logprobs";

/** True when a request asks for the log probabilities of its answer. */
export function wantsLogprobs(request: Pick<ResponsesRequest, "include">): boolean {
  const most = (request as ResponsesRequest)["top_logprobs"];
  return request.include?.includes(LOGPROBS_INCLUDE) === true || Number(most ?? 0) > 0;
}

/** Converts the log probabilities of a choice of Chat Completions, or of a chunk, to Responses. */
export function logprobsOf(written: unknown): ResponseLogprob[] {
  return listOf(Object(written)["content"]).map((token) => ({
    ...tokenOf(token),
    top_logprobs: listOf(token["top_logprobs"]).map(tokenOf),
  }));
}

/** The log probabilities of a stream's chunks, where its request asks for them. */
export class StreamedLogprobs {
  readonly #isAsked: boolean;
  readonly #budget: CharBudget;

  constructor(request: ResponsesRequest, budget: CharBudget) {
    this.#isAsked = wantsLogprobs(request);
    this.#budget = budget;
  }

  /** Returns those of a chunk. Throws an `UpstreamCut` when the answer becomes too long. */
  of(written: unknown): readonly ResponseLogprob[] | undefined {
    if (!this.#isAsked) return undefined;
    const logprobs = logprobsOf(written);
    this.#budget.add(JSON.stringify(logprobs).length);
    return logprobs;
  }
}

function tokenOf({ token, bytes, logprob }: Readonly<Record<string, unknown>>): ResponseToken {
  const text = typeof token === "string" ? token : "";
  const isWhole = Array.isArray(bytes) && bytes.every((byte) => Number.isInteger(byte));
  return {
    token: text,
    bytes: isWhole ? bytes : [...encoder.encode(text)],
    // For a value that JSON cannot express, such as minus infinity, OpenAI's servers send this.
    logprob: typeof logprob === "number" ? logprob : -9_999,
  };
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(value)) return [];
  return value.filter((element) => typeof element === "object" && element !== null);
}
