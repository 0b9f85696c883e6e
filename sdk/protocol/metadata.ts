/**
 * What the service says about a call besides the answer: its route and its bill.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type { ResponseFileSearchCall, ResponseWebSearchCall } from "./responses_output.ts";

/**
 * The only model name a caller may send (specification, section 2.1).
 *
 * @example
 * ```ts
 * import { MODEL_AUTO } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const body = JSON.stringify({ model: MODEL_AUTO, input: "Hello" });
 * assertEquals(body, '{"model":"auto","input":"Hello"}');
 * ```
 */
export const MODEL_AUTO = "auto";

/**
 * The task id that marks the final answer of an orchestrated request.
 *
 * @example Only the reply of a stream
 * ```ts
 * import { type ChatCompletionChunk, ORCHESTRATION_FINAL_TASK_ID } from "@svc/sdk/protocol";
 * import { assert } from "@std/assert";
 *
 * function isReply({ orchestration }: Pick<ChatCompletionChunk, "orchestration">): boolean {
 *   return orchestration === undefined || orchestration.task_id === ORCHESTRATION_FINAL_TASK_ID;
 * }
 * assert(isReply({}));
 * assert(!isReply({ orchestration: { task_id: "prices" } }));
 * ```
 */
export const ORCHESTRATION_FINAL_TASK_ID = "final";

/**
 * How one attempt at an upstream ended.
 *
 * @example
 * ```ts
 * import type { AttemptOutcome } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const outcomes: AttemptOutcome[] = ["rate_limited", "ok"];
 * assertEquals(outcomes.indexOf("ok"), 1, "The second model answered");
 * ```
 */
export type AttemptOutcome =
  | "ok"
  | "connect_failed"
  | "timeout"
  | "rate_limited"
  | "refused_credentials"
  | "refused_input"
  | "server_error"
  | "malformed"
  | "cut"
  | "cancelled";

/**
 * One attempt at one upstream model.
 *
 * @example
 * ```ts
 * import type { RoutingAttempt } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const attempts: RoutingAttempt[] = [
 *   { model: "fast-mini", provider: "openai", outcome: "rate_limited", status: 429, ms: 80 },
 *   { model: "lite", provider: "google", outcome: "ok", status: 200, ms: 412 },
 * ];
 * assertEquals(attempts.reduce((sum, { ms }) => sum + ms, 0), 492);
 * ```
 */
export interface RoutingAttempt {
  /** Catalog id of the model. */
  model: string;
  /** Provider that served it. */
  provider: string;
  /** How the attempt ended. */
  outcome: AttemptOutcome;
  /** HTTP status of the upstream's answer, where there was one. */
  status?: number;
  /** Duration in milliseconds: to the whole answer, or to the first byte of a stream. */
  ms: number;
}

/**
 * Why a model was chosen.
 *
 * @example
 * ```ts
 * import type { RoutingMetadata } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const routing: RoutingMetadata = {
 *   model: "fast-mini",
 *   provider: "openai",
 *   tier: "standard",
 *   considered: 7,
 *   reason: "The cheapest that calls tools",
 *   attempts: [{ model: "fast-mini", provider: "openai", outcome: "ok", status: 200, ms: 412 }],
 * };
 * assertEquals(routing.attempts.at(-1)?.model, routing.model);
 * ```
 */
export interface RoutingMetadata extends Extensible {
  /** Catalog id of the model that answered. */
  model: string;
  /** Provider that served it. */
  provider: string;
  /** Tier the request was served in. */
  tier: string;
  /** One sentence: why this model. */
  reason: string;
  /** Number of models in the catalog that were looked at. */
  considered: number;
  /** Every attempt, in order; the last one answered. */
  attempts: RoutingAttempt[];
  /** Output limit that was sent in place of the caller's, or of none, in tokens; `reason` says why. */
  output_limit?: number;
  /** What of the request was left out because nobody has a place for it, a line each. */
  not_carried?: string[];
  /** Why the request was split into tasks, or was not although it was to be: one sentence. */
  orchestration?: string;
}

/**
 * What the call cost.
 *
 * @example
 * ```ts
 * import type { BillingMetadata } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const billing: BillingMetadata = {
 *   currency: "credits",
 *   charged: "0.412000",
 *   estimated: false,
 *   price_version: 17,
 *   input_tokens: 12,
 *   cached_input_tokens: 0,
 *   output_tokens: 30,
 *   total_tokens: 42,
 * };
 * assertEquals(`${Number(billing.charged)} ${billing.currency}`, "0.412 credits");
 * ```
 */
export interface BillingMetadata extends Extensible {
  /** Always `credits`. */
  currency: "credits";
  /** Decimal string with six places, for instance `0.412000`. */
  charged: string;
  /** Prompt tokens, cached ones included. */
  input_tokens: number;
  /** Prompt tokens read from the provider's cache. */
  cached_input_tokens: number;
  /** Prompt tokens written into the provider's cache; absent where there are none. */
  cache_write_input_tokens?: number;
  /** Completion tokens, reasoning included. */
  output_tokens: number;
  /** Sum of input and output tokens. */
  total_tokens: number;
  /** True where the upstream reported no usage and the tokens were counted here. */
  estimated: boolean;
  /** Catalog version whose prices were used. */
  price_version: number;
}

/**
 * Carried by every model response, and by the last chunk or event of every stream.
 *
 * @example
 * ```ts
 * import type { ServiceMetadata } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const metadata: ServiceMetadata = {
 *   request_id: "req_1",
 *   routing: {
 *     model: "fast-mini",
 *     provider: "openai",
 *     tier: "standard",
 *     considered: 7,
 *     reason: "The cheapest that calls tools",
 *     attempts: [],
 *   },
 * };
 * // Nothing was served, so there is no bill.
 * assertEquals([metadata.request_id, metadata.billing], ["req_1", undefined]);
 * ```
 */
export interface ServiceMetadata extends Extensible {
  /** The caller's `X-Request-ID`, or one made by the gateway. */
  request_id: string;
  /** The route taken. */
  routing: RoutingMetadata;
  /** The bill; absent where nothing was billed because nothing was served. */
  billing?: BillingMetadata;
  /**
   * Searches that the service ran for a Chat Completions answer, in their order, with what they found;
   * absent where it ran none. Responses has them as items of its output.
   */
  hosted_tools?: (ResponseWebSearchCall | ResponseFileSearchCall)[];
}
