/**
 * The Vercel AI SDK with the service's errors, with reasoning, with a stream that is left, and with
 * the built-in simulator.
 *
 * @module
 */

import { APICallError } from "@ai-sdk/provider";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { generateObject, generateText, isStepCount, jsonSchema, streamText, tool } from "ai";
import { chunk, FakeUpstream, json, sse, streamHead } from "../fixtures/fake_upstream.ts";
import { chunkText, completion, labConfig, OUTPUT_MICROS, usageChunk } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";
import { PERSON } from "../fixtures/upstreams/received_request.ts";
import {
  messageItem,
  reasoningItem,
  recordResponse,
  RESPONSES,
} from "../fixtures/upstreams/responses.ts";
import { recordAnthropic } from "../fixtures/upstreams/anthropic.ts";
import { Json } from "../fixtures/upstreams/wire.ts";
import { callOf, CLIENTS, inLab, scriptOf, UPSTREAMS } from "./vercel_lab.ts";

const prompt = "The weather?";

/** An error of the service as the package throws it. */
interface Thrown {
  readonly status: number | undefined;
  readonly code: unknown;
  readonly requestId: string | undefined;
  readonly isRetryable: boolean;
}

function thrownOf(error: unknown): Thrown {
  assert(APICallError.isInstance(error), String(error));
  const body = new Json(JSON.parse(error.responseBody ?? "null"));
  return {
    status: error.statusCode,
    code: body.at("error", "code").value,
    requestId: error.responseHeaders?.["x-request-id"],
    isRetryable: error.isRetryable,
  };
}

/** A service with one OpenAI-compatible upstream. */
function serviceAt(fake: FakeUpstream): Promise<TestService> {
  const more = { endpoints: ["chat", "responses"] };
  return TestService.start({ config: labConfig({ id: "native", baseUrl: fake.baseUrl, more }) });
}

