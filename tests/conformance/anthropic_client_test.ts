/**
 * Anthropic's own client, unmodified, on the bridge: what it asks for is converted to Chat
 * Completions, answered by the real gateway, and comes back in its own shapes.
 *
 * @module
 */

import Anthropic, { APIError } from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import {
  ASK,
  type Ask,
  assertChatOnly,
  bridgeTo,
  clientOf,
  failureOf,
  lab,
  PNG,
  textOf,
  WEATHER,
} from "../fixtures/anthropic_lab.ts";
import { MessagesBridge } from "../fixtures/messages_bridge.ts";
import { BOOTSTRAP_KEY, type TestService } from "../fixtures/service.ts";
import { PLACES, SigningGemini, TURNS } from "../fixtures/upstreams/signing_gemini.ts";
import { labConfig } from "../fixtures/lab.ts";

/** An input as the simulator's directive has it. */
function simulated(directive: Readonly<Record<string, unknown>>): Ask {
  const content = `Hi [[sim ${JSON.stringify(directive)}]]`;
  return { ...ASK, messages: [{ role: "user", content }] };
}

Deno.test("create answers with a message of Anthropic's", async () => {
  await using at = await lab();
  // A field that this version of the client has dropped and older versions still send.
  const older = { temperature: 0, top_k: 5 };
  const message = await at.client.messages.create({
    ...{ ...ASK, ...older },
    system: [{ type: "text", text: "Be brief", cache_control: { type: "ephemeral" } }],
    stop_sequences: ["NEVER"],
    metadata: { user_id: "u-1" },
  });
  assertEquals([message.type, message.role, message.stop_reason], [
    ...["message", "assistant", "end_turn"],
  ]);
  assertStringIncludes(textOf(message), 'You asked: "Say hello".');
  assertStringIncludes(textOf(message), 'My instructions begin: "Be brief".');
  assert(message.usage.input_tokens > 0 && message.usage.output_tokens > 0);
  assertEquals(message.usage.cache_read_input_tokens, 0);
  assertMatch(message._request_id ?? "", /^req_/);
  assertEquals((await at.service.lastRequest()).requestId, message._request_id ?? "");
});

Deno.test("stream: the client's MessageStream takes every event, and adds up to create's", async () => {
  await using at = await lab();
  const stream = at.client.messages.stream(ASK);
  const events: string[] = [];
  let text = "";
  stream.on("streamEvent", ({ type }) => void events.push(type));
  stream.on("text", (delta) => void (text += delta));
  const message = await stream.finalMessage();
  assertEquals(textOf(message), text);
  assertEquals(events.slice(0, 2), ["message_start", "content_block_start"]);
  assertEquals(events.slice(-3), ["content_block_stop", "message_delta", "message_stop"]);
  const whole = await at.client.messages.create(ASK);
  const { content, stop_reason, usage } = whole;
  assertEquals([message.content, message.stop_reason], [content, stop_reason]);
  assertEquals(message.usage, usage);
});

Deno.test("a forced tool is called, and its result answers", async () => {
  await using at = await lab();
  const question: Ask = {
    ...ASK,
    tools: [WEATHER],
    tool_choice: { type: "tool", name: "get_weather", disable_parallel_tool_use: true },
  };
  const called = await at.client.messages.create(question);
  const streamed = await at.client.messages.stream(question).finalMessage();
  for (const { content, stop_reason } of [called, streamed]) {
    assertEquals(stop_reason, "tool_use");
    const [call] = content.filter((block) => block.type === "tool_use");
    assertEquals([call?.name, typeof Object(call?.input).city], ["get_weather", "string"]);
  }
  const use = called.content.find((block) => block.type === "tool_use");
  assert(use !== undefined);
  const answer = await at.client.messages.create({
    ...{ ...question, tool_choice: { type: "auto" } },
    messages: [...question.messages, { role: "assistant", content: called.content }, {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: use.id, content: "No such city", is_error: true },
        { type: "text", text: "And now?" },
      ],
    }],
  });
  assertEquals(answer.stop_reason, "end_turn");
  const { messages } = JSON.parse(at.bridge.requests.at(-1)?.body ?? "");
  assertEquals(messages.slice(2), [
    ...[{ role: "tool", tool_call_id: use.id, content: "Error: No such city", is_error: true }],
    { role: "user", content: "And now?" },
  ]);
});

for (const stream of [false, true]) {
  Deno.test(`the tool runner runs to the end${stream ? ", streamed" : ""}`, async () => {
    await using at = await lab();
    const inputs: unknown[] = [];
    const calculator = betaTool({
      name: "calculator",
      description: "Computes",
      inputSchema: { type: "object", properties: { expression: { type: "string" } } },
      run: (input) => {
        inputs.push(input);
        return "391";
      },
    });
    const runner = at.client.beta.messages.toolRunner({
      ...{ model: "auto", max_tokens: 1_000, max_iterations: 10, tools: [calculator], stream },
      messages: [{ role: "user", content: "What is 17 * 23?" }],
    });
    const message = await runner.runUntilDone();
    assertEquals([message.stop_reason, inputs.length], ["end_turn", 1]);
    assertStringIncludes(textOf(message), "391");
    assertEquals(at.bridge.requests.length, 2);
  });

  Deno.test(`signatures survive five turns of the tool runner${stream ? ", streamed" : ""}`, async () => {
    await using gemini = new SigningGemini();
    // Without the gateway, whose memory would put back what was dropped.
    await using bridge = new MessagesBridge({
      apiKey: BOOTSTRAP_KEY,
      openAIBaseUrl: gemini.baseUrl("openai-compatible"),
    });
    const places: unknown[] = [];
    const weather = betaTool({
      name: "get_weather",
      description: "The weather of a city",
      inputSchema: { type: "object", properties: { city: { type: "string" } } },
      run: (input) => {
        places.push(Object(input).city);
        return "Rain";
      },
    });
    const message = await clientOf(bridge).beta.messages.toolRunner({
      ...{ model: "auto", max_tokens: 1_000, max_iterations: 10, tools: [weather], stream },
      messages: [{ role: "user", content: "The weather everywhere?" }],
    }).runUntilDone();
    assertEquals([textOf(message), places], ["Done", [...PLACES]]);
    assertEquals([gemini.refused, gemini.foreign, bridge.requests.length], [0, 0, TURNS + 1]);
  });
}

