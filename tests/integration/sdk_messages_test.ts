/**
 * `client.messages` against the real service, and signed tool calls against providers that look at
 * each signature.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertGreater,
  assertInstanceOf,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import {
  type MessageCreateRequest,
  type MessageRunResult,
  RunError,
  ServiceAPIError,
  ServiceClient,
  type ServiceClientOptions,
  tool,
} from "@svc/sdk";
import { labConfig } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";
import { recordAnthropic } from "../fixtures/upstreams/anthropic.ts";
import { PLACES, placesOf, SigningGemini, TURNS } from "../fixtures/upstreams/signing_gemini.ts";
import { Json } from "../fixtures/upstreams/wire.ts";

const SUM: MessageCreateRequest = {
  max_tokens: 1_000,
  messages: [{ role: "user", content: "What is 17 * 23?" }],
};

/** A client that remembers the bodies it has sent. */
function asking(options: ServiceClientOptions) {
  const sent: Json[] = [];
  const client = new ServiceClient({
    apiKey: BOOTSTRAP_KEY,
    ...options,
    fetch: (input, init) => {
      sent.push(new Json(JSON.parse(String(init?.body))));
      return fetch(input, init);
    },
  });
  return { sent, messages: client.messages };
}

function askingOf(service: TestService, options: ServiceClientOptions = {}) {
  return asking({ apiBaseUrl: service.running.publicUrl, ...options });
}

Deno.test("create and stream run the defaults, and answer with the bill of all turns", async () => {
  await using service = await TestService.start();
  const { messages } = askingOf(service);
  const message = await messages.create(SUM, { requestId: "my-own-id" });
  const stream = messages.stream(SUM);
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  for (const { content, metadata, stop_reason, usage } of [message, await stream]) {
    assertEquals([stop_reason, content.length], ["end_turn", 1]);
    assertStringIncludes(JSON.stringify(content), "391");
    assertGreater(usage.output_tokens, 0);
    assertMatch(metadata?.billing?.charged ?? "", /^\d+\.\d{6}$/);
  }
  assertEquals(message.requestId, "my-own-id");
  // Each of the two turns has its own events.
  assertEquals(types.filter((type) => type === "message_start").length, 2);
  await service.assertBooks();
});

Deno.test("run and runStream compute, and show the whole conversation", async () => {
  await using service = await TestService.start();
  const { messages, sent } = askingOf(service);
  let text = "";
  const results: string[] = [];
  const streamed = await messages.runStream(SUM, {
    onTextDelta: (delta) => void (text += delta),
    onToolResult: ({ text }) => void results.push(text),
  });
  for (const result of [await messages.run(SUM), streamed]) {
    assertStringIncludes(result.finalText, "391");
    assertEquals([result.stoppedBy, result.finishReason, result.steps.length], [
      ...["finish", "stop", 2],
    ]);
    assertEquals(result.messages.map(({ role }) => role), [
      ...["user", "assistant", "user", "assistant"],
    ]);
    assertEquals(result.response?.stop_reason, "end_turn");
    assertGreater(result.usage.totalTokens, 0);
    assertMatch(result.billing?.charged ?? "", /^\d+\.\d{6}$/);
  }
  assertEquals([text, results.length], [streamed.finalText, 1]);
  assert(sent.every((body) => body.at("model").value === "auto"));
  await service.assertBooks();
});

Deno.test("shell and file_write are refused, and the model receives the refusal", async () => {
  await using service = await TestService.start();
  const content = 'Use shell {"command":"true"}';
  const { messages } = askingOf(service);
  const result = await messages.run({ messages: [{ role: "user", content }] });
  const [, , refused] = result.messages;
  const block = new Json(refused).at("content").items[0];
  assertEquals([block?.at("is_error").value, result.stoppedBy], [true, "finish"]);
});

