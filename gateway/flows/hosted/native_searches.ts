/**
 * Searches of the web that an upstream runs itself, in the course of its answer.
 *
 * @module
 */

import type { ResponsesRequest } from "@svc/sdk/protocol";
import type { Model } from "../../domain/catalog/catalog.ts";
import { invariant } from "../../domain/invariant.ts";
import type { Micros } from "../../domain/ledger/money.ts";
import { feeOf } from "../../domain/ledger/pricing.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { editMembers } from "../../wire/json/text.ts";
import { isWebSearch } from "../../wire/responses/native.ts";

/** Most searches in one answer where the caller sets no limit: the hold pays for all of them. */
export const NATIVE_SEARCHES_MAX = 8;

/**
 * OpenAI's list prices in dollars for a call, beside the tokens of what it brings ("Built-in tools" of
 * https://platform.openai.com/docs/pricing): 25 for 1000 calls of the preview tool by a model that
 * does not reason, where what is found costs no tokens, else 10.
 */
const PREVIEW_DOLLARS = "0.025";
const DOLLARS = "0.01";

/** The request with a limit to its searches. */
export function withSearchLimit(body: JsonBody): JsonBody {
  if (typeof body.value["max_tool_calls"] === "number") return body;
  const text = editMembers(body.text, { max_tool_calls: `${NATIVE_SEARCHES_MAX}` });
  return { text, value: { ...body.value, max_tool_calls: NATIVE_SEARCHES_MAX } };
}

/** Most that the searches of a request cost. */
export function searchesHold(request: ResponsesRequest, price: SearchPrice): Micros {
  const most = request.max_tool_calls ?? NATIVE_SEARCHES_MAX;
  return BigInt(most) * searchFee(request, price);
}

/** Who searches, and at which rate. */
export interface SearchPrice {
  readonly model: Model;
  readonly creditsPerUsd: string;
}

/** What one search costs. */
export function searchFee(request: ResponsesRequest, price: SearchPrice): Micros {
  const { model, creditsPerUsd } = price;
  const isPreview = (request.tools ?? []).some(({ type }) => type.startsWith("web_search_preview"));
  const reasons = model.featureTags.includes("reasoning");
  const listed = isPreview && !reasons ? PREVIEW_DOLLARS : DOLLARS;
  const dollars = model.price.perWebSearch ?? listed;
  const fee = feeOf(dollars, creditsPerUsd);
  invariant(fee !== undefined, `Cannot read "${dollars}" dollars at a rate of "${creditsPerUsd}"`);
  return fee;
}

/** How many searches an answer's items tell of. */
export function countSearches(output: unknown): number {
  return Array.isArray(output) ? output.filter(isWebSearch).length : 0;
}
