import { assertEquals, assertThrows } from "@std/assert";
import { ConfigurationError } from "../errors.ts";
import type { ContentBlockParam, MessageParam } from "../protocol/mod.ts";
import type { MessageCreateRequest } from "./shapes.ts";
import { chatRequestOf } from "./to_chat.ts";

const HELLO: MessageParam = { role: "user", content: "Hello" };
const IMAGE = { type: "base64", media_type: "image/png", data: "AAAA" };
const IMAGE_PART = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
const CACHED = { cache_control: { type: "ephemeral" as const } };

/** The chat messages of these. */
function chatMessagesOf(...messages: MessageParam[]) {
  return chatRequestOf({ messages }).messages;
}

/** The chat message of a user's blocks. */
function saidBy(...content: ContentBlockParam[]) {
  return chatMessagesOf({ role: "user", content });
}

/** Untyped callers can say what the types forbid. */
function untyped<T>(value: unknown): T {
  return JSON.parse(JSON.stringify(value));
}

Deno.test("chatRequestOf() translates each field, and lets the unknown through", () => {
  const chat = chatRequestOf({
    model: "auto",
    max_tokens: 100,
    system: "Be brief",
    messages: [HELLO],
    stop_sequences: ["END"],
    temperature: 0,
    top_p: 0.5,
    top_k: 40,
    metadata: { user_id: "u-1" },
    service_tier: "standard_only",
    thinking: { type: "enabled", budget_tokens: 5_000 },
    output_config: { format: { type: "json_schema", schema: { type: "object" } } },
    cache_control: { type: "ephemeral" },
    unheard_of: { a: 1 },
  });
  assertEquals(chat, {
    model: "auto",
    max_completion_tokens: 100,
    messages: [{ role: "system", content: "Be brief" }, { role: "user", content: "Hello" }],
    stop: ["END"],
    temperature: 0,
    top_p: 0.5,
    extra_content: { anthropic: { top_k: 40 } },
    user: "u-1",
    service_tier: "default",
    reasoning_effort: "medium",
    response_format: {
      type: "json_schema",
      json_schema: { name: "answer", schema: { type: "object" }, strict: true },
    },
    cache_control: { type: "ephemeral" },
    unheard_of: { a: 1 },
  });
});

Deno.test("the older name of a format is understood", () => {
  const format = { type: "json_schema" as const, schema: { type: "object" } };
  const older = chatRequestOf({ messages: [], output_format: format });
  assertEquals(older, chatRequestOf({ messages: [], output_config: { format } }));
  assertEquals(chatRequestOf({ messages: [], output_format: null }), { messages: [] });
});

Deno.test("chatRequestOf() sends nothing that was not requested", () => {
  assertEquals(chatRequestOf({ messages: [HELLO] }), { messages: [HELLO] });
  const idle = { ...{ tools: null, tool_choice: null, container: null, speed: null } };
  const request = { messages: [HELLO], system: [], metadata: { user_id: null }, ...idle };
  assertEquals(chatRequestOf(request), { messages: [HELLO] });
});

Deno.test("thinking becomes an effort", () => {
  const effortOf = (request: Partial<MessageCreateRequest>) =>
    chatRequestOf({ messages: [], ...request })["reasoning_effort"];
  const thinking = (budget_tokens: number) => ({ thinking: { type: "enabled", budget_tokens } });
  assertEquals([1_024, 4_096, 16_384].map((budget) => effortOf(thinking(budget))), [
    ...["low", "medium", "high"],
  ]);
  assertEquals(effortOf({ thinking: { type: "disabled" } }), "none");
  assertEquals(effortOf({ thinking: { type: "adaptive" } }), undefined);
  assertEquals(effortOf({ output_config: { effort: "low" } }), "low");
  assertEquals(effortOf({ ...thinking(1_024), output_config: { effort: "max" } }), "xhigh");
});

