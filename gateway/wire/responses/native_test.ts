import { assert, assertEquals, assertThrows } from "@std/assert";
import { UpstreamCut } from "../../ports/upstream.ts";
import type { AnswerEnd } from "../answer_relay.ts";
import {
  checkNativeAnswer,
  nativeDelivered,
  NativeResponseRelay,
  nativeResponseText,
} from "./native.ts";
import { echoOf, reservedMetadataConflict } from "./resource.ts";
import {
  bodyOf,
  contextOf,
  END,
  eventsOf,
  failureOf,
  METADATA,
  streamed,
} from "./responses_fixture.ts";
import { readResponseUsage } from "./usage.ts";

/** The end of a call that was billed as {@linkcode USAGE} says. */
const BILLED: AnswerEnd = {
  ...END,
  usage: { inputTokens: 3, cachedInputTokens: 1, outputTokens: 2 },
};
const USAGE = '{"input_tokens":3,"input_tokens_details":{"cached_tokens":1},"output_tokens":2,' +
  '"odd":1.50}';

function resource(status: string, usage = "null"): string {
  return `{ "id":"resp_up","model":"up-1","status":"${status}","n":1.0,"metadata":{"team":"x"},` +
    `"usage":${usage},"output":[]}`;
}

function event(type: string, number: number, fields: string): string {
  return `{"type":"${type}", "sequence_number":${number},${fields}}`;
}

const DELTA = event("response.output_text.delta", 2, '"delta":"h\\u00e9","obfuscation":"zz"');

Deno.test("events keep their bytes but for the model's name and the metadata", () => {
  const relay = new NativeResponseRelay(contextOf({ metadata: { team: "blue" } }));
  const sent = streamed(relay, [
    event("response.created", 0, `"response":${resource("in_progress")}`),
    event("response.in_progress", 1, `"response":${resource("in_progress")}`),
    DELTA,
    event("response.audio.delta", 3, '"delta":"AAAA"'),
    event("response.completed", 4, `"response":${resource("completed", USAGE)}`),
  ], BILLED);
  assert(sent.includes(`event: response.output_text.delta\ndata: ${DELTA}\n\n`));
  assert(sent.includes(`"n":1.0`) && sent.includes(`"usage":${USAGE}`));
  const events = eventsOf(sent).map(({ response }) => JSON.parse(JSON.stringify(response ?? null)));
  assertEquals(events[0].model, "fast-mini");
  assertEquals(events[0].metadata, { team: "blue", request_id: "req_1" });
  assertEquals(events[1].metadata, { team: "blue", request_id: "req_1" });
  assertEquals(events[4].metadata, { team: "blue", ...METADATA });
  assertEquals(JSON.parse(relay.resource ?? ""), events[4]);
  assertEquals(relay.usage, { inputTokens: 3, cachedInputTokens: 1, outputTokens: 2 });
  // Speech stands for a little text of its own.
  assertEquals(relay.delivered, ["hé", "A"]);
  assert(relay.finished);
});

Deno.test("the final event waits for the call's cost; counted usage fills in", () => {
  const relay = new NativeResponseRelay(contextOf());
  const last = event("response.incomplete", 1, `"response":${resource("incomplete")}`);
  assertEquals(relay.accept(last), "");
  const [sent] = [...relay.completed(END)];
  const { usage, status } = JSON.parse(relay.resource ?? "");
  assertEquals([usage.input_tokens, usage.total_tokens, status], [7, 12, "incomplete"]);
  assert(sent?.startsWith("event: response.incomplete\n"));
});

Deno.test("JSON with line breaks in it is still one event", () => {
  const relay = new NativeResponseRelay(contextOf());
  const pretty = JSON.stringify(JSON.parse(DELTA), null, 2);
  assertEquals(eventsOf(relay.accept(pretty)).map((each) => each["delta"]), ["hé"]);
});