Deno.test("images and documents arrive at the model", async () => {
  await using at = await lab();
  const source = { type: "base64" as const, media_type: "image/png" as const, data: PNG };
  const message = await at.client.messages.create({
    ...ASK,
    messages: [{
      role: "user",
      content: [
        { type: "image", source },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "Be kind" } },
        { type: "text", text: "What is this?" },
      ],
    }],
  });
  assertStringIncludes(textOf(message), "I was shown 1 image");
});

interface Row {
  readonly when: string;
  readonly of: abstract new (...args: never[]) => APIError;
  readonly status: number | undefined;
  readonly type: string;
  readonly ask: Ask;
  readonly key?: (service: TestService) => Promise<string>;
}

const ROWS: readonly Row[] = [
  {
    when: "the body is not valid",
    ...{ of: Anthropic.BadRequestError, status: 400, type: "invalid_request_error" },
    ask: { ...ASK, messages: [] },
  },
  {
    when: "Chat has no place for it",
    ...{ of: Anthropic.BadRequestError, status: 400, type: "invalid_request_error" },
    ask: { ...ASK, container: "c" },
  },
  {
    when: "the key is not known",
    ...{ of: Anthropic.AuthenticationError, status: 401, type: "authentication_error", ask: ASK },
    key: () => Promise.resolve("svc_live_wrong_key_0123456789"),
  },
  {
    when: "the wallet is empty",
    ...{ of: APIError, status: 402, type: "billing_error", ask: ASK },
    key: async (service) => (await service.newKey({ credits: "0" })).key,
  },
  {
    when: "the policy forbids it",
    ...{ of: Anthropic.PermissionDeniedError, status: 403, type: "permission_error", ask: ASK },
    key: async (service) => (await service.newKey({ policy: { endpoints: ["responses"] } })).key,
  },
  {
    when: "every model is busy",
    ...{ of: Anthropic.RateLimitError, status: 429, type: "rate_limit_error" },
    ask: simulated({ error: 429 }),
  },
  {
    when: "every model fails",
    ...{ of: Anthropic.InternalServerError, status: 502, type: "api_error" },
    ask: simulated({ error: 500 }),
  },
];

for (const { when, of, status, type, ask, key } of ROWS) {
  Deno.test(`an error as Anthropic's client types it: ${when}`, async () => {
    await using at = await lab();
    await using other = bridgeTo(at.service, await key?.(at.service));
    const client = clientOf(other);
    const calls = [
      () => client.messages.create(ask),
      () => client.messages.stream(ask).finalMessage(),
    ];
    for (const call of calls) {
      const error = await failureOf(call());
      assertInstanceOf(error, of);
      assertEquals([error.status, error.type], [status, type]);
      assertMatch(error.requestID ?? "", /^req_/);
    }
    assertChatOnly(other, at.service);
    // Something has left in each of the tests, so that what leaves is looked at.
    await at.client.messages.create(ASK);
  });
}

Deno.test("an answer that breaks off is an error, after what had come", async () => {
  await using at = await lab();
  const stream = at.client.messages.stream(simulated({ repeat: 50, cutAfter: 5 }));
  let text = "";
  stream.on("text", (delta) => void (text += delta));
  const error = await failureOf(stream.finalMessage());
  assertEquals([error.status, error.type], [undefined, "api_error"]);
  assert(text.length > 0);
});

Deno.test("a stream that is left ends the call, up to the model", async () => {
  await using at = await lab();
  const stream = at.client.messages.stream(simulated({ repeat: 1_000, chunkDelayMs: 5 }));
  stream.on("text", () => stream.abort());
  assertInstanceOf(await failureOf(stream.finalMessage()), Anthropic.APIUserAbortError);
  assertEquals((await at.service.lastRequest()).outcome, "client_left");
});

Deno.test("a signed tool call of Gemini's goes through gateway and bridge", async () => {
  await using gemini = new SigningGemini();
  await using at = await lab(labConfig({
    ...{ id: "gemini", baseUrl: gemini.baseUrl("google"), upstream: { kind: "google" } },
    more: { upstreamModel: "gemini-3-pro-preview" },
  }));
  const question: Ask = { ...ASK, tools: [WEATHER] };
  const first = await at.client.messages.stream(question).finalMessage();
  const uses = first.content.filter((block) => block.type === "tool_use");
  assertEquals(uses.length, 2);
  assert("extra_content" in (uses[0] ?? {}));
  const second = await at.client.messages.create({
    ...question,
    messages: [...question.messages, { role: "assistant", content: first.content }, {
      role: "user",
      content: uses.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "Rain" })),
    }],
  });
  assertEquals([second.stop_reason, gemini.refused, gemini.foreign], ["tool_use", 0, 0]);
});