Deno.test("hosted search is declared by Anthropic's name or by default, and runs", async () => {
  await using service = await TestService.start();
  const question = "Search the web for the latest news about bridges";
  const ask: MessageCreateRequest = { messages: [{ role: "user", content: question }] };
  const searching = { type: "web_search_20250305", name: "web_search", max_uses: 2 };
  const byName = askingOf(service);
  const byDefault = askingOf(service, { defaultLocalTools: false, defaultBuiltinTools: true });
  const named = await byName.messages.create({ ...ask, tools: [searching] });
  const offered = await byDefault.messages.create(ask);
  for (const { sent } of [byName, byDefault]) {
    assertEquals(sent.map((body) => body.at("tools").items[0]?.at("type").value), [
      "web_search_preview",
    ]);
  }
  for (const { metadata, stop_reason, usage } of [named, offered]) {
    assertEquals(stop_reason, "end_turn");
    assertGreater(metadata?.hosted_tools?.length ?? 0, 0);
    assertGreater(usage.server_tool_use?.web_search_requests ?? 0, 0);
  }
  await service.assertBooks();
});

Deno.test("a later turn's failure keeps the conversation, which can be continued", async () => {
  // One model: another one would refuse what this one has signed.
  const simulator = { kind: "simulator", baseUrl: undefined, apiKey: undefined };
  const only = { id: "only", baseUrl: "", upstream: simulator, more: { upstreamModel: "sim" } };
  await using service = await TestService.start({ config: labConfig(only) });
  const { messages } = askingOf(service);
  const failing = (request: MessageCreateRequest) => ({ ...request, simulate: { error: 500 } });
  const error = await assertRejects(
    () =>
      messages.run(SUM, {
        prepareStep: ({ conversation, step }) => step === 0 ? undefined : failing(conversation),
      }),
    RunError,
  );
  assertInstanceOf(error.cause, ServiceAPIError);
  assertEquals(error.cause.status, 502);
  const { messages: history }: Pick<MessageRunResult, "messages"> = Object(error.result);
  assertEquals(history.length, 3);
  const rest = await messages.create({ ...SUM, messages: [...history], tools: [] });
  assertStringIncludes(JSON.stringify(rest.content), "391");
  await service.assertBooks();
});

/** A Claude that thinks, and wants to see its signed thoughts again; also those that it hides. */
class SigningClaude implements AsyncDisposable {
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => this.#answer(request),
  );
  refused = 0;

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const body = await request.json();
    const turns = new Json(body).at("messages").items
      .filter((message) => message.at("role").value === "assistant")
      .map((message) => message.at("content").items);
    for (const [at, blocks] of turns.entries()) {
      const seen = blocks.map((block) => block.at("signature").value ?? block.at("data").value);
      if (seen[0] === `S${at + 1}+/=` && seen[1] === `R${at + 1}+/=`) continue;
      this.refused++;
      return Response.json({ type: "error", error: { type: "x", message: "Unsigned" } }, {
        status: 400,
      });
    }
    const { json, frames } = claudeAnswer(turns.length + 1);
    if (body.stream !== true) return Response.json(json);
    const headers = { "content-type": "text/event-stream" };
    return new Response(frames.join(""), { headers });
  }
}

function claudeAnswer(turn: number) {
  const thought = { type: "thinking", thinking: "Hm", signature: `S${turn}+/=` };
  const hidden = { type: "redacted_thinking", data: `R${turn}+/=` };
  const calls = placesOf(turn).map((city, at) => ({
    ...{ type: "tool_use", id: `toolu_${turn}_${at}`, name: "get_weather", input: { city } },
  }));
  const done = { type: "text", text: "Done" };
  if (turn > TURNS) {
    const deltas = [{ type: "text_delta", text: "Done" }];
    return recordAnthropic([{ start: { ...done, text: "" }, deltas, whole: done }]);
  }
  return recordAnthropic([
    {
      start: { ...thought, thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking: thought.thinking },
        { type: "signature_delta", signature: thought.signature },
      ],
      whole: thought,
    },
    { start: hidden, deltas: [], whole: hidden },
    ...calls.map((call) => ({
      start: { ...call, input: {} },
      deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(call.input) }],
      whole: call,
    })),
  ], { stop: "tool_use" });
}

/** A route to a signing provider, with the numbers of its refusals and of calls taken for foreign. */
interface ResponseRoute extends AsyncDisposable {
  readonly options: ServiceClientOptions;
  readonly complaints: () => number;
}

