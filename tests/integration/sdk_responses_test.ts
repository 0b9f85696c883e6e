/**
 * `client.responses` against the real service and its simulator.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertGreater,
  assertInstanceOf,
  assertMatch,
  assertRejects,
} from "@std/assert";
import {
  type ResponseCreateRequest,
  type ResponseRunResult,
  type ResponseShapes,
  RunError,
  type RunOptions,
  ServiceAPIError,
  ServiceClient,
  type ServiceClientOptions,
} from "@svc/sdk";
import type { ResponseInputItem } from "@svc/sdk/protocol";
import { labConfig } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";
import { NativeResponses } from "../fixtures/upstreams/native_responses.ts";

const SUM = "What is 17 * 23?";
const IS_391 = /"result":"391"/;

type Request = Readonly<Record<string, unknown>> & { readonly input: unknown };

/** A client, and the requests that it sent. */
interface Asking {
  readonly client: ServiceClient;
  readonly sent: Request[];
}

function asking(service: TestService, options: ServiceClientOptions = {}): Asking {
  const sent: Request[] = [];
  const client = new ServiceClient({
    apiKey: BOOTSTRAP_KEY,
    apiBaseUrl: service.running.publicUrl,
    ...options,
    fetch: (input, init) => {
      sent.push(JSON.parse(String(init?.body)));
      return (options.fetch ?? fetch)(input, init);
    },
  });
  return { client, sent };
}

/** A service with one simulated model, for instance one that signs its calls. */
function simulated(upstreamModel: string): Promise<TestService> {
  const config = labConfig({
    ...{ id: "only", baseUrl: "" },
    upstream: { kind: "simulator", baseUrl: undefined, apiKey: undefined },
    more: { upstreamModel },
  });
  return TestService.start({ config });
}

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

/** The four ways to ask, each to its end. */
const METHODS: Readonly<
  Record<string, (client: ServiceClient, request: ResponseCreateRequest) => Promise<unknown>>
> = {
  create: (client, request) => client.responses.create(request),
  stream: async (client, request) => await client.responses.stream(request),
  ...RUNS,
};

/** The error that a call ends with. */
async function errorOf(call: () => Promise<unknown>): Promise<ServiceAPIError> {
  const error = await assertRejects(call);
  assertInstanceOf(error, ServiceAPIError);
  return error;
}

function typesOf(input: unknown): unknown[] {
  assert(Array.isArray(input));
  return input.map(({ type, role }) => type ?? role);
}

Deno.test("create gives text, bill and the id to quote", async () => {
  await using service = await TestService.start();
  const { client } = asking(service, { defaultLocalTools: false });
  const answer = await client.responses.create({ input: "Hello" }, { requestId: "my-own-id" });
  assertMatch(answer.outputText, /\[simulated\]/);
  assertEquals([answer.status, answer.requestId], ["completed", "my-own-id"]);
  assertGreater(answer.usage?.output_tokens, 0);
  assertMatch(answer.metadata.billing?.charged ?? "", /^\d+\.\d{6}$/);
  assertEquals((await service.lastRequest()).requestId, "my-own-id");
  await service.assertBooks();
});

Deno.test("stream gives the text as it comes, and the same response at the end", async () => {
  await using service = await TestService.start();
  const { client } = asking(service, { defaultLocalTools: false });
  const stream = client.responses.stream({ input: "Hello" });
  let text = "";
  const types: string[] = [];
  for await (const event of stream) {
    types.push(event.type);
    if (event.type === "response.output_text.delta") text += event.delta;
  }
  const answer = await stream;
  assertEquals([types[0], types.at(-1)], ["response.created", "response.completed"]);
  assertEquals([answer.outputText, answer.status], [text, "completed"]);
  assertMatch(answer.requestId ?? "", /^req_/);
  assertMatch(answer.metadata.billing?.charged ?? "", /^\d+\.\d{6}$/);
  const { outcome, requestId } = await service.lastRequest();
  assertEquals([outcome, requestId], ["ok", answer.requestId]);
  await service.assertBooks();
});

