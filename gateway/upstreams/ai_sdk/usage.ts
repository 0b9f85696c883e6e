import type { ChatUsage } from "@svc/sdk/protocol";
import type { JSONObject, LanguageModelV4Usage } from "@ai-sdk/provider";

/** Usage in Chat's shape; `undefined` where the provider reported none. */
export function chatUsage(
  { inputTokens, outputTokens, raw }: LanguageModelV4Usage,
): ChatUsage | undefined {
  const prompt_tokens = inputTokens.total;
  const completion_tokens = outputTokens.total;
  if (prompt_tokens === undefined || completion_tokens === undefined) return undefined;
  const { reasoning } = outputTokens;
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: {
      cached_tokens: inputTokens.cacheRead ?? cachedOf(raw, prompt_tokens),
      cache_write_tokens: inputTokens.cacheWrite ?? 0,
    },
    ...(reasoning === undefined
      ? {}
      : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

/** Cohere's package passes this on as it came only. */
function cachedOf(raw: JSONObject | undefined, promptTokens: number): number {
  const cached = raw?.["cached_tokens"];
  return typeof cached === "number" && cached <= promptTokens ? cached : 0;
}
