/**
 * Searches of the web that an upstream runs itself, in the course of its answer.
 *
 * @module
 */

import type { ResponsesRequest } from "@svc/sdk/protocol";
import { invariant } from "../../domain/invariant.ts";
import type { Micros } from "../../domain/money.ts";
import { feeOf } from "../../domain/pricing.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { editMembers } from "../../wire/json_text.ts";
import { isWebSearch } from "../../wire/responses/native.ts";

/** Most searches in one answer where the caller sets no limit: the hold pays for all of them. */
export const NATIVE_SEARCHES_MAX = 8;

/**
 * Dollars for a search, beside the tokens of what it brings: OpenAI's list price of 10 dollars for
 * 1000 calls (https://platform.openai.com/docs/pricing, "Built-in tools").
 */
const DOLLARS_PER_SEARCH = "0.01";

/** The request with a limit to its searches. */
export function withSearchLimit(body: JsonBody): JsonBody {
  const { max_tool_calls: limit } = body.value as unknown as ResponsesRequest;
  if (typeof limit === "number") return body;
  const text = editMembers(body.text, { max_tool_calls: `${NATIVE_SEARCHES_MAX}` });
  return { text, value: { ...body.value, max_tool_calls: NATIVE_SEARCHES_MAX } };
}

/** Most that the searches of a request cost. */
export function searchesHold(request: ResponsesRequest, creditsPerUsd: string): Micros {
  const most = request.max_tool_calls ?? NATIVE_SEARCHES_MAX;
  return BigInt(most) * searchFee(creditsPerUsd);
}

/** What one search costs. */
export function searchFee(creditsPerUsd: string): Micros {
  const fee = feeOf(DOLLARS_PER_SEARCH, creditsPerUsd);
  invariant(fee !== undefined, `Cannot read the rate "${creditsPerUsd}" of a tier in force`);
  return fee;
}

/** How many searches an answer's items tell of. */
export function countSearches(output: unknown): number {
  return Array.isArray(output) ? output.filter(isWebSearch).length : 0;
}
