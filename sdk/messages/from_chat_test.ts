import { assertEquals } from "@std/assert";
import type { ChatTurn } from "../chat/shapes.ts";
import type {
  AssistantMessage,
  ChatChoice,
  ContentBlock,
  ServiceMetadata,
  ToolCall,
} from "../protocol/mod.ts";
import { addCounts } from "../run/counts.ts";
import { messageOf } from "./from_chat.ts";
import type { MessageCreateRequest } from "./shapes.ts";
import { messagesUsage, NO_MESSAGES_USAGE } from "./usage.ts";

const CALL: ToolCall = {
  id: "1",
  type: "function",
  function: { name: "f", arguments: "{}" },
};

/** A chat answer with this message and choice. */
function turnOf(
  message: Partial<AssistantMessage>,
  choice: Partial<ChatChoice> = {},
  rest: Readonly<Record<string, unknown>> = {},
): ChatTurn {
  return {
    ...{ id: "c", object: "chat.completion", created: 1, model: "m", requestId: "req-1" },
    choices: [{
      ...{ index: 0, finish_reason: "stop", logprobs: null },
      message: { role: "assistant", content: null, refusal: null, ...message },
      ...choice,
    }],
    ...rest,
  };
}

const read = (turn: ChatTurn, request: Partial<MessageCreateRequest> = {}) =>
  messageOf(turn, { request: { messages: [], ...request } });

/** Returns the end of the message of a turn. */
function endOf(turn: ChatTurn, request: Partial<MessageCreateRequest> = {}) {
  const { stop_reason, stop_sequence, stop_details } = read(turn, request);
  return [stop_reason, stop_sequence, stop_details?.explanation];
}

Deno.test("messageOf() keeps the service's words, and what it does not know", () => {
  const metadata: ServiceMetadata = JSON.parse('{"request_id":"req-1"}');
  const more = { metadata, system_fingerprint: "fp" };
  const turn = turnOf({ content: "Hi", annotations: [], audio: null }, {}, more);
  assertEquals(read(turn), {
    ...{ id: "c", type: "message", role: "assistant", model: "m", requestId: "req-1" },
    content: [{ type: "text", text: "Hi", citations: null }],
    ...{ stop_reason: "end_turn", stop_sequence: null, stop_details: null },
    ...{ container: null, diagnostics: null, usage: NO_MESSAGES_USAGE },
    ...{ metadata, system_fingerprint: "fp", annotations: [] },
  });
});

Deno.test("messageOf() reads reasoning by both its names, and text in parts", () => {
  const thinking: ContentBlock = { type: "thinking", thinking: "Hm", signature: "" };
  const text: ContentBlock = { type: "text", text: "Hi you", citations: null };
  const parts = [{ type: "text", text: "Hi" }, { type: "x" }, { type: "text", text: " you" }];
  // Some upstreams answer in parts, whatever the type says.
  const content: string = JSON.parse(JSON.stringify(parts));
  assertEquals(read(turnOf({ content, reasoning: "Hm" })).content, [thinking, text]);
  assertEquals(read(turnOf({ content, reasoning_content: "Hm" })).content, [thinking, text]);
});

Deno.test("thinking has the signature of the call that follows it", () => {
  const signed = (thoughts: readonly object[]) => ({
    tool_calls: [{ ...CALL, extra_content: { anthropic: { thinking: thoughts } } }],
  });
  const thought: ContentBlock = { type: "thinking", thinking: "Hm", signature: "S" };
  const [first] = read(turnOf({ reasoning_content: "Hm", ...signed([thought]) })).content;
  assertEquals(first, thought);
  const others = [[{ ...thought, thinking: "Another" }], [thought, thought], [{
    ...thought,
    signature: 1,
  }]];
  for (const thoughts of others) {
    const [first] = read(turnOf({ reasoning_content: "Hm", ...signed(thoughts) })).content;
    assertEquals(first, { ...thought, signature: "" });
  }
  const hidden = { type: "redacted_thinking", data: "R" };
  const { content } = read(turnOf({ content: "Hi", ...signed([hidden, {}]) }));
  assertEquals(content.map(({ type }) => type), ["text", "redacted_thinking", "tool_use"]);
});

Deno.test("an answer's end in Anthropic's words", () => {
  assertEquals(endOf(turnOf({ content: "Hi" })), ["end_turn", null, undefined]);
  assertEquals(endOf(turnOf({}, { finish_reason: "length" }))[0], "max_tokens");
  assertEquals(endOf(turnOf({ tool_calls: [CALL] }))[0], "tool_use");
  assertEquals(endOf(turnOf({ tool_calls: [CALL] }, { finish_reason: "length" }))[0], "max_tokens");
  assertEquals(endOf(turnOf({}, { finish_reason: "content_filter" })), ["refusal", null, null]);
  assertEquals(endOf(turnOf({ refusal: "No" })), ["refusal", null, "No"]);
  assertEquals(endOf({ ...turnOf({}), choices: [] })[0], null);
  assertEquals(read({ ...turnOf({}), choices: [] }).content, []);
});

Deno.test("a stop sequence is named if the answer states it", () => {
  const request = { stop_sequences: ["END", "STOP"] };
  for (const named of [{ stop_reason: "STOP" }, { matched_stop: "STOP" }]) {
    assertEquals(endOf(turnOf({}, named), request).slice(0, 2), ["stop_sequence", "STOP"]);
    assertEquals(endOf(turnOf({}, named)).slice(0, 2), ["end_turn", null]);
  }
  assertEquals(endOf(turnOf({}, { stop_reason: 7 }), request)[0], "end_turn");
});

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
