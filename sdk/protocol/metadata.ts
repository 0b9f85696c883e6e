/**
 * Metadata of a call: its route and its bill.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type { ResponseFileSearchCall, ResponseWebSearchCall } from "./responses_output.ts";

/** The only model name a caller may send (specification, section 2.1). */
export const MODEL_AUTO = "auto";

/** The task id that marks the final answer of an orchestrated request. */
export const ORCHESTRATION_FINAL_TASK_ID = "final";

/** Outcome of one attempt at an upstream. */
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

/** One attempt at one upstream model. */
export interface RoutingAttempt {
  /** Catalog id of the model. */
  model: string;
  /** Provider that served it. */
  provider: string;
  /** Outcome of the attempt. */
  outcome: AttemptOutcome;
  /** HTTP status of the upstream's answer, where there was one. */
  status?: number;
  /** Duration in milliseconds: to the whole answer, or to the first byte of a stream. */
  ms: number;
}

/** Why a model was chosen. */
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
  /** Position of the dial between cost (0) and quality (1). */
  dial?: number;
  /**
   * Why the first model was chosen: for its value, because it answered the conversation last, to
   * learn about it, or as part of a verified answer.
   */
  plan?: "value" | "conversation" | "exploration" | "verified";
  /** Estimated probability that a typical model does not answer the request well, 0 to 1. */
  difficulty?: number;
  /** Estimated probability that the model answers the request well, 0 to 1. */
  p?: number;
  /** Standard error of `p`. */
  p_error?: number;
  /** Outcomes of the model at the task that `p` rests on, beside its quality in the catalog. */
  outcomes?: number;
  /** Number of the snapshot of statistics that decided; 0 before the first. */
  snapshot?: number;
  /** Fingerprint of the task that the request belongs to. */
  task?: string;
  /** Every attempt, in order; the last one answered. */
  attempts: RoutingAttempt[];
  /** Output limit that was sent in place of the caller's, or of none, in tokens; `reason` says why. */
  output_limit?: number;
  /** Parts of the request that no upstream supports and that were left out, one line each. */
  not_carried?: string[];
  /**
   * Why the request was split into tasks, or how its answer was verified; or why it was not although
   * it was to be: one sentence, or two.
   */
  orchestration?: string;
}

/** The bill of a call. */
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

/** Carried by every model response, and by the last chunk or event of every stream. */
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
