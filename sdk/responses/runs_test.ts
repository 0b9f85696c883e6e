import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  ConfigurationError,
  type ResponseCreateRequest,
  type ResponseRunResult,
  type ResponseShapes,
  RunError,
  type RunOptions,
  type ServiceClient,
} from "../mod.ts";
import {
  call,
  ending,
  eventsOf,
  type Fields,
  message,
  metadata,
  opening,
  resource,
  scripted,
  sse,
  usage,
} from "./script_test.ts";

const double = {
  name: "double",
  description: "Doubles a number",
  parameters: { type: "object", properties: { n: { type: "number" } } },
  execute: (input: unknown) => 2 * Object(input).n,
};

/** As providers write them: with fields that only they can read. */
const REASONING = {
  ...{ type: "reasoning", id: "rs_1", encrypted_content: "gAAA", own: { a: [1] } },
  summary: [{ type: "summary_text", text: "Double it" }],
};
const CALL = call("double", {
  arguments: '{"n":21}',
  extra_content: { google: { thought_signature: "c2ln" } },
  thought_signature: "bmF0",
});
const SEARCH = { type: "web_search_call", id: "ws_1", status: "completed", action: { q: "x" } };
const SAID = message("Let me see");
const ANSWER = message("It is 42");
const TURNS = [resource([REASONING, SEARCH, SAID, CALL]), resource([ANSWER])];
const RESULT = { type: "function_call_output", call_id: "call_double", output: "42" };

type Run = (
  client: ServiceClient,
  request: ResponseCreateRequest,
  options?: RunOptions<ResponseShapes>,
) => Promise<ResponseRunResult>;

/** Both ways to run. */
const RUNS: Readonly<Record<string, Run>> = {
  run: (client, request, options) => client.responses.run(request, options),
  runStream: async (client, request, options) => await client.responses.runStream(request, options),
};

for (const [name, run] of Object.entries(RUNS)) {
  Deno.test(`${name} gives every item of each turn back, whole`, async () => {
    const { client, sent } = scripted(TURNS, { tools: [double] });
    const result = await run(client, { input: "Double 21", store: false });
    const input = [
      ...[{ type: "message", role: "user", content: "Double 21" }, REASONING, SEARCH, SAID, CALL],
      RESULT,
    ];
    assertEquals(sent.map(({ input }) => input), ["Double 21", input]);
    assertEquals(sent.map(({ store }) => store), [false, false]);
    assertEquals<unknown>(result.input, [...input, ANSWER]);
    assertEquals([result.finalText, result.stoppedBy, result.finishReason], [
      ...["It is 42", "finish", "stop"],
    ]);
    assertEquals(result.steps.map(({ finishReason }) => finishReason), ["tool_calls", "stop"]);
    assertEquals(result.steps[0]?.reasoning, "Double it");
    assertEquals(result.response?.outputText, "It is 42");
    assertEquals(result.requestId, "req-header");
  });

  Deno.test(`${name} keeps what the request continues, and the list that it came with`, async () => {
    const { client, sent } = scripted(TURNS, { tools: [double] });
    const items = [{ role: "user", content: "Double 21" }];
    await run(client, { input: items, previous_response_id: "resp_0" });
    assertEquals(sent.map((body) => body["previous_response_id"]), ["resp_0", "resp_0"]);
    assertEquals(sent[0]?.input, items);
    assertEquals(items.length, 1);
  });

  Deno.test(`${name} emits text, results and steps, without the text of other tasks`, async () => {
    const plan = { orchestration: { task_id: "task_1" } };
    const aside = [
      { type: "response.output_text.delta", delta: "secret", ...plan },
      { type: "response.completed", response: resource([message("secret")]), ...plan },
      { type: "svc:task.delta", delta: "secret" },
    ];
    const final = { orchestration: { task_id: "final" } };
    const last = eventsOf(resource([ANSWER])).map((event) => ({ ...event, ...final }));
    const streams = [eventsOf(resource([SAID, CALL])), [...aside, ...last]];
    const { client } = scripted(
      (sent, at) => sent["stream"] === true ? sse(streams[at] ?? []) : TURNS[at] ?? {},
      { tools: [double] },
    );
    const received: unknown[] = [];
    let beside = "";
    const result = await run(client, { input: "Double 21" }, {
      onTextDelta: (text) => void received.push(text),
      onIntermediateText: (text) => void (beside += text),
      onToolResult: ({ output }) => void received.push(output),
      onStep: ({ index }) => void received.push({ step: index }),
    });
    assertEquals(received.filter((one) => typeof one === "string").join(""), "It is 42");
    assertEquals(beside, "Let me see");
    assertEquals(received.filter((one) => typeof one !== "string"), [42, { step: 0 }, { step: 1 }]);
    assertEquals([result.finalText, result.response?.outputText], ["It is 42", "It is 42"]);
  });

  Deno.test(`${name} sends auto, for any choice of prepareStep`, async () => {
    const { client, sent } = scripted([resource([ANSWER])]);
    await run(client, { input: "Hi" }, { prepareStep: () => ({ input: "Hello" }) });
    assertEquals([sent[0]?.input, sent[0]?.["model"]], ["Hello", "auto"]);
    const named: ResponseCreateRequest = JSON.parse('{"model":"fast-mini"}');
    const ask = () => run(client, { input: "Hi" }, { prepareStep: () => named });
    await assertRejects(ask, ConfigurationError, 'the model "fast-mini"');
    assertEquals(sent.length, 1);
  });

  Deno.test(`${name} sums usage and bills`, async () => {
    const { client } = scripted([
      resource([CALL], { usage: usage(), metadata: metadata("req-1") }),
      resource([ANSWER], { usage: usage(2), metadata: metadata("req-2") }),
    ], { tools: [double] });
    const result = await run(client, { input: "Double 21" });
    assertEquals(result.usage, {
      ...{ inputTokens: 30, cachedInputTokens: 12, outputTokens: 15, reasoningTokens: 6 },
      totalTokens: 45,
    });
    assertEquals([result.billing?.charged, result.requestId], ["0.500000", "req-2"]);
  });

  Deno.test(`${name} carries what was complete when a later turn fails`, async () => {
    const error = { message: "Too late", code: "upstream_timeout", request_id: "req-2" };
    const { client } = scripted([TURNS[0] ?? {}, Response.json({ error }, { status: 504 })], {
      tools: [double],
    });
    const raised = await assertRejects(() => run(client, { input: "Double 21" }), RunError);
    const { result } = raised as RunError<ResponseRunResult>;
    assertEquals([raised.message, result.stoppedBy], ["Too late", "error"]);
    assertEquals<unknown>(result.input.at(-1), RESULT);
    assertEquals(result.finalText, "");
  });
}

