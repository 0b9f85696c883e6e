import { assertEquals, assertRejects } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import {
  type ChatCreateRequest,
  ConfigurationError,
  MissingAPIKeyError,
  type ServiceClient,
  ServiceConnectionError,
} from "../mod.ts";
import {
  all,
  bill,
  call,
  chunk,
  completion,
  cut,
  json,
  MESSAGES,
  metadata,
  scripted,
  sse,
  streamOf,
} from "../scripted_service_test.ts";

const QUESTION = { messages: MESSAGES };
const SUM = { tool_calls: [call("call_1", "calculator", { expression: "17 * 23" })] };
const usage = (prompt_tokens: number, completion_tokens: number) => ({
  ...{ prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  prompt_tokens_details: { cached_tokens: 1 },
});

/** Every method, drained. */
const METHODS: Readonly<
  Record<string, (client: ServiceClient, request: ChatCreateRequest) => Promise<unknown>>
> = {
  create: (client, request) => client.chat.completions.create(request),
  stream: (client, request) => client.chat.completions.stream(request).final(),
  run: (client, request) => client.chat.completions.run(request),
  runStream: (client, request) => client.chat.completions.runStream(request).final(),
};

for (const [name, method] of Object.entries(METHODS)) {
  Deno.test(`chat.completions.${name}() sends nothing that cannot be sent`, async () => {
    const { client, sent } = scripted(json({}));
    const wrong = ([
      ['{"model":"fast-mini","messages":[]}', 'Cannot send the model "fast-mini"'],
      ['{"model":7,"messages":[]}', "Cannot send a model that is no text"],
      ["{}", "Cannot send a chat request without messages"],
      // Only create does as the request says.
      [`{"messages":[],"stream":${name === "run"}}`, "Cannot stream with"],
    ] as const).filter(([text]) => name !== "create" || !text.includes("stream"));
    for (const [text, message] of wrong) {
      await assertRejects(() => method(client, JSON.parse(text)), ConfigurationError, message);
    }
    assertEquals(sent, []);
    const stranger = scripted(json({}), { apiKey: "" });
    await assertRejects(() => method(stranger.client, QUESTION), MissingAPIKeyError);
    assertEquals(stranger.sent, []);
  });
}

Deno.test("create() refuses an unknown option", async () => {
  const { client, sent } = scripted(json({}));
  const options = JSON.parse('{"timeout":5}');
  const { completions } = client.chat;
  const calls: (() => Promise<unknown>)[] = [
    () => completions.create(QUESTION, options),
    () => completions.stream(QUESTION, options).final(),
    () => completions.run(QUESTION, options),
    () => completions.runStream(QUESTION, options).final(),
  ];
  for (const call of calls) await assertRejects(call, ConfigurationError, 'the option "timeout"');
  // What a run takes is no option of one request.
  const maxSteps = JSON.parse('{"maxSteps":1}');
  await assertRejects(() => completions.create(QUESTION, maxSteps), ConfigurationError);
  assertEquals(sent, []);
});

Deno.test("create() tells the id to quote, and sends the caller's own", async () => {
  const headers = { "x-request-id": "from-header" };
  const body = completion({ content: "Hi" }, { metadata: metadata("from-body", "0.1") });
  const { client, sent } = scripted([json(body, { headers }), json(completion({}), { headers })]);
  const { completions } = client.chat;
  assertEquals((await completions.create(QUESTION, { requestId: "mine" })).requestId, "from-body");
  assertEquals((await completions.create(QUESTION)).requestId, "from-header");
  assertEquals(sent.map(({ headers }) => headers.get("x-request-id")), ["mine", null]);
});

Deno.test("create() keeps what it does not know", async () => {
  const strange = { id: "c", new_field: 1, choices: [] };
  const { client } = scripted(json(strange));
  const answer = await client.chat.completions.create(QUESTION);
  assertEquals(answer, {
    ...JSON.parse('{"id":"c","new_field":1}'),
    choices: [],
    requestId: undefined,
  });
});

Deno.test("11: an orchestrated stream shows every task's chunks, and answers with the last", async () => {
  const task = (task_id: string, content: string, finish: string | null = null) =>
    chunk({ content }, finish, { orchestration: { task_id } });
  const script = sse(task("plan", "I will"), task("t1", "Rain"), task("final", "It rains", "stop"));
  const { client } = scripted(script);
  const stream = client.chat.completions.stream(QUESTION);
  assertEquals((await all(stream)).length, 3);
  assertEquals((await stream).choices[0]?.message.content, "It rains");

  let streamed = "";
  const run = client.chat.completions.runStream(QUESTION, {
    onTextDelta: (piece) => void (streamed += piece),
  });
  const events = await all(run);
  assertEquals([streamed, (await run).finalText], ["It rains", "It rains"]);
  const deltas = events.flatMap((event) => event.type === "text_delta" ? [event.text] : []);
  assertEquals(deltas, ["It rains"]);
  assertEquals(events.filter(({ type }) => type === "chunk").length, 3);
});

const BILLED = [
  { usage: usage(10, 5), metadata: metadata("req-1", "0.100001") },
  { usage: usage(20, 7), metadata: metadata("req-2", "0.000009") },
] as const;

Deno.test("stream() with fallback tools has every turn's chunks in order, and the same sum", async () => {
  const turns = [streamOf(SUM, BILLED[0]), streamOf({ content: "391" }, BILLED[1])] as const;
  const { client } = scripted([sse(...turns[0]), sse(...turns[1])], { defaultLocalTools: true });
  const stream = client.chat.completions.stream(QUESTION);
  assertEquals(await all(stream), turns.flat());
  const answer = await stream;
  assertEquals(answer.choices[0]?.message.content, "391");
  assertEquals(answer.usage?.total_tokens, 42);
  assertEquals(answer.metadata?.billing, bill("0.100010", 20, 10));
});

Deno.test("ChatCreateRequest keeps the types of named fields", () => {
  assertType<IsExact<ChatCreateRequest["temperature"], number | null | undefined>>(true);
  assertType<IsExact<ChatCreateRequest["model"], "auto" | undefined>>(true);
});

Deno.test("stream() needs no [DONE] after the usage", async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const hello = streamOf({ content: "Hello" }, { usage });
  const { client } = scripted([cut(...hello), cut(...hello.slice(0, -1))]);
  const whole = await client.chat.completions.stream({ messages: MESSAGES });
  assertEquals([whole.choices[0]?.message.content, whole.usage], ["Hello", usage]);
  await assertRejects(
    () => client.chat.completions.stream({ messages: MESSAGES }).final(),
    ServiceConnectionError,
    "ended before it was complete",
  );
});

for (const method of ["create", "stream", "run", "runStream"] as const) {
  Deno.test(`${method}() refuses a value that is not a request`, async () => {
    const { client, sent } = scripted(json({}));
    for (const request of [undefined, null, "Hello"]) {
      // As plain JavaScript may call it.
      const { completions } = client.chat;
      await assertRejects(
        async () => await Reflect.apply(completions[method], completions, [request]),
        ConfigurationError,
        "it is no object",
      );
    }
    assertEquals(sent.length, 0);
  });
}
