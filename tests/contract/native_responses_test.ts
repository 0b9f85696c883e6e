/**
 * `POST /responses` of an upstream of kind `openai`, against the part of the contract that holds for
 * every endpoint, and what its answers come to.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { UpstreamCall } from "../../gateway/ports/upstream.ts";
import { NativeResponseRelay } from "../../gateway/wire/responses/native.ts";
import { callOf } from "../fixtures/chat_calls.ts";
import { chunk, json, LAST_CHUNK, streamHead } from "../fixtures/fake_upstream.ts";
import { assertCut, readAll } from "../fixtures/openai_compatible.ts";
import { OPENAI } from "../fixtures/upstreams/openai.ts";
import { frame, type Recorded } from "../fixtures/upstreams/wire.ts";
import { casesOf, openingOf } from "./staged_case.ts";
import { transportContract } from "./transport_contract.ts";

const NAME = "openai, responses";

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

const open = openingOf("openai");
const declareCase = casesOf(NAME, open);

const call = (more: Partial<UpstreamCall>) =>
  callOf({ input: "Weather?" }, { endpoint: "responses", ...more });

function relay(): NativeResponseRelay {
  return new NativeResponseRelay({
    id: "resp_ours",
    request: { model: "auto", input: "Weather?" },
    model: "m",
    createdSeconds: 1,
    dialect: "service" as const,
    opening: { request_id: "req_1" },
    newId: (prefix) => `${prefix}_1`,
  });
}

transportContract(NAME, { wire: { text: TEXT, error: OPENAI.error }, open, call, relay });

declareCase("a whole answer, with its usage", async ({ fake, upstream }) => {
  fake.answer(json(TEXT.json));
  const answer = await upstream.call(call({}));
  assert(answer.kind === "json");
  assertEquals(answer.body.value, WHOLE);
  assertEquals(answer.usage, { inputTokens: 12, cachedInputTokens: 0, outputTokens: 5 });
  assertEquals([fake.last.target, JSON.parse(fake.last.text).model], [
    "/v1/responses",
    "real-model",
  ]);
});

declareCase("a stream is whole with its last event; there is no other end", async (stage) => {
  const { fake, upstream } = stage;
  fake.answer([streamHead(), ...TEXT.frames.map(chunk), LAST_CHUNK]);
  const { events, fault } = await readAll(await upstream.call(call({ stream: true })));
  const following = relay();
  for (const event of events) following.accept(event);
  assert(following.finished);
  assertEquals(following.usage, { inputTokens: 12, cachedInputTokens: 0, outputTokens: 5 });
  assertCut(fault, "cut");
});