Deno.test("runStream tells the pieces of reasoning, text and calls", async () => {
  const other = call("double", { id: "fc_2", call_id: "call_2", arguments: "{}" });
  const { client } = scripted([resource([REASONING, CALL, other]), resource([ANSWER])], {
    tools: [double],
  });
  const seen: string[] = [];
  for await (const event of client.responses.runStream({ input: "Double" })) {
    if (event.type === "reasoning_delta") seen.push(`reasoning ${event.text}`);
    if (event.type === "tool_call_delta") {
      seen.push(`call ${event.index} ${event.name ?? ""} ${event.arguments}`);
    }
    if (event.type === "finish") seen.push(event.finishReason);
  }
  assertEquals(seen, [
    ...["reasoning Doubl", "reasoning e it", "call 0 double ", 'call 0  {"n"', "call 0  :21}"],
    ...["call 1 double ", "call 1  {", "call 1  }", "tool_calls", "stop"],
  ]);
});

Deno.test("pieces of calls without a place belong to the call of their id, else to the last", async () => {
  const { type, ...item } = call("double");
  const added = { type: "response.output_item.added", item: { type, ...item } };
  const piece = (delta: string, more: Fields = {}) => ({
    ...{ type: "response.function_call_arguments.delta", delta, ...more },
  });
  const second = { ...added, item: { ...added.item, id: "fc_2" } };
  const pieces = [
    piece("a", { item_id: "fc_double" }),
    piece("b"),
    piece("c", { item_id: "fc_2" }),
  ];
  const whole = resource([]);
  const events = [...opening(whole), piece("early"), added, second, ...pieces, ending(whole)];
  const { client } = scripted([sse(events)]);
  const seen: unknown[] = [];
  for await (const event of client.responses.runStream({ input: "Double" })) {
    if (event.type === "tool_call_delta") seen.push([event.index, event.arguments]);
  }
  assertEquals(seen, [[0, "early"], [0, "{}"], [1, "{}"], [0, "a"], [1, "b"], [1, "c"]]);
});

Deno.test("text without a delta is emitted at the end", async () => {
  const whole = resource([message("Hello there")]);
  const piece = { type: "response.output_text.delta", output_index: 0, delta: "Hello" };
  for (const deltas of [[], [piece]]) {
    const { client } = scripted([sse([...opening(whole), ...deltas, ending(whole)])]);
    let text = "";
    const { finalText } = await client.responses.runStream({ input: "Hi" }, {
      onTextDelta: (piece) => void (text += piece),
    });
    assertEquals([text, finalText], ["Hello there", "Hello there"]);
  }
});

Deno.test("a run that its bound ends has the reason of its last turn", async () => {
  const { client } = scripted([resource([CALL])]);
  const called = await client.responses.run({ input: "Hi" }, { tools: [double], maxSteps: 1 });
  assertEquals([called.finishReason, called.stoppedBy], ["tool_calls", "max_steps"]);
});

Deno.test("create and stream run the defaults, and sum what they cost", async () => {
  const calculate = call("calculator", { arguments: '{"expression":"17*23"}' });
  const turns = [
    resource([calculate], { usage: usage(), metadata: metadata("req-1") }),
    resource([ANSWER], { id: "resp_2", usage: usage(2), metadata: metadata("req-2") }),
  ];
  for (const method of ["create", "stream"] as const) {
    const { client, sent } = scripted(turns, { defaultLocalTools: true });
    const response = await client.responses[method]({ input: "17 * 23" });
    assertEquals([response.id, response.outputText], ["resp_2", "It is 42"]);
    assertEquals<unknown>(response.usage, usage(3));
    assertEquals(response.metadata.billing?.charged, "0.500000");
    assertEquals(response.metadata.billing?.input_tokens, 20);
    assertEquals([response.metadata.request_id, response.requestId], ["req-2", "req-2"]);
    const items = sent[1]?.input;
    assert(Array.isArray(items));
    assertEquals(items.at(-1), {
      ...{ type: "function_call_output", call_id: "call_calculator", output: items.at(-1).output },
    });
    assert(String(items.at(-1).output).includes("391"));
  }
});

Deno.test("a stream that runs the defaults passes every turn's events through, in order", async () => {
  const calculate = call("calculator", { arguments: '{"expression":"17*23"}' });
  const streams = [eventsOf(resource([calculate])), eventsOf(resource([ANSWER]))];
  const { client } = scripted(streams.map((events) => sse(events)), { defaultLocalTools: true });
  const seen: unknown[] = [];
  for await (const event of client.responses.stream({ input: "17 * 23" })) seen.push(event);
  assertEquals(seen, streams.flat());
});