async function throughService(
  provider: AsyncDisposable,
  model: { readonly kind: string; readonly baseUrl: string; readonly name: string },
  complaints: () => number,
): Promise<ResponseRoute> {
  const { baseUrl, kind, name } = model;
  const service = await TestService.start({
    config: labConfig({
      ...{ id: "signing", baseUrl, upstream: { kind }, more: { upstreamModel: name } },
    }),
  });
  return {
    options: { apiBaseUrl: service.running.publicUrl },
    complaints,
    async [Symbol.asyncDispose]() {
      await service.assertBooks();
      await service[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

const ROUTES: Readonly<Record<string, () => Promise<ResponseRoute>>> = {
  // Without the gateway, whose memory would put back what was dropped.
  "a Gemini, asked directly": () => {
    const gemini = new SigningGemini();
    return Promise.resolve({
      options: { openAIBaseUrl: gemini.baseUrl("openai-compatible") },
      complaints: () => gemini.refused + gemini.foreign,
      [Symbol.asyncDispose]: () => gemini[Symbol.asyncDispose](),
    });
  },
  "a Gemini behind the gateway": () => {
    const gemini = new SigningGemini();
    const baseUrl = gemini.baseUrl("google");
    const model = { kind: "google", baseUrl, name: "gemini-3-pro-preview" };
    return throughService(gemini, model, () => gemini.refused + gemini.foreign);
  },
  "a Claude behind the gateway": () => {
    const claude = new SigningClaude();
    const model = { kind: "anthropic", baseUrl: claude.baseUrl, name: "claude-sonnet-4-5" };
    return throughService(claude, model, () => claude.refused);
  },
};

for (const [name, open] of Object.entries(ROUTES)) {
  for (const how of ["run", "runStream"] as const) {
    Deno.test(`signed calls survive five turns of messages.${how}(): ${name}`, async () => {
      await using route = await open();
      const { messages, sent } = asking(route.options);
      const places: string[] = [];
      const weather = tool({
        name: "get_weather",
        description: "The weather of a city",
        parameters: {
          type: "object",
          properties: { city: { type: "string" } },
          required: ["city"],
        },
        execute: ({ city }) => {
          places.push(city);
          return "Rain";
        },
      });
      const result = await messages[how]({
        messages: [{ role: "user", content: "The weather everywhere?" }],
      }, { tools: [weather] });
      assertEquals([result.finalText, result.stoppedBy], ["Done", "finish"]);
      assertEquals([places, route.complaints()], [[...PLACES], 0]);

      // What the last request says was called is what was called, signatures and all.
      const echoed = sent.at(-1)?.at("messages").items ?? [];
      const calls = echoed.flatMap((message) => message.at("tool_calls").items);
      const made = result.steps.flatMap((step) => step.calls);
      assertEquals(calls.length, 2 * TURNS);
      for (const [at, call] of calls.entries()) {
        assertEquals(call.at("extra_content").value, made[at]?.raw.extra_content);
        assertEquals(call.at("function", "arguments").value, made[at]?.arguments);
        assertEquals(at % 2 === 0, call.at("extra_content").value !== undefined);
      }
    });
  }
}

Deno.test("Claude's thinking is shown with its signature, streamed or not", async () => {
  await using claude = new SigningClaude();
  const model = { kind: "anthropic", baseUrl: claude.baseUrl, name: "claude-sonnet-4-5" };
  await using route = await throughService(claude, model, () => claude.refused);
  const { messages } = asking({ ...route.options, defaultLocalTools: false });
  const ask: MessageCreateRequest = { messages: [{ role: "user", content: "The weather?" }] };
  const stream = messages.stream(ask);
  const deltas: unknown[] = [];
  for await (const event of stream) {
    if (event.type === "content_block_delta") deltas.push(event.delta.type);
  }
  assertEquals(deltas, [
    ...["thinking_delta", "signature_delta", "input_json_delta", "input_json_delta"],
  ]);
  for (const { content } of [await messages.create(ask), await stream]) {
    assertEquals(content.slice(0, 2), [
      { type: "thinking", thinking: "Hm", signature: "S1+/=" },
      { type: "redacted_thinking", data: "R1+/=" },
    ]);
  }
});