Deno.test("create and stream run the default calculator, and bill both turns", async () => {
  await using service = await TestService.start();
  for (const method of ["create", "stream"] as const) {
    const { client, sent } = asking(service);
    const before = (await service.wallet()).spent;
    const answer = await client.responses[method]({ input: SUM });
    assertMatch(answer.outputText, IS_391);
    assertEquals(sent.length, 2);
    assertEquals(typesOf(sent[1]?.input), ["message", "function_call", "function_call_output"]);
    await service.quiet();
    const spent = (await service.wallet()).spent - before;
    const charged = BigInt((answer.metadata.billing?.charged ?? "").replace(".", ""));
    assertEquals(charged, spent);
    assertEquals(answer.usage?.total_tokens, answer.metadata.billing?.total_tokens);
  }
  await service.assertBooks();
});

Deno.test("a request's own tools are not run by create and stream", async () => {
  await using service = await TestService.start();
  const calculator = { type: "function", name: "calculator", parameters: { type: "object" } };
  for (const method of ["create", "stream"] as const) {
    const { client, sent } = asking(service);
    const answer = await client.responses[method]({ input: SUM, tools: [calculator] });
    assertEquals(answer.output.map(({ type }) => type), ["function_call"]);
    assertEquals(sent.length, 1);
  }
});

for (const [name, run] of Object.entries(RUNS)) {
  Deno.test(`${name} goes from call to call until the model is done`, async () => {
    await using service = await TestService.start();
    const { client, sent } = asking(service);
    const events: string[] = [];
    let text = "";
    const result = await run(client, {
      ...{ input: "What is 2 + 3, and 5 * 7?", parallel_tool_calls: false, store: false },
      tool_choice: "required",
    }, {
      onTextDelta: (piece) => void (text += piece),
      onToolResult: ({ text }) => void events.push(text),
    });
    assertEquals(events.map((text) => JSON.parse(text).result), ["5", "35"]);
    assertEquals([result.stoppedBy, result.finishReason], ["finish", "stop"]);
    assertMatch(result.finalText, /"result":"5".*"result":"35"/);
    assertEquals(text, result.finalText);
    assertEquals(result.steps.map(({ finishReason }) => finishReason), [
      ...["tool_calls", "tool_calls", "stop"],
    ]);
    assertEquals(typesOf(result.input), [
      ...["message", "function_call", "function_call_output"],
      ...["function_call", "function_call_output", "message"],
    ]);
    assertEquals(sent.map((body) => body["tool_choice"]), ["required", "auto", "auto"]);
    const sum = result.steps.reduce((sum, { turn }) => sum + (turn.usage?.total_tokens ?? 0), 0);
    assertEquals([result.usage.totalTokens, result.billing?.total_tokens], [sum, sum]);
    await service.assertBooks();
  });

  for (const model of ["sim-signed", "sim-thought"]) {
    Deno.test(`five turns of calls that ${model} signs survive ${name}`, async () => {
      await using service = await simulated(model);
      // The gateway remembers signatures by key: with another one each time, only ours count.
      const keys = await Promise.all(Array.from({ length: 6 }, () => service.newKey()));
      const { client, sent } = asking(service, {
        fetch: (input, init) => {
          const headers = new Headers(init?.headers);
          headers.set("authorization", `Bearer ${keys.shift()?.key}`);
          return fetch(input, { ...init, headers });
        },
      });
      const input = "What is 1 + 1, 2 + 2, 3 + 3, 4 + 4, 5 + 5?";
      const result = await run(client, { input, parallel_tool_calls: false, store: false });
      const calls = result.steps.flatMap(({ calls }) => calls.map(({ raw }) => raw));
      assertEquals(calls.length, 5);
      for (const { extra_content, thought_signature } of calls) {
        const { google } = Object(extra_content);
        assertMatch(thought_signature ?? google?.thought_signature, /^[\w+/]{43}=$/);
      }
      assert(Array.isArray(sent[5]?.input));
      assertEquals<unknown>(
        sent[5].input.filter(({ type }: { type: string }) => type === "function_call"),
        calls,
      );
      assertMatch(result.finalText, /"result":"2".*"result":"10"/);
    });
  }

  Deno.test(`${name} continues from a stored response`, async () => {
    await using service = await TestService.start();
    const { client, sent } = asking(service);
    const first = await client.responses.create({ input: "Remember: the word is tide" });
    const result = await run(client, { input: SUM, previous_response_id: first.id });
    assertMatch(result.finalText, IS_391);
    assertEquals(sent.slice(1).map((body) => body["previous_response_id"]), [first.id, first.id]);
    assertEquals(result.input.length, 4);
    assertEquals(result.response?.previous_response_id, first.id);
    assertGreater(result.response?.usage?.input_tokens, first.usage?.input_tokens ?? 0);
  });

  Deno.test(`${name} says what was complete where a later turn is refused`, async () => {
    await using service = await TestService.start();
    const { id, key } = await service.newKey();
    const { client } = asking(service, { apiKey: key });
    const error = await assertRejects(() =>
      run(client, { input: SUM }, {
        onToolResult: async () => void await service.admin("POST", `/keys/${id}/revoke`),
      }), RunError);
    assertInstanceOf(error.cause, ServiceAPIError);
    assertEquals([error.cause.status, error.cause.code], [401, "invalid_api_key"]);
    const result = error.result as ResponseRunResult;
    assertEquals([result.stoppedBy, result.finalText, result.steps.length], ["error", "", 1]);
    assertEquals(typesOf(result.input), ["message", "function_call", "function_call_output"]);
    await service.assertBooks();
  });

  Deno.test(`${name} echoes hosted searches, and continues with local tools`, async () => {
    await using service = await TestService.start();
    const { client, sent } = asking(service, { defaultBuiltinTools: true });
    const searched = await run(client, { input: "Search the web for tides" });
    assertEquals(typesOf(searched.input), ["message", "web_search_call", "message"]);
    assertMatch(searched.finalText, /\[1\]/);
    const input: ResponseInputItem[] = [...searched.input, { role: "user", content: SUM }];
    const result = await run(client, { input, store: false });
    assertMatch(result.finalText, IS_391);
    assert(Array.isArray(sent[2]?.input));
    assertEquals(sent[2].input.slice(0, input.length), input);
    await service.assertBooks();
  });
}

