/**
 * Chat Completions in both dialects, on every shape of stream and on JSON.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { DIALECTS } from "@svc/sdk/protocol";
import { assertPairs, readChatStream } from "../../fixtures/chat_stream.ts";
import { chunk, FakeUpstream, json, sse, streamHead } from "../../fixtures/fake_upstream.ts";
import { calling, hostedLab, saying, searchFor, WEB } from "../../fixtures/hosted_lab.ts";
import {
  chunkText,
  completion,
  labConfig,
  QUESTION,
  streamed,
  usage,
  usageChunk,
} from "../../fixtures/lab.ts";
import { TestService } from "../../fixtures/service.ts";

const USAGE = usage(10, 5);
const BASE = { messages: QUESTION, stream: true };
const USAGE_ASKED = { stream_options: { include_usage: true } };

async function lab() {
  const upstream = new FakeUpstream();
  const service = await TestService.start({
    config: labConfig({ id: "one", baseUrl: upstream.baseUrl }),
  });
  return {
    upstream,
    service,
    async [Symbol.asyncDispose]() {
      await service.assertBooks();
      await service[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

function choicesChunk(choices: unknown, more: Readonly<Record<string, unknown>> = {}): string {
  const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "up" };
  return JSON.stringify({ ...head, choices, ...more });
}

const CALL = {
  index: 0,
  id: "call_1",
  type: "function",
  function: { name: "add", arguments: '{"a":1}' },
};

/** Streams of upstreams, with the text and finishes that a caller reads. */
const STREAMS: Readonly<
  Record<string, { events: readonly string[]; text?: string; finishes?: readonly string[] }>
> = {
  "plain text": { events: streamed(["Hel", "lo"], USAGE), text: "Hello" },
  "no usage": { events: streamed(["Hel", "lo"]), text: "Hello" },
  "no finish": { events: streamed(["Hi"], USAGE).toSpliced(2, 1), text: "Hi" },
  "nothing at all but a role": { events: [chunkText({ role: "assistant" }, "stop")] },
  "everything in one chunk": {
    events: [
      choicesChunk([
        { index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: "length" },
      ], { usage: USAGE }),
    ],
    text: "Hi",
    finishes: ["length"],
  },
  "text beside the finish": {
    events: [
      chunkText({ role: "assistant", content: "Hel" }),
      chunkText({ content: "lo" }, "stop"),
    ],
    text: "Hello",
  },
  "usage on every chunk": {
    events: [
      choicesChunk([{ index: 0, delta: { role: "assistant", content: "Hi" } }], { usage: USAGE }),
      choicesChunk([{ index: 0, delta: {}, finish_reason: "stop" }], { usage: USAGE }),
    ],
    text: "Hi",
  },
  "a finish that comes twice": {
    events: [...streamed(["Hi"]), chunkText({}, "stop"), usageChunk(USAGE)],
    text: "Hi",
  },
  "text after the finish": {
    events: [...streamed(["Hi"]), chunkText({ content: "!" }), usageChunk(USAGE)],
    text: "Hi!",
  },
  "tool calls": {
    events: [
      chunkText({ role: "assistant", content: null }),
      chunkText({ tool_calls: [CALL] }),
      chunkText({}, "tool_calls"),
      usageChunk(USAGE),
    ],
    finishes: ["tool_calls"],
  },
  "a tool call beside the finish": {
    events: [chunkText({ role: "assistant", tool_calls: [CALL] }, "tool_calls")],
    finishes: ["tool_calls"],
  },
  "two choices": {
    events: [
      choicesChunk([{ index: 0, delta: { role: "assistant", content: "a" } }]),
      choicesChunk([{ index: 1, delta: { role: "assistant", content: "b" } }]),
      choicesChunk([{ index: 0, delta: {}, finish_reason: "stop" }]),
      choicesChunk([{ index: 1, delta: { content: "c" } }]),
      choicesChunk([{ index: 1, delta: {}, finish_reason: "length" }]),
      usageChunk(USAGE),
    ],
    text: "a",
    finishes: ["stop", "length"],
  },
  "two choices that end at once": {
    events: [
      choicesChunk([
        { index: 0, delta: { role: "assistant", content: "a" }, finish_reason: "stop" },
        { index: 1, delta: { role: "assistant", content: "b" }, finish_reason: "length" },
      ]),
    ],
    text: "a",
    finishes: ["stop", "length"],
  },
};

for (const [shape, { events, text = "", finishes = ["stop"] }] of Object.entries(STREAMS)) {
  Deno.test(`chat stream in both dialects: ${shape}`, async () => {
    await using at = await lab();
    for (const dialect of DIALECTS) {
      for (const more of [{}, USAGE_ASKED]) {
        at.upstream.answer(sse(events));
        const hasUsage = dialect === "service" || more === USAGE_ASKED;
        const headers = { "x-dialect": dialect };
        const response = await at.service.chat({ ...BASE, ...more }, { headers });
        const read = await readChatStream(response, { dialect, hasUsage });
        assertEquals(read.text, text);
        const ends = read.finishes.flatMap(({ choices }) =>
          choices.flatMap(({ finish_reason: finish }) => typeof finish === "string" ? [finish] : [])
        );
        assertEquals(ends, finishes);
        const calls = read.chunks.flatMap(({ choices: [one] }) => one?.delta.tool_calls ?? []);
        assertEquals(calls.length, finishes[0] === "tool_calls" ? 1 : 0);
      }
    }
  });
}

