import { assert, assertEquals, assertRejects } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import {
  ConfigurationError,
  type ResponseCreateRequest,
  type ResponseEvent,
  ServiceAPIError,
  type ServiceClient,
  ServiceConnectionError,
} from "../mod.ts";
import {
  call,
  ending,
  eventsOf,
  type Fields,
  itemEvents,
  message,
  metadata,
  opening,
  resource,
  scripted,
  sse,
  usage,
} from "./script_test.ts";

const HELLO = resource([message("Hello")]);

/** The four ways to ask, each to its end. */
const METHODS: Readonly<Record<string, (client: ServiceClient) => Promise<unknown>>> = {
  create: (client) => client.responses.create({ input: "Hi" }),
  stream: async (client) => await client.responses.stream({ input: "Hi" }),
  run: (client) => client.responses.run({ input: "Hi" }),
  runStream: async (client) => await client.responses.runStream({ input: "Hi" }),
};

async function eventsIn(stream: AsyncIterable<ResponseEvent>): Promise<ResponseEvent[]> {
  const events: ResponseEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

Deno.test("create sends auto and the whole request, and gives text and id", async () => {
  const answer = resource([message("Hel", "lo"), message(" there")], {
    ...{ metadata: metadata("req-body"), new_field: 1 },
  });
  const { client, sent } = scripted([answer]);
  const response = await client.responses.create({
    input: "Hi",
    store: false,
    unheard_of: { a: 1 },
  });
  assertEquals(sent, [
    { input: "Hi", store: false, unheard_of: { a: 1 }, model: "auto", stream: false },
  ]);
  assertEquals([response.outputText, response.requestId], ["Hello there", "req-body"]);
  assertEquals<unknown>(response.output, answer["output"]);
  assertEquals(response["new_field"], 1);
});

Deno.test("output_text stands beside outputText on create, stream and run results", async () => {
  const call_ = call("double");
  const { client } = scripted(({ input }) =>
    resource(Array.isArray(input) && input.length > 2 ? [message("It ", "is 42")] : [call_])
  );
  const request = { input: [{ role: "user", content: "Hi" }, { role: "user", content: "42?" }] };
  const more = { input: [...request.input, { role: "user", content: "Well?" }] };
  const tools = [{ name: "double", parameters: {}, execute: () => 42 }];
  const results = [
    await client.responses.create(more),
    await client.responses.stream(more),
    await client.responses.run(request, { tools }),
    await client.responses.runStream(request, { tools }),
  ];
  for (const result of results) {
    assertEquals([result.output_text, result.outputText], ["It is 42", "It is 42"]);
    assertEquals("steps" in result ? result.finalText : "It is 42", "It is 42");
  }
  const handed = await client.responses.run(request, { tools, manualTools: true });
  assertEquals([handed.output_text, handed.response?.output_text], ["", ""]);
});

Deno.test("outputText is all output text and nothing else", async () => {
  const refusal = { type: "message", content: [{ type: "refusal", refusal: "No" }] };
  const reasoning = { type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }] };
  for (const output of [[refusal, reasoning, call("f"), { type: "message" }], []]) {
    const { client } = scripted([resource([], { output })]);
    const { outputText } = await client.responses.create({ input: "Hi" });
    assertEquals(outputText, "");
  }
  const { client } = scripted([resource([reasoning, message("a"), refusal, message("b", "c")])]);
  assertEquals((await client.responses.create({ input: "Hi" })).outputText, "abc");
});

Deno.test("stream passes events through, unknown ones too, and ends with the response", async () => {
  const odd = [{ type: "response.unheard_of", a: 1 }, { type: "svc:news", b: [2] }];
  const [first = {}, ...more] = eventsOf(HELLO);
  const events = [first, ...odd, ...more];
  const { client, sent } = scripted([sse(events)]);
  const stream = client.responses.stream({ input: "Hi" });
  assertEquals<unknown>(await eventsIn(stream), events);
  const response = await stream;
  assertEquals([response.outputText, response.requestId], ["Hello", "req-header"]);
  assertEquals(sent, [{ input: "Hi", model: "auto", stream: true }]);
});

Deno.test("the text of a delta is typed, and so is what may come beside it", () => {
  const pieceOf = (event: ResponseEvent) =>
    event.type === "response.output_text.delta" ? event.delta : undefined;
  assertType<IsExact<ReturnType<typeof pieceOf>, string | undefined>>(true);
  const own: ResponseEvent = { type: "svc:news", sequence_number: 0 };
  assertEquals(pieceOf(own), undefined);
});

Deno.test("stream fills in an output that the last event leaves out", async () => {
  const output = [message("Hello"), call("f")];
  const [one = [], two = []] = output.map((item, at) => itemEvents(item, at));
  for (const missing of [{ output: [] }, { output: null }, { output: undefined }]) {
    // The second item is done before the first.
    const events = [...opening(HELLO), ...two, ...one, ending(resource([], missing))];
    const { client } = scripted([sse(events)]);
    const response = await client.responses.stream({ input: "Hi" });
    assertEquals<unknown>(response.output, output);
    assertEquals(response.outputText, "Hello");
  }
});

