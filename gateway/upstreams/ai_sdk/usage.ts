import type { ChatUsage } from "@svc/sdk/protocol";
import type { JSONObject, LanguageModelV4Usage } from "@ai-sdk/provider";
import { cachedIn } from "../../wire/chat/usage.ts";

/** Translates usage to Chat; `undefined` where the provider reported none. */
export function chatUsage(
  { inputTokens, outputTokens, raw }: LanguageModelV4Usage,
): ChatUsage | undefined {
  const billed = billedUnits(raw);
  const prompt_tokens = billed?.input_tokens ?? inputTokens.total;
  const completion_tokens = billed?.output_tokens ?? outputTokens.total;
  if (prompt_tokens === undefined || completion_tokens === undefined) return undefined;
  const { reasoning } = outputTokens;
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: totalOf(raw) ?? prompt_tokens + completion_tokens,
    prompt_tokens_details: {
      cached_tokens: Math.max(inputTokens.cacheRead ?? 0, cachedOf(raw, prompt_tokens)),
      cache_write_tokens: inputTokens.cacheWrite ?? 0,
    },
    ...(reasoning === undefined
      ? {}
      : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

/**
 * Returns the billed tokens of Cohere, which bills less than its models read; the package passes
 * them on only in the raw usage.
 */
function billedUnits(
  raw: JSONObject | undefined,
): { readonly input_tokens: number; readonly output_tokens: number } | undefined {
  const { input_tokens, output_tokens } = Object(raw?.["billed_units"]);
  if (typeof input_tokens !== "number" || typeof output_tokens !== "number") return undefined;
  return { input_tokens, output_tokens };
}

/** Returns the provider's total: packages pass on only the completion, without tokens beside it. */
function totalOf(raw: JSONObject | undefined): number | undefined {
  const total = raw?.["total_tokens"];
  return typeof total === "number" ? total : undefined;
}

/** Returns the cached tokens that some packages pass on only in the raw usage. */
function cachedOf(raw: JSONObject | undefined, promptTokens: number): number {
  const cached = cachedIn(raw ?? {});
  return cached <= promptTokens ? cached : 0;
}
