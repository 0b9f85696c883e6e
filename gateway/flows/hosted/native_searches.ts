/**
 * Web searches that an upstream runs itself during its answer.
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

/** Maximum searches in one answer if the caller sets no limit: the hold pays for all of them. */
export const NATIVE_SEARCHES_MAX = 8;

/**
 * OpenAI's list prices in dollars per call, without the tokens of the results ("Built-in tools" of
 * https://platform.openai.com/docs/pricing): 25 for 1000 calls of the preview tool by a model that
 * does not reason, whose results cost no tokens, else 10.
 */
const PREVIEW_DOLLARS = "0.025";
const DOLLARS = "0.01";

/** Returns the request with a limit for its searches. */
export function withSearchLimit(body: JsonBody): JsonBody {
  if (typeof body.value["max_tool_calls"] === "number") return body;
  const text = editMembers(body.text, { max_tool_calls: `${NATIVE_SEARCHES_MAX}` });
  return { text, value: { ...body.value, max_tool_calls: NATIVE_SEARCHES_MAX } };
}

/** Returns the maximum cost of the searches of a request. */
export function searchesHold(request: ResponsesRequest, price: SearchPrice): Micros {
  const most = request.max_tool_calls ?? NATIVE_SEARCHES_MAX;
  return BigInt(most) * searchFee(request, price);
}

/** The model that searches, and the exchange rate. */
export interface SearchPrice {
  readonly model: Model;
  readonly creditsPerUsd: string;
}

/** Returns the cost of one search. */
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

/** Counts the searches among the items of an answer. */
export function countSearches(output: unknown): number {
  return Array.isArray(output) ? output.filter(isWebSearch).length : 0;
}