Deno.test("a response is kept unless the request says otherwise", async () => {
  await using service = await TestService.start();
  const { client } = asking(service, { defaultLocalTools: false });
  const kept = await client.responses.create({ input: "Hello" });
  const headers = { "x-api-key": BOOTSTRAP_KEY };
  const read = await fetch(`${service.openaiUrl}/responses/${kept.id}`, { headers });
  assertEquals((await read.json()).output, kept.output);
  const next = await client.responses.stream({ input: "Go on", previous_response_id: kept.id });
  assertEquals(next.previous_response_id, kept.id);

  const gone = await client.responses.create({ input: "Hello", store: false });
  for (const ask of Object.values(METHODS)) {
    const error = await errorOf(() => ask(client, { input: "Hi", previous_response_id: gone.id }));
    assertEquals(Math.floor(error.status / 100), 4);
    assertEquals(Object(error.body).param, "previous_response_id");
  }
});

for (const [name, ask] of Object.entries(METHODS)) {
  Deno.test(`${name} raises refusals with status, error object and id`, async () => {
    await using service = await TestService.start();
    const { client } = asking(service);
    const stranger = asking(service, { apiKey: "svc_live_wrong_key_0123456789" }).client;
    const poor = asking(service, { apiKey: (await service.newKey({ credits: "0" })).key }).client;
    const refusals: readonly (readonly [ServiceClient, ResponseCreateRequest, number, string])[] = [
      [stranger, { input: "Hi" }, 401, "invalid_api_key"],
      [poor, { input: "Hi" }, 402, "insufficient_balance"],
      [client, { input: [] }, 400, "invalid_request"],
      [client, { input: "Hi", tools: [{ type: "abacus" }] }, 400, "unsupported_tool"],
    ];
    for (const [name, request, status, code] of refusals) {
      const error = await errorOf(() => ask(name, request));
      assertEquals([error.status, error.code], [status, code]);
      assertEquals(Object(error.body).code, code);
      assertMatch(error.requestId ?? "", /^req_/);
      assertEquals(error.headers.get("x-request-id"), error.requestId);
    }
    await service.assertBooks();
  });
}