Deno.test("a stream ends with its last event, for any later behaviour of its connection", async () => {
  const encoder = new TextEncoder();
  let isLeft = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const event of eventsOf(HELLO)) {
        controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
      }
    },
    cancel: () => void (isLeft = true),
  });
  const { client } = scripted([new Response(body)]);
  assertEquals((await client.responses.stream({ input: "Hi" })).outputText, "Hello");
  assert(isLeft);
});

/** A stream whose connection breaks after an event. */
function broken(event: Fields): Response {
  const remaining = [new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`)];
  return new Response(
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        const bytes = remaining.shift();
        if (bytes === undefined) controller.error(new TypeError("connection reset"));
        else controller.enqueue(bytes);
      },
    }, { highWaterMark: 0 }),
  );
}

Deno.test("a stream is not over where another task's response is complete", async () => {
  const task = { ...ending(HELLO), orchestration: { task_id: "task_1" } };
  const { client } = scripted([broken(task)]);
  const ask = async () => await client.responses.stream({ input: "Hi" });
  await assertRejects(ask, ServiceConnectionError, "connection to the service failed");
});

for (const [name, end] of [["ends", ""], ["says that it is done", "data: [DONE]\n\n"]] as const) {
  Deno.test(`a stream that ${name} without a last event is a broken connection`, async () => {
    for (const method of ["stream", "runStream"]) {
      const { client } = scripted([sse(eventsOf(HELLO).slice(0, -1), end)]);
      await assertRejects(() => METHODS[method]!(client), ServiceConnectionError, "ended before");
    }
  });
}

const FAILED = resource([], { status: "failed", error: { code: "server_error", message: "No" } });
const ASKED = { ...FAILED, metadata: metadata("req-failed") };

Deno.test("a connection that breaks after a failed response hides nothing", async () => {
  const { client } = scripted([broken(ending(ASKED))]);
  await assertRejects(async () => await client.responses.stream({ input: "Hi" }), ServiceAPIError);
});

Deno.test("an error's text quotes nothing of the request", async () => {
  const input = "The password is swordfish";
  const event = { type: "error", code: "upstream_error", message: `Cannot answer "${input}"` };
  const { client } = scripted([sse([event])]);
  const ask = async () => await client.responses.stream({ input });
  const error = await assertRejects(ask, ServiceAPIError, "Cannot answer");
  assert(!error.message.includes("swordfish"));
  assertEquals(Object(error.body).message, event.message);
});

Deno.test("every method raises the error of an answer", async () => {
  const error = { message: "Add credits", code: "insufficient_balance", request_id: "req-1" };
  for (const ask of Object.values(METHODS)) {
    const { client } = scripted([Response.json({ error }, { status: 402 })]);
    const raised = await assertRejects(() => ask(client), ServiceAPIError, "Add credits");
    assertEquals([raised.status, raised.requestId], [402, "req-1"]);
    assertEquals(raised.body, error);
  }
});

Deno.test("a value that cannot be sent is refused before the request", async () => {
  // Untyped callers can say what the types forbid.
  const wrong: readonly (readonly [string, string])[] = [
    ['{"model":"fast-mini","input":"Hi"}', 'Cannot send the model "fast-mini"'],
    ['{"input":{"role":"user"}}', "Cannot send this input"],
    ['{"input":null}', "Cannot send this input"],
  ];
  for (const [json, message] of wrong) {
    const request: ResponseCreateRequest = JSON.parse(json);
    const { client, sent } = scripted([]);
    const { responses } = client;
    const calls: readonly (() => Promise<unknown>)[] = [
      () => responses.create(request),
      async () => await responses.stream(request),
      () => responses.run(request),
      async () => await responses.runStream(request),
    ];
    for (const call of calls) await assertRejects(call, ConfigurationError, message);
    assertEquals(sent, []);
  }
  assertType<IsExact<ResponseCreateRequest["temperature"], number | null | undefined>>(true);
  assertType<IsExact<ResponseCreateRequest["model"], "auto" | undefined>>(true);
});

Deno.test("usage is the response's, else that of the bill, else unknown", async () => {
  const own = scripted([resource([], { usage: usage(), metadata: metadata() })]);
  assertEquals<unknown>((await own.client.responses.create({ input: "Hi" })).usage, usage());

  for (const method of ["create", "stream"] as const) {
    const billed = scripted([resource([], { metadata: metadata() })]);
    const { usage: derived } = await billed.client.responses[method]({ input: "Hi" });
    assertEquals(derived, {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 15,
    });
  }
  const none = scripted([resource([], { usage: undefined })]);
  assertEquals((await none.client.responses.create({ input: "Hi" })).usage, null);
});
