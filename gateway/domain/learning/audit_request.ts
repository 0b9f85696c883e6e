/**
 * The requests that audits may repeat.
 *
 * @module
 */

import type { RequestFeatures } from "../requests/features.ts";

/** Members of a chat request that an audit sends. */
const SENT: ReadonlySet<string> = new Set([
  ...["model", "messages", "tools", "tool_choice", "parallel_tool_calls", "response_format"],
  ...["n", "best_of", "max_completion_tokens", "max_tokens", "stop", "temperature", "top_p"],
  ...["top_k", "min_p", "frequency_penalty", "presence_penalty", "seed", "logit_bias"],
  ...["reasoning_effort", "verbosity"],
]);
/**
 * Members without an effect on the answer, which an audit leaves out: they name the end user, choose
 * the form or the speed of the answer, or have the provider store it.
 */
const OMITTED: ReadonlySet<string> = new Set([
  ...["stream", "stream_options", "user", "safety_identifier", "metadata", "store"],
  ...["prompt_cache_key", "prompt_cache_retention", "service_tier", "logprobs", "top_logprobs"],
]);
/** Needs of requests that hold images, recordings or files. */
const MEDIA: readonly string[] = ["vision", "audio", "files"];

/**
 * True when an audit may repeat a request. It may not repeat several choices, hosted tools, images
 * and other media, nor members that the gateway does not know: with some of them a provider searches
 * or runs code.
 */
export function isAuditable(
  value: Readonly<Record<string, unknown>>,
  { choices, hostedTools, needs }: Pick<RequestFeatures, "choices" | "hostedTools" | "needs">,
): boolean {
  if (choices > 1 || hostedTools.length > 0) return false;
  if (needs.some((need) => MEDIA.includes(need))) return false;
  return Object.keys(value).every((name) => SENT.has(name) || OMITTED.has(name));
}

/** Returns the request as an audit sends it. */
export function auditedRequest(
  value: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => SENT.has(name)));
}
