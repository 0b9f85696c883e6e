import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { ResponsesRequest } from "@svc/sdk/protocol";
import fc from "fast-check";
import { responseEventSchema } from "../../http/schemas/responses_events.ts";
import { UpstreamCut } from "../../ports/upstream.ts";
import { ITEM_CHARS } from "../text/char_budget.ts";
import { responseOf } from "./answer.ts";
import { ResponseEventRelay } from "./event_relay.ts";
import {
  bodyOf,
  checkEvents,
  chunkText,
  collected,
  contextOf,
  END,
  eventsOf,
  failureOf,
  METADATA,
  streamed,
} from "./responses_fixture.ts";

const USAGE = {
  prompt_tokens: 11,
  completion_tokens: 6,
  total_tokens: 17,
  prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

const call = fc.record({
  name: fc.string({ minLength: 1 }),
  arguments: fc.string(),
  signature: fc.option(fc.string(), { nil: undefined }),
});

const answer = fc.record({
  reasoning_content: fc.string(),
  content: fc.string({ unit: "binary" }),
  refusal: fc.string(),
  calls: fc.array(call, { maxLength: 4 }),
  finish: fc.constantFrom("stop", "length", "content_filter", "tool_calls"),
  summary: fc.constantFrom(null, "auto"),
  cut: fc.integer({ min: 1, max: 5 }),
  shuffle: fc.boolean(),
  splitNames: fc.boolean(),
});

type Answer = typeof answer extends fc.Arbitrary<infer T> ? T : never;

function pieces(text: string, size: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(text.slice(at, at + size));
  return parts;
}

/** A name whose second piece says the first again passes for one that is repeated: it stays whole. */
function namePieces(name: string, size: number): string[] {
  const parts = pieces(name, size);
  return parts[1] === parts[0] ? [name] : parts;
}

function callsOf({ calls }: Answer) {
  return calls.map(({ name, arguments: text, signature }, at) => ({
    id: `call_${at}`,
    type: "function",
    function: { name, arguments: text },
    ...(signature === undefined ? {} : { thought_signature: signature }),
  }));
}

function chunksOf(wanted: Answer): string[] {
  const { cut } = wanted;
  const deltas: unknown[] = [{ role: "assistant", content: "" }];
  for (const name of ["reasoning_content", "content", "refusal"] as const) {
    for (const piece of pieces(wanted[name], cut)) deltas.push({ [name]: piece });
  }
  const calls = callsOf(wanted);
  for (const [index, { function: called, ...rest }] of calls.entries()) {
    const [name, ...more] = wanted.splitNames ? namePieces(called.name, cut) : [called.name];
    deltas.push({ tool_calls: [{ index, ...rest, function: { name, arguments: "" } }] });
    for (const piece of more) {
      deltas.push({ tool_calls: [{ index, function: { name: piece, arguments: "" } }] });
    }
  }
  const inputs = calls.flatMap(({ function: called }, index) =>
    pieces(called.arguments, cut).map((piece, turn) => ({ index, piece, turn }))
  );
  if (wanted.shuffle) inputs.sort((one, other) => one.turn - other.turn);
  for (const { index, piece } of inputs) {
    deltas.push({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  return [
    ...deltas.map((delta) => chunkText(delta)),
    chunkText({}, { finish_reason: wanted.finish }),
    JSON.stringify({ id: "c1", choices: [], usage: USAGE }),
  ];
}

function completionOf(wanted: Answer) {
  const { reasoning_content, content, refusal, finish } = wanted;
  const tool_calls = callsOf(wanted);
  return bodyOf({
    choices: [{
      index: 0,
      message: { role: "assistant", reasoning_content, content, refusal, tool_calls },
      finish_reason: finish,
    }],
    usage: USAGE,
  });
}

Deno.test("a streamed answer is the answer itself, for OpenAI's client as well", async () => {
  await fc.assert(
    fc.asyncProperty(answer, async (wanted) => {
      const request: Partial<ResponsesRequest> = {
        reasoning: { summary: wanted.summary },
        metadata: { team: "blue" },
        tools: [{ type: "function", name: "f" }, { type: "web_search_preview" }],
      };
      const relay = new ResponseEventRelay(contextOf(request));
      const events = eventsOf(streamed(relay, chunksOf(wanted)));
      const last = checkEvents(events);
      const whole = JSON.parse(responseOf(completionOf(wanted), contextOf(request), END));
      assertEquals(last, whole);
      assertEquals(JSON.parse(relay.resource ?? ""), whole);
      assertEquals(await collected(events), whole);
      const texts = wanted.reasoning_content + wanted.content + wanted.refusal;
      const calls = wanted.calls.map((each) => each.name + each.arguments).join("");
      assertEquals(relay.delivered.join(""), texts + calls);
    }),
  );
});

Deno.test("the whole sequence of a short answer, in order", () => {
  const relay = new ResponseEventRelay(contextOf());
  const events = eventsOf(streamed(relay, [
    chunkText({ role: "assistant", content: "" }),
    chunkText({ reasoning: "Hm" }),
    chunkText({ content: "He" }),
    chunkText({ content: "llo" }),
    chunkText({ content: " you" }),
    chunkText({ tool_calls: [{ id: "c1", function: { name: "f", arguments: "{}" } }] }),
    chunkText({}, { finish_reason: "tool_calls", usage: USAGE }),
  ]));
  checkEvents(events);
  assertEquals(events.map(({ type }) => type.replace("response.", "")), [
    ...["created", "in_progress", "output_item.added", "content_part.added"],
    ...["reasoning_text.delta", "reasoning_text.done", "content_part.done", "output_item.done"],
    ...["output_item.added", "content_part.added"],
    ...["output_text.delta", "output_text.delta", "output_text.delta"],
    ...["output_text.done", "content_part.done", "output_item.done"],
    ...["output_item.added", "function_call_arguments.delta"],
    ...["function_call_arguments.done", "output_item.done", "completed"],
  ]);
  assertEquals(relay.usage, {
    inputTokens: 11,
    cachedInputTokens: 3,
    cacheWriteInputTokens: 4,
    outputTokens: 6,
  });
  assert(relay.finished);
  const last = events.at(-1);
  assert(last?.type === "response.completed");
  // As billed.
  assertEquals(last.response.usage?.input_tokens_details, {
    cached_tokens: END.usage.cachedInputTokens,
    cache_write_tokens: 0,
  });
  assertEquals(last.response.usage?.output_tokens_details.reasoning_tokens, 2);
  assertEquals(last.response.metadata, METADATA);
});

Deno.test("text after a tool call is a message of its own, and the call stays open for it", () => {
  const events = eventsOf(streamed(new ResponseEventRelay(contextOf()), [
    chunkText({ tool_calls: [{ index: 0, id: "c1", function: { name: "f", arguments: "{" } }] }),
    chunkText({ content: "Wait" }),
    chunkText({ tool_calls: [{ index: 0, function: { arguments: "}" } }] }),
    chunkText({}, { finish_reason: "length" }),
  ]));
  const { output, status, incomplete_details, completed_at } = checkEvents(events);
  assertEquals(output.map((item) => [item.type, item.status]), [
    ["function_call", "completed"],
    ["message", "incomplete"],
  ]);
  assertEquals(status, "incomplete");
  assertEquals(incomplete_details, { reason: "max_output_tokens" });
  assertEquals(completed_at, null);
});

Deno.test("opaque members keep their bytes, on one line; later ones are merged", () => {
  const signed = '{"google":{ "thought_signature":"a+/=",\n"n":1.0}}';
  const relay = new ResponseEventRelay(contextOf());
  const sent = streamed(relay, [
    chunkText({ content: "x", thought_signature: "text" }),
    chunkText({ tool_calls: ["@"] }).replace(
      '"@"',
      `{"id":"a","function":{"name":"f","arguments":"{}"},"extra_content":${signed}}`,
    ),
    chunkText({
      tool_calls: [{ id: "b", function: { name: "g" }, extra_content: { a: { x: 1 } } }],
    }),
    chunkText({ tool_calls: [{ extra_content: { a: { y: 2 } }, thought_signature: "late" }] }),
    chunkText({}, { finish_reason: "tool_calls" }),
  ]);
  assert(sent.includes(`"extra_content":${signed.replace("\n", " ")}`));
  const { output } = checkEvents(eventsOf(sent));
  assertEquals(output.map((item) => item["thought_signature"]), ["text", undefined, "late"]);
  assertEquals(output[2]?.["extra_content"], { a: { x: 1, y: 2 } });
});

Deno.test("calls are distinguished by id, by index, or continue the last one", () => {
  const delta = (...tool_calls: unknown[]) => chunkText({ tool_calls });
  const { output } = checkEvents(eventsOf(streamed(new ResponseEventRelay(contextOf()), [
    delta({ index: 0, id: "a", function: { name: "f", arguments: "1" } }),
    delta({ index: 0, id: "b", function: { name: "g", arguments: "2" } }),
    delta({ id: "a", function: { arguments: "3" } }),
    delta({ function: { arguments: "4" } }),
    delta({ index: 5, function: { arguments: "early" } }),
    delta({ index: 5, function: { name: "h" } }),
    delta({ index: 6, id: "nameless", function: {} }),
  ])));
  assertEquals(output.map((item) => [item["call_id"], item["name"], item["arguments"]]), [
    ["a", "f", "134"],
    ["b", "g", "2"],
    ["call_4", "h", "early"],
    ["nameless", "", ""],
  ]);
});

Deno.test("a function's name is sent once it is complete, for any pieces", () => {
  const named = (index: number, name: string, more: Readonly<Record<string, unknown>> = {}) =>
    chunkText({ tool_calls: [{ index, function: { name, arguments: "" }, ...more }] });
  const sent = streamed(new ResponseEventRelay(contextOf()), [
    chunkText({ content: "Well" }),
    named(0, "get_", { id: "a" }),
    named(0, "weather"),
    named(1, "f", { id: "b" }),
    // Some upstreams say id and name with every piece.
    named(1, "f", { id: "b" }),
    chunkText({ tool_calls: [{ index: 1, id: "b", function: { name: "f", arguments: "{}" } }] }),
    named(2, "last", { id: "c" }),
    named(2, "_one"),
    chunkText({ content: "Wait" }),
    chunkText({}, { finish_reason: "tool_calls" }),
  ]);
  const events = eventsOf(sent);
  const { output } = checkEvents(events);
  assertEquals(output.map((item) => [item.type, item["name"]]), [
    ["message", undefined],
    ["function_call", "get_weather"],
    ["function_call", "f"],
    ["function_call", "last_one"],
    ["message", undefined],
  ]);
  const begun = events.filter((event) => event.type === "response.output_item.added");
  assertEquals(begun.map(({ item }) => item["name"]), output.map((item) => item["name"]));
});

Deno.test("citations are sent as they arrive", () => {
  const page = { start_index: 0, end_index: 2, url: "https://a.test/", title: "A" };
  const file = { type: "file_citation", file_id: "f1", filename: "a.md", index: 2 };
  const annotations = [{ type: "url_citation", url_citation: page }, file, { type: "odd" }];
  const events = eventsOf(streamed(new ResponseEventRelay(contextOf()), [
    chunkText({ content: "Hi" }),
    chunkText({ annotations }),
    chunkText({}, { finish_reason: "stop" }),
  ]));
  const { output } = checkEvents(events);
  const cited = [{ type: "url_citation", ...page }, file];
  assert(output[0]?.type === "message" && output[0].content[0]?.type === "output_text");
  assertEquals(output[0].content[0].annotations as unknown, cited);
  const added = events.filter(({ type }) => type === "response.output_text.annotation.added");
  assertEquals(added.map((event) => event["annotation"]), cited);
  const whole = { choices: [{ message: { content: "Hi", annotations }, finish_reason: "stop" }] };
  const response = JSON.parse(responseOf(bodyOf(whole), contextOf(), END));
  assertEquals(response.output, output as unknown);
});

Deno.test("an empty answer completes without output", () => {
  const relay = new ResponseEventRelay(contextOf());
  const response = checkEvents(eventsOf(streamed(relay, [])));
  assertEquals(response.output, []);
  assertEquals(response.usage?.input_tokens, 7);
  assertEquals(relay.delivered, []);
  assert(relay.finished);
});

Deno.test("a failure tells what there was, then makes clients raise an error", async () => {
  const relay = new ResponseEventRelay(contextOf());
  let sent = relay.accept(chunkText({ content: "Hel" }));
  sent += relay.accept(chunkText({ tool_calls: [{ id: "a", function: { name: "f" } }] }));
  const failure = failureOf("upstream_timeout", "The answer broke off");
  for (const event of relay.failed(failure, { metadata: METADATA, usage: END.usage })) {
    sent += event;
  }
  const events = eventsOf(sent);
  for (const [at, event] of events.entries()) {
    assertEquals(responseEventSchema.safeParse(event).error?.issues, undefined, event.type);
    assertEquals(event.sequence_number, at);
  }
  const [failed, error] = events.slice(-2);
  assert(failed?.type === "response.failed" && error?.type === "error");
  assertEquals(failed.response.error, { code: "server_error", message: "The answer broke off" });
  assertEquals(failed.response.output.map(({ status }) => status), ["completed", "incomplete"]);
  assertEquals([error.code, error.param], ["upstream_timeout", null]);
  await assertRejects(() => collected(events), Error, "The answer broke off");
});

Deno.test("a failure before anything came still begins; without a bill it has no usage", () => {
  const relay = new ResponseEventRelay(contextOf());
  const failure = failureOf("rate_limit_exceeded", "Wait");
  const events = eventsOf([...relay.failed(failure, { metadata: METADATA })].join(""));
  assertEquals(events.map(({ type }) => type), [
    "response.created",
    "response.in_progress",
    "response.failed",
    "error",
  ]);
  const { usage, error } = JSON.parse(relay.resource ?? "");
  assertEquals([usage, error.code], [null, "rate_limit_exceeded"]);
});

Deno.test("an event that is not a chunk breaks the stream with its reason", () => {
  const cases: [string, string][] = [
    ["{not json", "malformed"],
    ["7", "malformed"],
    ['{"choices":{}}', "malformed"],
    ['{"choices":[7]}', "malformed"],
    ['{"choices":[{"index":0,"delta":3}]}', "malformed"],
    ['{"choices":[{"index":0,"delta":{"tool_calls":[null]}}]}', "malformed"],
    ['{"error":{"message":"boom"}}', "server_error"],
  ];
  for (const [text, outcome] of cases) {
    const relay = new ResponseEventRelay(contextOf());
    const error = assertThrows(() => relay.accept(text), UpstreamCut);
    assertEquals(error.outcome, outcome, text);
  }
});

Deno.test("other choices are not sent", () => {
  const relay = new ResponseEventRelay(contextOf());
  const second = { index: 1 };
  const response = checkEvents(eventsOf(streamed(relay, [
    chunkText({ content: "other" }, second),
    chunkText({ content: "more" }, second),
    chunkText({ content: "mine" }),
  ])));
  assertEquals(JSON.stringify(response.output).includes("other"), false);
  assertEquals(relay.delivered, ["mine"]);
});

Deno.test("a long text comes together, halves of surrogate pairs among its pieces", () => {
  const relay = new ResponseEventRelay(contextOf());
  const pieces = Array.from({ length: 20_000 }, (_, at) => `word ${at} "é" `);
  for (const content of ["\ufeff", ...pieces, "\ud83d", "\ude00", "\ud83d"]) {
    relay.accept(chunkText({ content }));
  }
  const text = `\ufeff${pieces.join("")}\u{1f600}\ud83d`;
  assertEquals(relay.delivered, [text]);
  const events = eventsOf([...relay.completed(END)].join(""));
  const done = events.find(({ type }) => type === "response.output_text.done");
  assertEquals(done?.["text"], text);
});

Deno.test("text that no model writes breaks the answer off: all of it would be said again", () => {
  const relay = new ResponseEventRelay(contextOf());
  const piece = "a".repeat(1024 * 1024 - ITEM_CHARS / 4);
  for (let at = 0; at < 4; at += 1) relay.accept(chunkText({ content: piece }));
  const error = assertThrows(() => relay.accept(chunkText({ content: "b" })), UpstreamCut);
  assertEquals(error.outcome, "malformed");
});

Deno.test("whole calls of one delta stay apart, each with an id of its own", () => {
  for (const id of [undefined, "", "same"]) {
    const relay = new ResponseEventRelay(contextOf());
    const call = (input: string) => ({ id, function: { name: "f", arguments: input } });
    const calls = [call('{"a":1}'), call('{"a":2}')];
    const sent = relay.accept(chunkText({ tool_calls: calls }));
    checkEvents(eventsOf(sent + [...relay.completed(END)].join("")));
    const { output } = JSON.parse(relay.resource ?? "");
    const inputs = output.map((item: Record<string, unknown>) => item["arguments"]);
    assertEquals(inputs, ['{"a":1}', '{"a":2}']);
    assertEquals(new Set(output.map((item: Record<string, unknown>) => item["call_id"])).size, 2);
    const whole = JSON.parse(responseOf(
      bodyOf({ choices: [{ message: { content: null, tool_calls: calls } }] }),
      contextOf(),
      END,
    ));
    const ids = whole.output.map((item: Record<string, unknown>) => item["call_id"]);
    assertEquals(new Set(ids).size, 2);
  }
});

Deno.test("each member that the upstream left out is reported once, for any chunk", () => {
  const relay = new ResponseEventRelay(contextOf());
  const chunk = JSON.parse(chunkText({ content: "a" }));
  relay.accept(JSON.stringify({ ...chunk, upstream_warnings: ["seed", "user"] }));
  relay.accept(JSON.stringify({ ...chunk, upstream_warnings: ["seed", "name", 5] }));
  assertEquals(relay.notCarried, ["seed", "user", "name"]);
});