Deno.test("tool_choice and the number of calls", () => {
  const choiceOf = (tool_choice: MessageCreateRequest["tool_choice"]) => {
    const tools = [{ type: "web_search_20250305", name: "web_search" }];
    const chat = chatRequestOf({ messages: [], tools, tool_choice: tool_choice ?? null });
    return [chat.tool_choice, chat.parallel_tool_calls];
  };
  assertEquals(choiceOf({ type: "auto" }), ["auto", undefined]);
  assertEquals(choiceOf({ type: "none" }), ["none", undefined]);
  assertEquals(choiceOf({ type: "any", disable_parallel_tool_use: true }), ["required", false]);
  const named = { type: "function", function: { name: "f" } };
  assertEquals(choiceOf({ type: "tool", name: "f" }), [named, undefined]);
  assertEquals(choiceOf({ type: "tool", name: "web_search", disable_parallel_tool_use: false }), [
    { type: "web_search_preview" },
    undefined,
  ]);
});

Deno.test("hosted search is sent under the service's name, for any version", () => {
  const tools = [
    {
      ...{ type: "web_search_20250305", name: "web_search", max_uses: 3 },
      ...{ allowed_domains: ["a.example"], user_location: { type: "approximate", city: "Bern" } },
    },
    { type: "web_search_20260318", name: "web_search", allowed_domains: null },
    { type: "file_search", vector_store_ids: ["vs_1"] },
  ];
  assertEquals(chatRequestOf({ messages: [], tools }).tools, [
    {
      ...{ type: "web_search_preview", max_uses: 3, filters: { allowed_domains: ["a.example"] } },
      ...{ user_location: { type: "approximate", city: "Bern" } },
    },
    { type: "web_search_preview" },
    { type: "file_search", vector_store_ids: ["vs_1"] },
  ]);
  assertEquals(chatRequestOf({ messages: [], tools: [] }).tools, []);
});

Deno.test("a user's text, images and documents become parts", () => {
  assertEquals(saidBy({ type: "text", text: "Hi" }), [{ role: "user", content: "Hi" }]);
  assertEquals(
    saidBy(
      { type: "text", text: "See", citations: null, ...CACHED },
      { type: "image", source: IMAGE },
      { type: "image", source: { type: "url", url: "https://a.example/i.png" }, ...CACHED },
      { type: "document", source: { ...IMAGE, media_type: "application/pdf" }, title: "T.pdf" },
      { type: "document", source: { type: "url", url: "https://a.example/d.pdf" }, context: "C" },
    ),
    [{
      role: "user",
      content: [
        { type: "text", text: "See", ...CACHED },
        IMAGE_PART,
        { type: "image_url", image_url: { url: "https://a.example/i.png" }, ...CACHED },
        {
          type: "file",
          file: { filename: "T.pdf", file_data: "data:application/pdf;base64,AAAA" },
        },
        { type: "text", text: "C" },
        { type: "file", file: { filename: "document.pdf", file_data: "https://a.example/d.pdf" } },
      ],
    }],
  );
});

Deno.test("documents of text are read as text", () => {
  const content = [{ type: "text", text: "One" }, { type: "image", source: IMAGE }];
  const documents: ContentBlockParam[] = [
    {
      ...{ type: "document", title: "Rules", context: "Of the house", ...CACHED },
      source: { type: "text", media_type: "text/plain", data: "Be kind" },
    },
    { type: "document", source: { type: "content", content }, citations: { enabled: false } },
    { type: "document", source: { type: "content", content: "Two" } },
    { type: "document", title: "Empty", source: { type: "content", content: [] } },
    {
      ...{ type: "search_result", source: "https://a.example", title: "Found" },
      content: [{ type: "text", text: "Three" }],
    },
  ];
  assertEquals(saidBy(...documents), [{
    role: "user",
    content: [
      { type: "text", text: "Rules\nOf the house" },
      { type: "text", text: "Be kind", ...CACHED },
      { type: "text", text: "One" },
      IMAGE_PART,
      { type: "text", text: "Two" },
      { type: "text", text: "Empty" },
      { type: "text", text: "Found\n\nhttps://a.example\n\nThree" },
    ],
  }]);
});