for (const method of ["stream", "runStream"] as const) {
  Deno.test(`${method} raises an answer that breaks off, after what had come`, async () => {
    await using service = await TestService.start();
    const { client } = asking(service, { defaultLocalTools: false });
    const seen: string[] = [];
    const error = await errorOf(async () => {
      const input = 'Hello [[sim {"cutAfter": 4}]]';
      for await (const event of client.responses[method]({ input })) seen.push(event.type);
    });
    assertEquals([error.status, error.code], [200, "upstream_error"]);
    assertEquals(error.requestId, (await service.lastRequest()).requestId);
    assertEquals(Object(error.body).request_id, error.requestId);
    assert(seen.some((type) => type === "response.output_text.delta" || type === "text_delta"));
    await service.assertBooks();
  });
}

Deno.test("a reader that stops early leaves the service with nothing open", async () => {
  await using service = await TestService.start();
  const { client } = asking(service, { defaultLocalTools: false });
  const input = 'Hello [[sim {"stallAfter": 4}]]';
  for await (const event of client.responses.stream({ input })) {
    if (event.type === "response.output_text.delta") break;
  }
  assertEquals((await service.lastRequest()).outcome, "client_left");
  await service.assertBooks();
});

Deno.test("an answer cut by its limit is not whole", async () => {
  await using service = await TestService.start();
  const { client } = asking(service);
  for (const run of Object.values(RUNS)) {
    const result = await run(client, { input: "Hello", max_output_tokens: 16 });
    assertEquals([result.finishReason, result.response?.status], ["length", "incomplete"]);
    assertEquals(result.finalText, result.response?.outputText);
  }
});

/** A service before an upstream that speaks Responses itself. */
async function nativeService() {
  const native = new NativeResponses();
  const model = { id: "native", baseUrl: native.baseUrl, upstream: { kind: "openai" } };
  const service = await TestService.start({ config: labConfig(model) });
  return {
    native,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await native[Symbol.asyncDispose]();
    },
  };
}

for (const [name, run] of Object.entries(RUNS)) {
  Deno.test(`${name} gives an upstream of Responses its own items back, reasoning too`, async () => {
    await using at = await nativeService();
    at.native.say({
      items: [
        { type: "reasoning", summary: "Reckon" },
        { type: "function_call", name: "calculator", arguments: '{"expression":"17*23"}' },
      ],
    });
    const { client } = asking(at.service);
    const result = await run(client, { input: SUM });
    assertEquals(result.finalText, "Hello there");
    assertEquals(result.steps[0]?.reasoning, "Reckon");
    const { input } = at.native.last.body;
    assertEquals<unknown>(input, result.input.slice(0, -1));
    assertEquals(typesOf(input), [
      ...["message", "reasoning", "function_call", "function_call_output"],
    ]);
    await at.service.assertBooks();
  });
}

Deno.test("a response that its upstream lets fail is raised, and the events before it given", async () => {
  await using at = await nativeService();
  const { client } = asking(at.service, { defaultLocalTools: false });
  for (const method of ["stream", "runStream"] as const) {
    at.native.say({ failAfter: 6 });
    const seen: string[] = [];
    const error = await errorOf(async () => {
      for await (const event of client.responses[method]({ input: "Hi" })) seen.push(event.type);
    });
    assertEquals([error.status, error.code], [200, "upstream_error"]);
    assertEquals(error.requestId, (await at.service.lastRequest()).requestId);
    assertGreater(seen.length, 4);
  }
  await at.service.assertBooks();
});
