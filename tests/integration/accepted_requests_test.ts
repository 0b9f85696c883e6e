/**
 * Valid requests that lean on little, on the route to upstreams that speak Chat Completions and on
 * that to upstreams that speak Responses.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { readResponseEvents } from "../conformance/open_responses/event_rules.ts";
import { FakeUpstream, json, sse } from "../fixtures/fake_upstream.ts";
import { assertHostedEvents } from "../fixtures/hosted_lab.ts";
import { chunkText, completion, usage, usageChunk } from "../fixtures/lab.ts";
import { answered, postResponse, refused } from "../fixtures/responses_calls.ts";
import { twoRoutes } from "../fixtures/two_routes.ts";

const user = { type: "message", role: "user", content: "What now?" };

Deno.test("a response without input follows its instructions, or continues the conversation", async () => {
  for (const route of ["chat", "native"] as const) {
    await using routes = await twoRoutes(route, new FakeUpstream());
    const { service, chat } = routes;
    const first = await answered(service, { instructions: "Greet the user" });
    assertEquals(first.status, "completed");
    if (route === "chat") {
      assertEquals(JSON.parse(chat.last.text).messages, [
        { role: "user", content: "Greet the user" },
      ]);
    }
    const next = await answered(service, { previous_response_id: first.id });
    assertEquals(next.previous_response_id, first.id);
    await answered(service, { previous_response_id: next.id, input: [] });
    if (route === "chat") {
      const roles = JSON.parse(chat.last.text).messages.map(({ role }: { role: string }) => role);
      assertEquals(new Set(roles), new Set(["assistant"]));
    }
    for (const body of [{}, { input: [] }, { input: null }, { instructions: "" }]) {
      const { status, param } = await refused(service, body);
      assertEquals([status, param], [400, "input"]);
    }
    await service.assertBooks();
  }
});

Deno.test("reasoning of an unknown id is left out, and the answer reports it", async () => {
  const forgotten = [
    { type: "reasoning", id: "rs_unknown", summary: [] },
    { type: "reasoning", id: "rs_other", summary: [{ type: "summary_text", text: "Hm" }] },
  ];
  for (const route of ["chat", "native"] as const) {
    await using routes = await twoRoutes(route, new FakeUpstream());
    const { service, chat } = routes;
    const input = [user, ...forgotten, { role: "assistant", content: "Tea" }, user];
    const { metadata } = await answered(service, { input });
    const lines = metadata.routing?.not_carried ?? [];
    assertEquals(lines.map((line) => line.split(":")[0]), ["input.1", "input.2"]);
    if (route === "native") {
      const sent: { type?: string }[] = JSON.parse(routes.native.last.text).input;
      assertEquals(sent.filter(({ type }) => type === "reasoning"), []);
    } else assertEquals(JSON.parse(chat.last.text).messages.length, 3);
    // Whatever else is only named must be kept.
    const named = await refused(service, {
      input: [user, { type: "item_reference", id: "msg_x" }],
    });
    assertEquals([named.status, named.param], [400, "input.1.id"]);
  }
});

Deno.test("a result without its call becomes a user message", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  const output = { type: "function_call_output", call_id: "call_gone", output: "21 degrees" };
  const { metadata } = await answered(routes.service, { input: [output, user] });
  const { messages } = JSON.parse(routes.chat.last.text);
  assertEquals(messages[0], {
    role: "user",
    content: "Result of tool call call_gone: 21 degrees",
  });
  assert(metadata.routing?.not_carried?.[0]?.startsWith("input.0.call_id: "));
});

const TOKENS = ["It", " is", " tea 茶"];

/** A token as Chat Completions tells it; some servers leave its bytes out. */
function scored(token: string) {
  const other = { token: "x", logprob: -3, bytes: [120] };
  return { token, logprob: -0.25, bytes: null, top_logprobs: [other] };
}

/** The same as Responses has it. */
function asResponse(token: string) {
  return { ...scored(token), bytes: [...new TextEncoder().encode(token)] };
}

Deno.test("log probabilities are carried from upstreams that speak Chat Completions", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  const { service, chat } = routes;
  const whole = completion({}, { content: TOKENS.join("") });
  const [choice] = whole["choices"] as Record<string, unknown>[];
  const logprobs = { content: TOKENS.map(scored), refusal: null };
  const include = ["message.output_text.logprobs"];
  for (const body of [{ include }, { include, top_logprobs: 1 }, { top_logprobs: 1 }, {}]) {
    chat.answer(json({ ...whole, choices: [{ ...choice, logprobs }] }));
    const { output } = await answered(service, { input: "What is it?", ...body });
    const [message] = output;
    assert(message?.type === "message" && message.content[0]?.type === "output_text");
    const hasRequest = Object.keys(body).length > 0;
    assertEquals(message.content[0].logprobs, hasRequest ? TOKENS.map(asResponse) : []);
    const sent = JSON.parse(chat.last.text);
    assertEquals([sent.logprobs, sent.top_logprobs], [
      hasRequest ? true : undefined,
      "top_logprobs" in body ? 1 : undefined,
    ]);
  }
});

Deno.test("log probabilities are streamed with the text that they are of", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  const chunk = (token: string) => {
    const value = JSON.parse(chunkText({ content: token }));
    value.choices[0].logprobs = { content: [scored(token)], refusal: null };
    return JSON.stringify(value);
  };
  routes.chat.answer(sse([
    chunkText({ role: "assistant", content: "" }),
    ...TOKENS.map(chunk),
    chunkText({}, "stop"),
    usageChunk(usage(10, 3)),
  ]));
  const body = { input: "What is it?", stream: true, include: ["message.output_text.logprobs"] };
  const events = await readResponseEvents(await postResponse(routes.service, body));
  const resource = assertHostedEvents(events);
  const pieces = events.filter(({ type }) => type === "response.output_text.delta")
    .map((event) => event["logprobs"]);
  assertEquals(pieces, TOKENS.map((token) => [asResponse(token)]));
  const [message] = resource.output;
  assert(message?.type === "message" && message.content[0]?.type === "output_text");
  assertEquals(message.content[0].logprobs, TOKENS.map(asResponse));
});