Deno.test("results of tools stand before the rest of their message, their images in it", () => {
  const result = { type: "tool_result" as const };
  const messages = saidBy(
    { type: "text", text: "And now?" },
    { ...result, tool_use_id: "1", content: "Rain", ...CACHED },
    {
      ...{ ...result, tool_use_id: "2" },
      content: [{ type: "text", text: "A map" }, { type: "image", source: IMAGE }],
    },
    { ...result, tool_use_id: "3", content: [{ type: "image", source: IMAGE }] },
    { ...result, tool_use_id: "4" },
  );
  assertEquals(messages, [
    { role: "tool", tool_call_id: "1", content: "Rain", ...CACHED },
    { role: "tool", tool_call_id: "2", content: "A map" },
    {
      ...{ role: "tool", tool_call_id: "3" },
      content: "The result is attached to the next message.",
    },
    { role: "tool", tool_call_id: "4", content: "" },
    {
      role: "user",
      content: [
        { type: "text", text: "Attached to the result of 2:" },
        IMAGE_PART,
        { type: "text", text: "Attached to the result of 3:" },
        IMAGE_PART,
        { type: "text", text: "And now?" },
      ],
    },
  ]);
  assertEquals(saidBy({ ...result, tool_use_id: "1", content: "x" }).length, 1);
});

Deno.test("a result may show as much as there is room for", () => {
  const image = { type: "image", source: { type: "url", url: "http://svc.test/a.png" } };
  const content = Array.from({ length: 200_000 }, () => image);
  const shown = { type: "tool_result", tool_use_id: "1", content };
  const { messages } = chatRequestOf({
    messages: [{ role: "user", content: [shown, ...content] }],
  });
  // The line that says whose they are comes with those of the result.
  assertEquals(messages.at(-1)?.content?.length, 400_001);
});

Deno.test("a tool's error is seen by every model, and said once", () => {
  const seen = (content: string | ContentBlockParam[]) =>
    saidBy({ type: "tool_result", tool_use_id: "1", content, is_error: true })
      .map((message) => [message["is_error"], message.content]);
  assertEquals(seen("No such file"), [[true, "Error: No such file"]]);
  assertEquals(seen("Error: no such file"), [[true, "Error: no such file"]]);
  assertEquals(seen('{"error":{"code":"x"}}'), [[true, '{"error":{"code":"x"}}']]);
  const blocks = [{ type: "text", text: "One" }, { type: "text", text: "Two" }];
  assertEquals(seen(blocks), [[true, [{ type: "text", text: "Error: One" }, blocks[1]]]]);
});

Deno.test("an assistant's blocks become one message", () => {
  const use = { type: "tool_use", id: "1", name: "f", input: { a: 1 }, extra_content: { x: 1 } };
  const thinking = { type: "thinking", thinking: "Hm", signature: "S" };
  const call = {
    ...{ id: "1", type: "function" as const, extra_content: { x: 1 } },
    function: { name: "f", arguments: '{"a":1}' },
  };
  const two = [{ type: "text", text: "One " }, { type: "text", text: "two", citations: null }];
  const assistant = (...content: ContentBlockParam[]) =>
    chatMessagesOf({ role: "assistant", content })[0];
  assertEquals(assistant(thinking, ...two, use), {
    ...{ role: "assistant", content: "One two", reasoning_content: "Hm" },
    tool_calls: [call],
  });
  assertEquals(assistant(use)?.content, null);
  const marked = { ...use, ...CACHED };
  assertEquals(assistant(marked)?.["cache_control"], CACHED.cache_control);
  assertEquals(assistant(), { role: "assistant", content: "" });
  const cited = { type: "text", text: "x", citations: [{ type: "char_location" }] };
  assertEquals(assistant(cited)?.content, [cited]);
  assertEquals(chatMessagesOf({ role: "assistant", content: "Pre", extra_content: { y: 1 } }), [
    { role: "assistant", content: "Pre", extra_content: { y: 1 } },
  ]);
});

Deno.test("signatures of thinking that no call carries go along with the message", () => {
  const thoughts = [
    { type: "thinking", thinking: "Hm", signature: "S" },
    { type: "redacted_thinking", data: "R" },
  ];
  const content = [...thoughts, { type: "tool_use", id: "1", name: "f", input: {} }];
  const [message] = chatMessagesOf({ role: "assistant", content });
  assertEquals(message?.["extra_content"], { anthropic: { thinking: thoughts } });
  assertEquals(message?.["reasoning_content"], "Hm");
  const own = { x: 1 };
  const [echoed] = chatMessagesOf({ role: "assistant", content, extra_content: own });
  assertEquals(echoed?.["extra_content"], own);
});