for (const client of CLIENTS) {
  for (const stream of [false, true]) {
    const how = `${client.name}, ${stream ? "streamText()" : "generateText()"}`;

    Deno.test(`${how}: errors keep status, code and request id`, async () => {
      await using fake = new FakeUpstream();
      await using service = await serviceAt(fake);
      const poor = await service.newKey({ credits: "0" });
      const slow = await service.newKey({ policy: { requestsPerMinute: 1 } });
      const thrown = async (key: string, more: Readonly<Record<string, unknown>> = {}) => {
        const options = { ...callOf(client, service, key), prompt, ...more };
        if (!stream) return thrownOf(await generateText(options).catch((error) => error));
        const errors: unknown[] = [];
        const onError = ({ error }: { error: unknown }) => void errors.push(error);
        await streamText({ ...options, onError }).consumeStream();
        return thrownOf(errors[0]);
      };
      const described = async (error: Promise<Thrown>) => {
        const { status, code, isRetryable, requestId } = await error;
        assertMatch(requestId ?? "", /^req_/);
        return [status, code, isRetryable];
      };
      assertEquals(await described(thrown("svc_live_wrong")), [401, "invalid_api_key", false]);
      assertEquals(await described(thrown(poor.key)), [402, "insufficient_balance", false]);
      fake.answer(stream ? sse([chunkText({ content: "Hi" }, "stop")]) : json(completion()));
      await generateText({ ...callOf(client, service, slow.key), prompt }).catch(() => {});
      assertEquals(await described(thrown(slow.key)), [429, "rate_limit_exceeded", true]);
      const wrong = thrown(BOOTSTRAP_KEY, { temperature: 77 });
      assertEquals(await described(wrong), [400, "invalid_request", false]);
      const refusal = { error: { message: "Too clever by half", type: "invalid_request_error" } };
      fake.answer(json(refusal, { status: 400 }));
      assertEquals((await thrown(BOOTSTRAP_KEY)).status, 400);
      fake.answer(json({ error: { message: "Down" } }, { status: 500 }));
      assertEquals(await described(thrown(BOOTSTRAP_KEY)), [502, "upstream_error", true]);
      await service.assertBooks();
    });
  }

  Deno.test(`${client.name}: a stream that is left in the middle is billed`, async () => {
    await using fake = new FakeUpstream();
    await using service = await serviceAt(fake);
    const words = ["one", " two", " three"];
    const events = [
      chunkText({ role: "assistant", content: "" }),
      ...words.map((content) => chunkText({ content })),
    ];
    fake.answer([
      streamHead(),
      ...events.map((event) => chunk(`data: ${event}\n\n`)),
      { stall: true },
    ]);
    const abort = new AbortController();
    // Held and given to fetch itself: Deno may collect a response, or a signal that was merged from
    // others, before the abort has reached the connection.
    const held: Response[] = [];
    const leaving: typeof fetch = async (url, init) => {
      const response = await fetch(url, { ...init, signal: abort.signal });
      held.push(response);
      return response;
    };
    const { textStream } = streamText({
      ...callOf(client, service, BOOTSTRAP_KEY, { fetch: leaving }),
      prompt,
      onError: () => {},
    });
    let text = "";
    const reading = async () => {
      for await (const piece of textStream) {
        text += piece;
        if (text === words.join("")) abort.abort();
      }
    };
    await reading().catch((error) => assertEquals(error.name, "AbortError"));
    await fake.clientLeft();
    assertEquals(held.length, 1);
    const record = await service.lastRequest();
    assertEquals([record.outcome, record.estimated], ["client_left", true]);
    assertEquals(record.outputTokens, 3);
    assert((await service.wallet()).spent >= 3n * OUTPUT_MICROS);
    await service.assertBooks();
  });

  Deno.test(`${client.name}: a stream that breaks off is an error and is billed`, async () => {
    await using fake = new FakeUpstream();
    await using service = await serviceAt(fake);
    const events = [chunkText({ role: "assistant", content: "Hel" })];
    fake.answer([
      streamHead(),
      ...events.map((event) => chunk(`data: ${event}\n\n`)),
      { waitMs: 50 },
      { close: true },
    ]);
    const errors: unknown[] = [];
    const onError = ({ error }: { error: unknown }) => void errors.push(error);
    const result = streamText({ ...callOf(client, service), prompt, onError });
    assertEquals((await Array.fromAsync(result.textStream)).join(""), "Hel");
    // By chat that package passes over an error that comes with choices, and sees no finish only.
    if (client.name !== "@ai-sdk/openai by chat") assert(errors.length > 0);
    const reason = await Promise.resolve(result.finishReason).catch(() => "error");
    assert(reason !== "stop");
    const record = await service.lastRequest();
    assertEquals([record.outcome, record.errorCode], ["cut", "upstream_error"]);
    await service.assertBooks();
  });

  Deno.test(`${client.name}: text, tools over two steps and objects at the simulator`, async () => {
    await using service = await TestService.start();
    const call = callOf(client, service);
    const calculated: string[] = [];
    const tools = {
      calculator: tool({
        description: "Evaluates arithmetic",
        inputSchema: jsonSchema<{ expression: string }>({
          type: "object",
          properties: { expression: { type: "string" } },
          required: ["expression"],
        }),
        execute: ({ expression }) => {
          calculated.push(expression);
          return "42";
        },
      }),
    };
    const options = { ...call, prompt: "What is 6 * 7?", tools, stopWhen: isStepCount(4) };
    const whole = await generateText(options);
    const streamed = streamText(options);
    assertMatch(whole.text, /42/);
    assertMatch(await streamed.text, /42/);
    assertEquals([whole.steps.length, (await streamed.steps).length], [2, 2]);
    assertEquals(calculated.map((text) => text.replaceAll(" ", "")), ["6*7", "6*7"]);
    const schema = jsonSchema<{ name: string }>({ ...PERSON, type: "object" });
    const { object } = await generateObject({ ...call, prompt: "A person", schema });
    assertEquals(Object.keys(object), ["name"]);
    await service.assertBooks();
  });
}

const [stored, unstored, byChat, compatible] = CLIENTS;
assert(stored && unstored && byChat && compatible);

/** Asks for reasoning: that package shows summaries alone, and only where they were asked for. */
function reasoningCall(...[client, service]: Parameters<typeof callOf>) {
  const { providerOptions, ...call } = callOf(client, service);
  if (client.route === "chat") return call;
  const openai = { ...providerOptions?.openai, forceReasoning: true, reasoningSummary: "auto" };
  return { ...call, providerOptions: { openai } };
}