Deno.test("an end before the response is complete is a cut", () => {
  const relay = new NativeResponseRelay(contextOf());
  relay.accept(DELTA);
  assert(!relay.finished);
  assertEquals(assertThrows(() => relay.upstreamEnded(), UpstreamCut).outcome, "cut");
  assertThrows(() => [...relay.completed(END)], UpstreamCut);
});

Deno.test("a failure continues with the upstream's id and numbers", () => {
  const relay = new NativeResponseRelay(contextOf());
  relay.accept(event("response.created", 0, `"response":${resource("in_progress")}`));
  relay.accept(DELTA);
  const failure = failureOf("upstream_error", "Broken");
  const end = { metadata: METADATA, usage: END.usage };
  const events = eventsOf([...relay.failed(failure, end)].join(""));
  assertEquals(events.map((each) => [each.type, each.sequence_number]), [
    ["response.failed", 3],
    ["error", 4],
  ]);
  const { id, status, error, usage } = JSON.parse(relay.resource ?? "");
  assertEquals([id, status, error.message, usage.output_tokens], [
    "resp_up",
    "failed",
    "Broken",
    5,
  ]);
  const unbilled = new NativeResponseRelay(contextOf());
  const [, last] = eventsOf([...unbilled.failed(failure, { metadata: METADATA })].join(""));
  assertEquals(last?.sequence_number, 1);
  assertEquals(JSON.parse(unbilled.resource ?? "").usage, null);
});

Deno.test("a text that is not an event breaks the stream with its reason", () => {
  const cases: [string, string][] = [
    ["{not json", "malformed"],
    ["[]", "malformed"],
    ["{}", "malformed"],
    // Its name would end its own line, and begin an event of its own.
    ['{"type":"odd\\ndata: {}\\n\\nevent: response.completed","sequence_number":2}', "malformed"],
    ['{"type":"odd\\rdata: {}","sequence_number":2}', "malformed"],
    ['{"type":"response.completed"}', "malformed"],
    ['{"type":"error","message":"boom"}', "server_error"],
    [`{"type":"response.failed","response":${resource("failed")}}`, "server_error"],
  ];
  for (const [text, outcome] of cases) {
    const relay = new NativeResponseRelay(contextOf());
    assertEquals(assertThrows(() => relay.accept(text), UpstreamCut).outcome, outcome, text);
  }
});

Deno.test("a complete answer keeps its bytes; usage that is missing is counted usage", () => {
  const own = nativeResponseText(bodyOf(resource("completed", USAGE)), contextOf(), BILLED);
  assert(own.includes('"n":1.0') && own.includes(`"usage":${USAGE}`));
  assertEquals(JSON.parse(own).model, "fast-mini");
  const counted = nativeResponseText(bodyOf(resource("completed")), contextOf(), END);
  assertEquals(JSON.parse(counted).usage.input_tokens, 7);
});

