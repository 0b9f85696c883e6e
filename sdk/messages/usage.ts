import type { ChatUsage, MessagesUsage, ServiceMetadata } from "../protocol/mod.ts";

/** Zero usage. */
export const NO_MESSAGES_USAGE: MessagesUsage = {
  input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation: null,
  output_tokens: 0,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: null,
  inference_geo: null,
  speed: null,
};

/**
 * Converts Chat's counts to Anthropic's: its input excludes tokens read from and written to the
 * cache.
 */
export function messagesUsage(
  usage: ChatUsage | undefined,
  metadata: ServiceMetadata | undefined,
): MessagesUsage {
  const { cached_tokens, cache_write_tokens } = usage?.prompt_tokens_details ?? {};
  const read = cached_tokens ?? 0;
  const written = cache_write_tokens ?? metadata?.billing?.cache_write_input_tokens ?? 0;
  const thinking_tokens = usage?.completion_tokens_details?.reasoning_tokens ?? undefined;
  const hosted = Array.isArray(metadata?.hosted_tools) ? metadata.hosted_tools : [];
  const searches = hosted.filter((one) => one?.type === "web_search_call");
  return {
    ...NO_MESSAGES_USAGE,
    input_tokens: Math.max(0, (usage?.prompt_tokens ?? 0) - read - written),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: usage?.completion_tokens ?? 0,
    output_tokens_details: thinking_tokens === undefined ? null : { thinking_tokens },
    server_tool_use: searches.length === 0
      ? null
      : { web_search_requests: searches.length, web_fetch_requests: 0 },
  };
}