Deno.test("instructions stay in place, at the front and in the middle", () => {
  const system = [{ type: "text" as const, text: "A", ...CACHED }, {
    type: "text" as const,
    text: "B",
  }];
  const { messages } = chatRequestOf({
    system,
    messages: [HELLO, { role: "system", content: [{ type: "text", text: "C" }] }],
  });
  assertEquals(messages, [
    { role: "system", content: system },
    { role: "user", content: "Hello" },
    { role: "system", content: "C" },
  ]);
});

const user = (...content: unknown[]) => ({ messages: [{ role: "user", content }] });
const REFUSED: readonly (readonly [request: unknown, message: string])[] = [
  [{ messages: [], container: "c" }, "Cannot send container: "],
  [{ messages: [], mcp_servers: [] }, "Cannot send mcp_servers: "],
  [{ messages: [], thinking: { type: "between_tools" } }, '"between_tools"'],
  [{ messages: [], thinking: { type: "enabled" } }, "with its budget_tokens"],
  [{ messages: [], thinking: { type: "adaptive", display: "omitted" } }, "thinking.display"],
  [{ messages: [], output_config: { task_budget: 1 } }, "output_config.task_budget"],
  [{ messages: [], tools: [{ type: "bash_20250124", name: "bash" }] }, '"bash_20250124"'],
  [{ messages: [], tool_choice: { type: "tool" } }, "without a name"],
  [{ messages: [], tool_choice: { type: "required" } }, '"required"'],
  [{ messages: [{ role: "tool", content: "x" }] }, 'the role "tool" (messages.0)'],
  [{ messages: [{ role: "user" }] }, "without content (messages.0.content)"],
  [{ messages: [null] }, 'the role "undefined" (messages.0)'],
  [{ messages: [], system: 5 }, "without content (system.content)"],
  [{ messages: [], tools: "all" }, "no list of tools"],
  [{ messages: [], tools: [null] }, "no list of tools"],
  [
    user({ type: "tool_result", tool_use_id: "1", content: 5 }),
    "without content (messages.0.content.0.content)",
  ],
  [
    user({ type: "search_result", source: "s", title: "t" }),
    "without content (messages.0.content.0.content)",
  ],
  [
    user({ type: "document", source: { type: "content" } }),
    "without content (messages.0.content.0.source.content)",
  ],
  [user({ type: "server_tool_use" }), '"server_tool_use" (messages.0.content.0)'],
  [user({ type: "tool_result", content: "x" }), "without its tool_use_id (messages.0.content.0)"],
  [{ messages: [], tools: [{ input_schema: {} }] }, "without a name"],
  [user(null), '"undefined" (messages.0.content.0)'],
  [user({ type: "tool_use", id: "1", name: "f" }), '"tool_use" here (messages.0.content.0)'],
  [user({ type: "image", source: { type: "file", file_id: "f" } }), 'the type "file"'],
  [user({ type: "image", source: { type: "text", data: "x" } }), "an image from a source"],
  [
    user({ type: "image", source: { type: "url" } }),
    "without its url (messages.0.content.0.source)",
  ],
  [user({ type: "image", source: { type: "base64", data: "" } }), "without its media_type"],
  [
    user({
      type: "search_result",
      source: "s",
      title: "t",
      content: [{ type: "image", source: IMAGE }],
    }),
    'a block of the type "image" here (messages.0.content.0.content)',
  ],
  [user({ type: "document" }), 'a source of the type "undefined"'],
  [
    user({ type: "document", source: IMAGE, citations: { enabled: true } }),
    "citations (messages.0.content.0.citations)",
  ],
  [{ messages: [{ role: "assistant", content: [{ type: "image", source: IMAGE }] }] }, '"image"'],
];

for (const [request, message] of REFUSED) {
  Deno.test(`chatRequestOf() refuses what Chat cannot say: ${message}`, () => {
    const untypedRequest = untyped<MessageCreateRequest>(request);
    assertThrows(() => chatRequestOf(untypedRequest), ConfigurationError, message);
  });
}
