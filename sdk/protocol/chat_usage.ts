/**
 * Token counts of Chat Completions.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/** Kinds of prompt tokens. */
export interface PromptTokensDetails extends Extensible {
  /** Read from the provider's cache, usually at a lower price. */
  cached_tokens?: number;
  /** Written to the provider's cache. */
  cache_write_tokens?: number;
}

/** Kinds of completion tokens. */
export interface CompletionTokensDetails extends Extensible {
  /** Spent on reasoning that the answer does not show. */
  reasoning_tokens?: number;
}

/** Token counts as OpenAI reports them. */
export interface ChatUsage extends Extensible {
  /** Input, cached tokens included. */
  prompt_tokens: number;
  /** Output of all choices, reasoning included. */
  completion_tokens: number;
  /** Sum of the two. */
  total_tokens: number;
  /** Absent where the upstream does not say. */
  prompt_tokens_details?: PromptTokensDetails;
  /** Absent where the upstream does not say. */
  completion_tokens_details?: CompletionTokensDetails;
}