Deno.test("usage that is not what was billed, or does not add up, gives way to the bill", () => {
  const { inputTokens: input_tokens, outputTokens: output_tokens } = BILLED.usage;
  const text = { input_tokens, output_tokens, input_tokens_details: { cached_tokens: 1 } };
  const lies = [
    { ...text, total_tokens: 999 },
    { ...text, input_tokens: 4 },
    { ...text, output_tokens: 1.5 },
    { ...text, input_tokens_details: { cached_tokens: 7 } },
    { ...text, total_tokens: "5" },
  ];
  for (const usage of lies) {
    const output_tokens_details = { reasoning_tokens: 9 };
    const whole = bodyOf(
      resource("completed", JSON.stringify({ ...usage, output_tokens_details })),
    );
    const sent = JSON.parse(nativeResponseText(whole, contextOf(), BILLED)).usage;
    assertEquals(sent, {
      input_tokens: 3,
      input_tokens_details: { cached_tokens: 1, cache_write_tokens: 0 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 5,
    });
  }
});

Deno.test("checkNativeAnswer() refuses an unusable status, id and output", () => {
  const outcomeOf = (answer: unknown) =>
    assertThrows(() => checkNativeAnswer(bodyOf(answer)), UpstreamCut).outcome;
  const whole = JSON.parse(resource("completed"));
  checkNativeAnswer(bodyOf(whole));
  checkNativeAnswer(bodyOf({ ...whole, status: "incomplete", output: [{}] }));
  assertEquals(outcomeOf({ ...whole, status: "failed" }), "server_error");
  for (const status of ["queued", "cancelled", "odd", { toString: 1 }, null, undefined]) {
    assertEquals(outcomeOf({ ...whole, status }), "malformed");
  }
  for (const id of ["", 7, null, undefined]) assertEquals(outcomeOf({ ...whole, id }), "malformed");
  for (const output of [undefined, null, {}, [null], [5], [{}, "x"], [[]]]) {
    assertEquals(outcomeOf({ ...whole, output }), "malformed");
  }
});

Deno.test("a stream must begin and end with an answer too", () => {
  const whole = JSON.parse(resource("completed"));
  const cases: [string, Readonly<Record<string, unknown>>][] = [
    ["response.created", { id: 7 }],
    ["response.created", { id: undefined }],
    ["response.completed", { id: undefined }],
    ["response.completed", { status: "queued" }],
    ["response.completed", { output: [null] }],
    ["response.incomplete", { output: undefined }],
  ];
  for (const [type, wrong] of cases) {
    const relay = new NativeResponseRelay(contextOf());
    const usage = JSON.parse(USAGE);
    const text = JSON.stringify({ type, response: { ...whole, usage, ...wrong } });
    assertEquals(assertThrows(() => relay.accept(text), UpstreamCut).outcome, "malformed", text);
    assert(!relay.finished);
    // It was reported all the same, and is what a caller of a stream is charged.
    assertEquals(relay.usage, BILLED.usage);
  }
});

Deno.test("usage that a failure reports is noted", () => {
  const relay = new NativeResponseRelay(contextOf());
  const failed = event("response.failed", 1, `"response":${resource("failed", USAGE)}`);
  assertEquals(assertThrows(() => relay.accept(failed), UpstreamCut).outcome, "server_error");
  assertEquals(relay.usage, BILLED.usage);
});

Deno.test("delivered text is counted also without deltas", () => {
  const message = { type: "message", content: [{ type: "output_text", text: "Hello there" }] };
  const done = JSON.stringify({ type: "response.output_item.done", item: message });
  const created = event("response.created", 0, `"response":${resource("in_progress")}`);
  const closing = (output: unknown) =>
    JSON.stringify({
      type: "response.completed",
      response: { ...JSON.parse(resource("completed")), output },
    });
  const streams: [string[], string][] = [
    [[created, done], "Hello there"],
    [[created, closing([message])], "Hello there"],
    [[created, done, closing([message])], "Hello there"],
    // Nothing is counted twice, and the fullest account is the one that counts.
    [[created, DELTA, done, closing([])], "Hello there"],
    [[created, DELTA, closing([])], "hé"],
    [[created, event("x", 1, '"item":null'), closing([])], ""],
  ];
  for (const [texts, expected] of streams) {
    const relay = new NativeResponseRelay(contextOf());
    for (const text of texts) relay.accept(text);
    assertEquals(relay.delivered.join(""), expected);
  }
});

Deno.test("searches are counted by their items, and once", () => {
  const search = { type: "web_search_call", action: { type: "search", query: "q" } };
  const look = { type: "web_search_call", action: { type: "open_page" } };
  const done = JSON.stringify({ type: "response.output_item.done", item: search });
  const response = { ...JSON.parse(resource("completed")), output: [search, look, search] };
  const closing = JSON.stringify({ type: "response.completed", response });
  for (const texts of [[closing], [done, closing], [done, done, closing]]) {
    const relay = new NativeResponseRelay(contextOf());
    for (const text of texts) relay.accept(text);
    assertEquals(relay.searches, 2);
  }
});

Deno.test("a response is complete once: what comes after it is not passed on, nor billed", () => {
  const relay = new NativeResponseRelay(contextOf());
  const first = event("response.completed", 1, `"response":${resource("completed", USAGE)}`);
  const sent = streamed(relay, [
    first,
    DELTA,
    event("response.completed", 2, `"response":${resource("completed")}`),
    '{"type":"error"}',
  ], BILLED);
  assertEquals(eventsOf(sent).map(({ type }) => type), ["response.completed"]);
  assertEquals(relay.usage, BILLED.usage);
  assert(sent.includes(`"usage":${USAGE}`));
});

Deno.test("everything that a model wrote counts as delivered", () => {
  const output = [
    { type: "reasoning", summary: [{ text: "a" }], content: [{ text: "b" }] },
    { type: "message", content: [{ text: "c" }, { refusal: "d" }, null] },
    { type: "function_call", name: "e", arguments: "f" },
    { type: "custom_tool_call", input: "g" },
  ];
  assertEquals(nativeDelivered(bodyOf({ output })).join(""), "abcdefg");
  assertEquals(nativeDelivered(bodyOf({})), []);
});

Deno.test("usage without numbers is ignored; all output of the total counts", () => {
  for (const usage of [null, 7, {}, { input_tokens: "1", output_tokens: 1 }]) {
    assertEquals(readResponseUsage(usage), undefined);
  }
  const apart = { input_tokens: 10, output_tokens: 5, total_tokens: 115 };
  assertEquals(readResponseUsage(apart)?.outputTokens, 105);
  for (const name of ["cached_tokens", "prompt_cache_hit_tokens"]) {
    assertEquals(readResponseUsage({ ...apart, [name]: 4 })?.cachedInputTokens, 4, name);
  }
});

Deno.test("usage that came before an answer was ended for its length is still reported", () => {
  const relay = new NativeResponseRelay(contextOf());
  relay.accept(event("response.in_progress", 1, `"response":${resource("in_progress", USAGE)}`));
  relay.accept(DELTA);
  relay.limitReached();
  assertEquals(relay.usage, { inputTokens: 3, cachedInputTokens: 1, outputTokens: 2 });
  const usage = { inputTokens: 9, cachedInputTokens: 1, outputTokens: 8 };
  const last = [...relay.completed({ ...BILLED, usage })].join("");
  assert(last.includes('"input_tokens":9'), last);
});

Deno.test("an input that arrives without deltas is counted once", () => {
  const relay = new NativeResponseRelay(contextOf());
  relay.accept(event("response.custom_tool_call_input.done", 1, '"input":"ls"'));
  assertEquals(relay.delivered, ["ls"]);
  const item = '{"type":"custom_tool_call","id":"ct_1","call_id":"c","name":"sh","input":"ls"}';
  relay.accept(event("response.output_item.done", 2, `"item":${item}`));
  assertEquals(relay.delivered, ["sh", "ls"]);
});

Deno.test("the service's own names are not the caller's", () => {
  assertEquals(reservedMetadataConflict({ team: "a", billing: "b" }), "billing");
  assertEquals(reservedMetadataConflict({ team: "a" }), undefined);
  assertEquals(reservedMetadataConflict(null), undefined);
});

Deno.test("a response repeats its request, with defaults for what was left open", () => {
  const open = echoOf({ model: "auto", input: "Hi" });
  assertEquals([open.temperature, open.store, open.tool_choice, open.text.format.type], [
    1,
    true,
    "auto",
    "text",
  ]);
  const set = echoOf({
    model: "auto",
    tools: [{ type: "function", name: "f" }],
    temperature: 0,
    store: false,
    text: { format: { type: "json_object" }, verbosity: "low" },
    reasoning: { effort: "low" },
    service_tier: "flex",
    presence_penalty: 0.5,
  });
  assertEquals(set.tools as unknown, [
    { type: "function", name: "f", description: null, parameters: null, strict: null },
  ]);
  assertEquals([set.temperature, set.store, set.service_tier, set.presence_penalty], [
    0,
    false,
    "flex",
    0.5,
  ]);
  assertEquals(set.reasoning, { effort: "low", summary: null });
  assertEquals(set.text.verbosity, "low");
});
