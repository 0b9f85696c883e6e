import { assertEquals } from "@std/assert";
import type { ServiceMetadata } from "../protocol/mod.ts";
import { addCounts } from "../run/counts.ts";
import { messagesUsage, NO_MESSAGES_USAGE } from "./usage.ts";

Deno.test("Anthropic's input is without what the cache held or was given", () => {
  const usage = {
    ...{ prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 },
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
    completion_tokens_details: { reasoning_tokens: 5 },
  };
  const counted = messagesUsage(usage, undefined);
  assertEquals(counted, {
    ...NO_MESSAGES_USAGE,
    ...{ input_tokens: 10, cache_read_input_tokens: 60, cache_creation_input_tokens: 30 },
    ...{ output_tokens: 7, output_tokens_details: { thinking_tokens: 5 } },
  });
  const billed: ServiceMetadata = JSON.parse(
    '{"billing":{"cache_write_input_tokens":4},' +
      '"hosted_tools":[{"type":"web_search_call"},{"type":"file_search_call"}]}',
  );
  const unknown = JSON.parse('{"cached_tokens":null,"reasoning_tokens":null}');
  const details = { prompt_tokens_details: unknown, completion_tokens_details: unknown };
  assertEquals(
    messagesUsage(
      { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, ...details },
      undefined,
    ),
    { ...NO_MESSAGES_USAGE, input_tokens: 1, output_tokens: 2 },
  );
  const plain = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
  const searched = messagesUsage(plain, billed);
  assertEquals([searched.input_tokens, searched.cache_creation_input_tokens], [6, 4]);
  assertEquals(searched.server_tool_use, { web_search_requests: 1, web_fetch_requests: 0 });
  assertEquals(addCounts([counted, searched]), {
    ...NO_MESSAGES_USAGE,
    ...{ input_tokens: 16, cache_read_input_tokens: 60, cache_creation_input_tokens: 34 },
    ...{ output_tokens: 8, output_tokens_details: { thinking_tokens: 5 } },
    server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
  });
  assertEquals(addCounts([NO_MESSAGES_USAGE, NO_MESSAGES_USAGE]), NO_MESSAGES_USAGE);
});
