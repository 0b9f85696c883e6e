/**
 * `POST /responses` of an upstream of kind `openai`, against the part of the contract that holds for
 * every endpoint, and what its answers come to.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { UpstreamConfig } from "../../gateway/domain/catalog.ts";
import type { UpstreamCall } from "../../gateway/ports/upstream.ts";
import { createUpstream } from "../../gateway/upstreams/factory.ts";
import { NativeResponseRelay } from "../../gateway/wire/responses/native.ts";
import { callOf } from "../fixtures/chat_calls.ts";
import { chunk, FakeUpstream, json, LAST_CHUNK, streamHead } from "../fixtures/fake_upstream.ts";
import { assertCut, readAll } from "../fixtures/openai_compatible.ts";
import { OPENAI } from "../fixtures/upstreams/openai.ts";
import { frame, type Recorded } from "../fixtures/upstreams/wire.ts";
import { TIMEOUTS, transportContract } from "./transport_contract.ts";

const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

const ITEM = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Hello there", annotations: [], logprobs: [] }],
};
const WHOLE = {
  id: "resp_1",
  object: "response",
  status: "completed",
  model: "real-model",
  output: [ITEM],
  usage: { input_tokens: 12, output_tokens: 5, total_tokens: 17 },
};
const BEGUN = { ...WHOLE, status: "in_progress", output: [], usage: null };
const PLACE = { item_id: "msg_1", output_index: 0, content_index: 0 };

const EVENTS = [
  { type: "response.created", response: BEGUN },
  { type: "response.in_progress", response: BEGUN },
  { type: "response.output_item.added", output_index: 0, item: { ...ITEM, content: [] } },
  ...["Hello", " there"].map((delta) => ({ type: "response.output_text.delta", ...PLACE, delta })),
  { type: "response.output_text.done", ...PLACE, text: "Hello there" },
  { type: "response.output_item.done", output_index: 0, item: ITEM },
  { type: "response.completed", response: WHOLE },
];

const TEXT: Recorded = {
  json: WHOLE,
  frames: EVENTS.map((event, sequence_number) => frame({ ...event, sequence_number }, event.type)),
};

function open(baseUrl: string, settings: Partial<UpstreamConfig>) {
  return createUpstream({
    id: "lab",
    kind: "openai",
    provider: "lab",
    baseUrl,
    apiKey: "sk-operator-0123456789",
    maxInFlight: 20,
    onDisconnect: "cancel",
    timeouts: TIMEOUTS,
    ...settings,
  }, { clock, env: () => undefined });
}

const call = (more: Partial<UpstreamCall>) =>
  callOf({ input: "Weather?" }, { endpoint: "responses", ...more });

function relay(): NativeResponseRelay {
  return new NativeResponseRelay({
    id: "resp_ours",
    request: { model: "auto", input: "Weather?" },
    model: "m",
    createdSeconds: 1,
    opening: { request_id: "req_1" },
    newId: (prefix) => `${prefix}_1`,
  });
}

transportContract("openai, responses", {
  wire: { text: TEXT, error: OPENAI.error },
  open,
  call,
  relay,
});

Deno.test("openai, responses: a whole answer, with its usage", async () => {
  await using fake = new FakeUpstream();
  fake.answer(json(TEXT.json));
  const upstream = open(fake.baseUrl, {});
  const answer = await upstream.call(call({}));
  assert(answer.kind === "json");
  assertEquals(answer.body.value, WHOLE);
  assertEquals(answer.usage, { inputTokens: 12, cachedInputTokens: 0, outputTokens: 5 });
  assertEquals([fake.last.target, JSON.parse(fake.last.text).model], [
    "/v1/responses",
    "real-model",
  ]);
  upstream.close();
});

Deno.test("openai, responses: a stream is whole with its last event; there is no other end", async () => {
  await using fake = new FakeUpstream();
  fake.answer([streamHead(), ...TEXT.frames.map(chunk), LAST_CHUNK]);
  const upstream = open(fake.baseUrl, {});
  const { events, fault } = await readAll(await upstream.call(call({ stream: true })));
  const following = relay();
  for (const event of events) following.accept(event);
  assert(following.finished);
  assertEquals(following.usage, { inputTokens: 12, cachedInputTokens: 0, outputTokens: 5 });
  assertCut(fault, "cut");
  upstream.close();
});