Deno.test("text does not wait for the end of its stream, also beside a finish", async () => {
  await using at = await lab();
  const gate = Promise.withResolvers<void>();
  const event = (text: string) => chunk(`data: ${text}\n\n`);
  const wholeChunk = chunkText({ role: "assistant", content: "All of it" }, "stop");
  at.upstream.answer([streamHead(), event(wholeChunk), { until: gate.promise }, { close: true }]);
  const response = await at.service.chat(BASE, { headers: { "x-dialect": "openai" } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await reader?.read() ?? {};
  assert(value.includes("All of it"), value);
  assert(!value.includes("metadata"), value);
  gate.resolve();
  let rest = "";
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    rest += next.value;
  }
  // The upstream hung up after its last finish: it had said everything.
  assert(rest.includes('"finish_reason":"stop"') && rest.endsWith("data: [DONE]\n\n"), rest);
});

Deno.test("chunks without choices of an upstream's own have a choice in openai", async () => {
  await using at = await lab();
  const filter = choicesChunk([], { prompt_filter_results: [{ prompt_index: 0 }] });
  for (const dialect of DIALECTS) {
    at.upstream.answer(sse([filter, ...streamed(["Hi"], USAGE)]));
    const response = await at.service.chat(BASE, { headers: { "x-dialect": dialect } });
    const { chunks, text } = await readChatStream(response, { dialect });
    assertEquals(text, "Hi");
    assertEquals(Object(chunks[0])["prompt_filter_results"], [{ prompt_index: 0 }]);
    assertEquals(chunks[0]?.choices.length, dialect === "openai" ? 1 : 0);
  }
});

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "JSON";
  Deno.test(`the caller's own pairs stand beside the service's in openai, ${how}`, async () => {
    await using at = await lab();
    at.upstream.otherwise(stream ? sse(streamed(["Hi"], USAGE)) : json(completion()));
    const own = { team: "a", request_id: "mine", odd: 5 };
    const headers = { "x-dialect": "openai", "x-request-id": "req-1" };
    const response = await at.service.chat({ ...BASE, stream, metadata: own }, { headers });
    const metadata = stream
      ? (await readChatStream(response, { dialect: "openai" })).finishes.at(-1)?.metadata
      : (await response.json()).metadata;
    assertPairs(metadata);
    assertEquals([metadata?.["team"], metadata?.["request_id"]], ["a", "req-1"]);
    assertEquals(Object.keys(Object(metadata)).sort(), [
      "billing",
      "request_id",
      "routing",
      "team",
    ]);
  });
}

for (const dialect of DIALECTS) {
  Deno.test(`hosted tools in ${dialect}: searches are in the metadata, streamed and not`, async () => {
    await using at = await hostedLab();
    const headers = { "x-dialect": dialect };
    const request = { messages: QUESTION, tools: [WEB] };
    for (const more of [{}, USAGE_ASKED]) {
      at.model.answer(calling(searchFor("tea")), saying("Tea is a ", "drink."));
      const response = await at.service.chat({ ...request, ...more, stream: true }, { headers });
      const hasUsage = dialect === "service" || more === USAGE_ASKED;
      const { text, chunks } = await readChatStream(response, { dialect, hasUsage });
      assertEquals(text, "Tea is a drink.");
      const hostedTools = chunks.at(-1)?.metadata?.["hosted_tools"];
      const searches = typeof hostedTools === "string" ? JSON.parse(hostedTools) : hostedTools;
      assertEquals(typeof hostedTools, dialect === "openai" ? "string" : "object");
      assertEquals(searches[0].type, "web_search_call");
    }
    at.model.answer(calling(searchFor("tea")), saying("A drink."));
    const { metadata } = await (await at.service.chat(request, { headers })).json();
    if (dialect === "openai") assertPairs(metadata);
    else assertEquals(metadata.hosted_tools.length, 1);
    await at.service.assertBooks();
  });

  Deno.test(`errors in ${dialect}: before the first byte, and after it`, async () => {
    await using at = await lab();
    const headers = { "x-dialect": dialect };
    const hostedTools = (metadata: Readonly<Record<string, unknown>>) => {
      const { routing } = metadata;
      assertEquals(typeof routing, dialect === "openai" ? "string" : "object");
      return typeof routing === "string" ? JSON.parse(routing) : routing;
    };
    for (const stream of [false, true]) {
      at.upstream.answer(json({ error: { message: "no" } }, { status: 500 }));
      const response = await at.service.chat({ ...BASE, stream }, { headers });
      const { error, metadata } = await response.json();
      assertEquals([response.status, error.code], [502, "upstream_error"]);
      assertEquals(hostedTools(metadata).attempts.length, 1);
    }
    at.upstream.answer([
      streamHead(),
      chunk(`data: ${chunkText({ role: "assistant", content: "Hel" })}\n\n`),
      { close: true },
    ]);
    const text = await (await at.service.chat(BASE, { headers })).text();
    assert(!text.includes("[DONE]"), text);
    const last = JSON.parse(text.trimEnd().split("\n\n").at(-1)?.slice("data: ".length) ?? "");
    assertEquals([last.error.code, last.choices], ["upstream_error", []]);
    assertEquals(hostedTools(last.metadata).attempts.at(-1).outcome, "cut");
  });
}
