/**
 * The two routes of a Responses request: what goes through untouched, and what happens where one route
 * fails before its first byte, or a conversation changes from one to the other.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { responseSchema } from "../../../gateway/http/schemas/responses_resource.ts";
import { chunk, FakeUpstream, json, LAST_CHUNK, streamHead } from "../../fixtures/fake_upstream.ts";
import { completion, streamed } from "../../fixtures/lab.ts";
import { answered, postResponse } from "../../fixtures/responses_calls.ts";
import { OUT_OF_ORDER, twoRoutes } from "../../fixtures/two_routes.ts";
import {
  assertEventRules,
  readResponseEvents,
} from "../../conformance/open_responses/event_rules.ts";

const FAILED = json({ error: { message: "Out of order" } }, { status: 500 });

function chatStream(words: readonly string[]) {
  const events = [
    ...streamed(words, { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }),
  ];
  return [
    streamHead(),
    ...[...events, "[DONE]"].map((data) => chunk(`data: ${data}\n\n`)),
    LAST_CHUNK,
  ];
}

function messagesOf(chat: FakeUpstream): unknown {
  return JSON.parse(chat.last.text).messages;
}

Deno.test("a native upstream gets the caller's bytes, but for the model's name", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native } = routes;
  const body =
    '{ "model" : "auto", "temperature": 1.0, "odd": {"big": 12345678901234567890, "é": [1e2]},' +
    '\n "input": [ {"role":"user","content":"Hi é","odd":-0.0} ], "metadata": {"a": "b"},' +
    ' "max_output_tokens": 100, "truncation": "auto", "prompt_cache_key": "k", "store": false }';
  for (const stream of [false, true]) {
    const sentBody = stream ? body.replace("{", '{"stream": true,') : body;
    const response = await postResponse(service, sentBody);
    assertEquals(response.status, 200);
    await response.body?.cancel();
    assertEquals(native.last.text, sentBody.replace('"auto"', '"real-native"'));
    assertEquals(native.last.path, "/v1/responses");
    await service.quiet();
  }
});

Deno.test("the output limit that a wallet can buy is the only other change", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native } = routes;
  const { key } = await service.newKey({ credits: "1" });
  const { metadata } = await answered(service, { input: "Hi", max_output_tokens: 900 }, key);
  const limit = metadata.routing?.output_limit;
  assert(limit !== undefined && limit > 100 && limit < 900);
  assertEquals(
    native.last.text,
    `{"model":"real-native","input":"Hi","max_output_tokens":${limit}}`,
  );
});

Deno.test("a native answer keeps its bytes, but for the model's name and the metadata", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native } = routes;
  const raw =
    '{ "id" : "resp_1", "odd": {"n": 1.0, "big": 12345678901234567890}, "model": "x-2025",\n' +
    '"status":"completed","output": [ {"type":"new_kind_of_item","id":"n_1","x":-0.0} ],' +
    ' "usage": {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10, "odd": 1.50},' +
    ' "metadata": {"a":"b"} }';
  native.say({ raw });
  const response = await postResponse(service, { input: "Hi", metadata: { a: "b" } });
  const text = await response.text();
  const { metadata } = JSON.parse(text);
  assertEquals(metadata.a, "b");
  assertEquals(metadata.billing.total_tokens, 10);
  assertEquals(
    text,
    raw.replace('"x-2025"', '"native"').replace('{"a":"b"}', JSON.stringify(metadata)),
  );
  await service.assertBooks();
});

Deno.test("events of a native upstream keep unknown members and kinds", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native } = routes;
  native.say({ extra: { obfuscation: "x7", odd: { deep: [1.5] } } });
  const direct = await (await fetch(`${native.baseUrl}/responses`, {
    method: "POST",
    body: '{"model":"real-native","input":"Hi","stream":true}',
  })).text();
  native.say({ extra: { obfuscation: "x7", odd: { deep: [1.5] } } });
  const text = await (await postResponse(service, { input: "Hi", stream: true })).text();
  const own = (frame: string) => frame.replaceAll("native1", "native2");
  // The upstream's own stream ends without it.
  const frames = text.replace("data: [DONE]\n\n", "").split("\n\n");
  const theirs = direct.split("\n\n").map(own);
  assertEquals(frames.length, theirs.length);
  for (const [at, frame] of frames.entries()) {
    if (frame.includes('"response":{')) {
      const event = JSON.parse(frame.split("data: ")[1] ?? "");
      assertEquals(event.response.model, "native");
      assertEquals([event.odd, event.response.odd], [{ deep: [1.5] }, { deep: [1.5] }]);
    } else assertEquals(frame, theirs[at]);
  }
});

for (const stream of [false, true]) {
  const how = stream ? ", streamed" : "";

  Deno.test(`after a native upstream that fails, a chat upstream receives the whole request${how}`, async () => {
    await using routes = await twoRoutes("native", new FakeUpstream());
    const { service, native, chat } = routes;
    const first = await answered(service, { input: "My name is Ada" });
    assertEquals(first.model, "native");
    native.say({ error: OUT_OF_ORDER });
    chat.answer(
      stream ? chatStream(["You are ", "Ada"]) : json(completion({}, { content: "You are Ada" })),
    );
    const [reply] = first.output;
    const request = {
      previous_response_id: first.id,
      input: [{ type: "item_reference", id: reply?.id }, { role: "user", content: "Who am I?" }],
    };
    const response = await postResponse(service, { ...request, stream });
    const resource = stream
      ? assertEventRules(await readResponseEvents(response))
      : await response.json();
    assertEquals(resource.model, "chat");
    assertEquals(resource.previous_response_id, first.id);
    assertEquals(responseSchema.safeParse(resource).error, undefined);
    assertEquals(messagesOf(chat), [
      { role: "user", content: "My name is Ada" },
      { role: "assistant", content: "Hello there" },
      { role: "assistant", content: "Hello there" },
      { role: "user", content: "Who am I?" },
    ]);
    assertEquals(
      resource.metadata.routing?.attempts.map((
        { model, outcome }: { model: string; outcome: string },
      ) => [
        model,
        outcome,
      ]),
      [["native", "server_error"], ["chat", "ok"]],
    );
    await service.assertBooks();
  });

  Deno.test(`after a chat upstream that fails, a native one receives the whole request${how}`, async () => {
    await using routes = await twoRoutes("chat", new FakeUpstream());
    const { service, native, chat } = routes;
    const first = await answered(service, { input: "My name is Ada" });
    assertEquals(first.model, "chat");
    chat.answer(FAILED);
    const [reply] = first.output;
    const request = {
      previous_response_id: first.id,
      input: [{ type: "item_reference", id: reply?.id }, { role: "user", content: "Who am I?" }],
      temperature: 0.5,
    };
    const response = await postResponse(service, { ...request, stream });
    const resource = stream
      ? assertEventRules(await readResponseEvents(response))
      : await response.json();
    assertEquals(resource.model, "native");
    const { input, previous_response_id, temperature } = native.last.body;
    assertEquals([previous_response_id ?? null, temperature], [null, 0.5]);
    const usage = {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", annotations: [], logprobs: [], text: "Hello there" }],
    };
    assertEquals(input, [
      { type: "message", role: "user", content: "My name is Ada" },
      usage,
      usage,
      { role: "user", content: "Who am I?" },
    ]);
    // The caller receives the values that it sent, whatever the upstream was sent.
    assertEquals(resource.previous_response_id, first.id);
    assertEquals(responseSchema.safeParse(resource).error, undefined);
    await service.assertBooks();
  });
}

Deno.test("an upstream that keeps the conversation is sent its name, and nothing twice", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native } = routes;
  const first = await answered(service, { input: "My name is Ada" });
  await answered(service, { previous_response_id: first.id, input: "Who am I?" });
  assertEquals(native.last.body, {
    model: "real-native",
    previous_response_id: first.id,
    input: "Who am I?",
  });
});

Deno.test("an upstream that has forgotten the conversation receives it again", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native } = routes;
  for (const stream of [false, true]) {
    const first = await answered(service, { input: "My name is Ada" });
    native.forget();
    const request = { previous_response_id: first.id, input: "Who am I?", stream };
    const response = await postResponse(service, request);
    const resource = stream
      ? assertEventRules(await readResponseEvents(response))
      : await response.json();
    assertEquals([resource.model, resource.previous_response_id], ["native", first.id]);
    const { input, previous_response_id: sent } = native.last.body;
    assert(Array.isArray(input));
    assertEquals([sent ?? null, input.length], [null, 3]);
    assertEquals(
      resource.metadata.routing?.attempts.map(({ outcome }: { outcome: string }) => outcome),
      ["refused_input", "ok"],
    );
    await service.assertBooks();
  }
  // The first response names the ignored field; the caller knows it from then on.
  const first = await answered(service, { input: "My name is Ada" });
  const error = {
    message: "No",
    type: "invalid_request_error",
    param: "previous_response_id",
    code: null,
  };
  const refusal = { error: { status: 400, body: { error } } };
  native.say(refusal, refusal);
  const count = native.requests.length;
  const response = await postResponse(service, { input: "Hi", previous_response_id: first.id });
  assertEquals([response.status, native.requests.length - count], [400, 2]);
  await response.body?.cancel();
  await service.assertBooks();
});

Deno.test("an input item that only the service has named is written out", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native } = routes;
  const first = await answered(service, { input: "My name is Ada" });
  const { data: [named] } = await service.client().responses.inputItems.list(first.id);
  const input = [{ type: "item_reference", id: named?.id }, { role: "user", content: "Who am I?" }];
  await answered(service, { input });
  assertEquals(native.last.body["input"], [
    { type: "message", role: "user", content: "My name is Ada" },
    { role: "user", content: "Who am I?" },
  ]);
});

Deno.test("three turns, each by another kind of upstream", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native, chat } = routes;
  const first = await answered(service, { input: "One" });
  native.say({ error: OUT_OF_ORDER });
  const second = await answered(service, { input: "Two", previous_response_id: first.id });
  assertEquals([first.model, second.model], ["native", "chat"]);
  chat.answer(FAILED);
  const third = await answered(service, { input: "Three", previous_response_id: second.id });
  assertEquals(third.model, "native");
  const input = native.last.body["input"];
  assert(Array.isArray(input));
  assertEquals(
    input.map((
      { role, content },
    ) => [role, typeof content === "string" ? content : content[0].text]),
    [
      ["user", "One"],
      ["assistant", "Hello there"],
      ["user", "Two"],
      ["assistant", "Hello there"],
      ["user", "Three"],
    ],
  );
  const client = service.client();
  for (const { id, model } of [first, second, third]) {
    assertEquals((await client.responses.retrieve(id)).model, model);
  }
  await service.assertBooks();
});

Deno.test("members that the other route cannot carry, and that do not change the answer, are listed", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  const { service } = routes;
  const { metadata } = await answered(service, {
    input: [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
      { role: "user", content: "Hi", phase: "commentary" },
    ],
    max_tool_calls: 3,
    include: ["reasoning.encrypted_content"],
  });
  const lines = metadata.routing?.["not_carried"];
  assert(Array.isArray(lines));
  assertEquals(lines.map((line) => String(line).split(":")[0]).sort(), [
    "include.0",
    "input.0",
    "input.1.phase",
    "max_tool_calls",
  ]);
});

Deno.test("a member that changes the answer goes only to upstreams that can carry it", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  const { service, chat } = routes;
  const { model } = await answered(service, { input: "Hi", moderation: { model: "auto" } });
  assertEquals([model, chat.requests.length], ["native", 0]);
});