for (const stream of [false, true]) {
  const how = stream ? ", streamed" : "";
  const thoughts = "They ask for the weather.";

  for (const client of [stored, unstored, compatible]) {
    Deno.test(`${client.name}: reasoning comes apart from the text${how}`, async () => {
      await using fake = new FakeUpstream();
      await using service = await serviceAt(fake);
      const usage = {
        ...{ prompt_tokens: 12, completion_tokens: 9, total_tokens: 21 },
        completion_tokens_details: { reasoning_tokens: 4 },
      };
      const message = { role: "assistant", content: "Rain", reasoning_content: thoughts };
      fake.otherwise(
        stream
          ? sse([
            chunkText({ role: "assistant", reasoning_content: "They ask for " }),
            chunkText({ reasoning_content: "the weather." }),
            chunkText({ content: "Rain" }),
            chunkText({}, "stop"),
            usageChunk(usage),
          ])
          : json(completion({ usage, choices: [{ index: 0, message, finish_reason: "stop" }] })),
      );
      const options = { ...reasoningCall(client, service), prompt };
      const first = stream ? streamText(options) : await generateText(options);
      assertEquals([await first.text, await first.reasoningText], ["Rain", thoughts]);
      const { outputTokenDetails } = await first.usage;
      assertEquals(outputTokenDetails.reasoningTokens, 4);
      // The conversation goes on with the reasoning in it.
      const messages = [
        { role: "user" as const, content: prompt },
        ...await first.responseMessages,
        { role: "user" as const, content: "And tomorrow?" },
      ];
      const { model, maxRetries, providerOptions } = callOf(client, service);
      const more = providerOptions === undefined ? {} : { providerOptions };
      const second = await (stream
        ? streamText({ model, maxRetries, ...more, messages }).text
        : generateText({ model, maxRetries, ...more, messages }).then(({ text }) =>
          text
        ));
      assertEquals(second, "Rain");
      await service.assertBooks();
    });
  }

  for (const client of [stored, unstored]) {
    const [, upstreamWires, claude] = UPSTREAMS;
    assert(upstreamWires && claude);

    Deno.test(`${client.name}: sealed reasoning of a native upstream comes back${how}`, () =>
      inLab({ client, upstreamWires }, async (lab) => {
        const spoken = recordResponse([
          reasoningItem("rs_9", thoughts),
          messageItem("msg_9", ["Rain"]),
        ]);
        lab.answer(stream, spoken, RESPONSES.text);
        const options = { ...lab.call, prompt };
        const first = stream ? streamText(options) : await generateText(options);
        assertEquals([await first.text, await first.reasoningText], ["Rain", thoughts]);
        const messages = [
          { role: "user" as const, content: prompt },
          ...await first.responseMessages,
          { role: "user" as const, content: "And tomorrow?" },
        ];
        const again = { ...lab.call, messages };
        const second = stream ? streamText(again) : await generateText(again);
        assertEquals(await second.text, "Hello there");
        assertMatch(lab.fake.last.text, client === stored ? /"rs_9"/ : /sealed-rs_9/);
      }));

    Deno.test(`${client.name}: Claude's thinking is reasoning${how}`, () =>
      inLab({ client, upstreamWires: claude }, async (lab) => {
        const thinking = {
          start: { type: "thinking", thinking: "", signature: "" },
          deltas: [
            { type: "thinking_delta", thinking: thoughts },
            { type: "signature_delta", signature: "c2ln" },
          ],
          whole: { type: "thinking", thinking: thoughts, signature: "c2ln" },
        };
        const answer = {
          start: { type: "text", text: "" },
          deltas: [{ type: "text_delta", text: "Rain" }],
          whole: { type: "text", text: "Rain" },
        };
        const recorded = recordAnthropic([thinking, answer]);
        lab.fake.answer(scriptOf(lab.wire, recorded, stream));
        const options = { ...reasoningCall(client, lab.service), prompt };
        const result = stream ? streamText(options) : await generateText(options);
        assertEquals([await result.text, await result.reasoningText], ["Rain", thoughts]);
      }));
  }
}
