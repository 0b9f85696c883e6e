import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { ConfigurationError, MissingAPIKeyError } from "../errors.ts";
import { ERROR_TABLE, type ErrorCode } from "../protocol/mod.ts";
import { anthropicBridge, type AnthropicBridgeOptions } from "./mod.ts";

const KEY = "svc_live_key_of_the_service";
const TOKEN = "token-of-the-bridge-0123";
const ASK = { model: "any", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] };
const ANSWER = {
  id: "chatcmpl-1",
  model: "fast-mini",
  choices: [{
    index: 0,
    message: { role: "assistant", reasoning_content: "Hm", content: "Hello" },
    finish_reason: "stop",
  }],
};

type Service = (request: Request) => Response | Promise<Response>;

/** A bridge to a scripted service. */
function bridge(service: Service, options: Partial<AnthropicBridgeOptions> = {}) {
  const seen: Request[] = [];
  const handler = anthropicBridge({
    apiKey: KEY,
    token: TOKEN,
    fetch: (input, init) => {
      const request = new Request(input, init);
      seen.push(request);
      return Promise.resolve(service(request));
    },
    ...options,
  });
  return { handler, seen };
}

function post(body: unknown, init: RequestInit = {}, path = "/v1/messages"): Request {
  return new Request(`http://127.0.0.1:8789${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": TOKEN },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });
}

function streamOf(...chunks: unknown[]): Response {
  const frames = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return new Response(`${frames.join("")}data: [DONE]\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });
}

function delta(delta: unknown, finish_reason: string | null = null): unknown {
  return { id: "c", model: "m", choices: [{ index: 0, delta, finish_reason }] };
}

function refusal(code: ErrorCode, headers: Record<string, string> = {}): Response {
  const { message, status, type } = ERROR_TABLE[code];
  const error = { message, type, code, param: null, request_id: "req_1" };
  return Response.json({ error }, { status, headers });
}

/** Returns status and body of an error, whose shape is checked. */
async function failure(answer: Response) {
  const { type, error, request_id } = await answer.json();
  assertEquals([type, request_id], ["error", answer.headers.get("request-id")]);
  assertMatch(request_id, /^req_/);
  return { status: answer.status, type: error.type, message: String(error.message) };
}

Deno.test("the token opens the bridge in both headers, and only the key of the bridge leaves", async () => {
  const { handler, seen } = bridge(() => Response.json(ANSWER));
  const type = { "content-type": "application/json" };
  const forms = [
    { "x-api-key": TOKEN },
    { authorization: `Bearer ${TOKEN}` },
    { "x-api-key": "stale-key-of-the-program", authorization: `bearer ${TOKEN}` },
  ];
  for (const form of forms) {
    const more = {
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "b",
      "x-stainless-os": "L",
    };
    const answer = await handler(post(ASK, { headers: { ...type, ...form, ...more } }));
    const text = await answer.text();
    assertEquals(answer.status, 200, text);
    assert(!text.includes(KEY));
  }
  for (const { headers, url } of seen) {
    assertStringIncludes(url, "/openai/v1/chat/completions");
    assertEquals([...headers.keys()].sort(), [
      ...["accept", "authorization", "content-type", "x-dialect", "x-request-id"],
    ]);
    assertEquals(headers.get("authorization"), `Bearer ${KEY}`);
  }
  assertEquals(seen.length, forms.length);
});

Deno.test("without the token nothing is answered, whatever the address", async () => {
  const { handler, seen } = bridge(() => Response.json(ANSWER));
  const wrong: HeadersInit[] = [{}, { "x-api-key": KEY }, { authorization: TOKEN }];
  for (const headers of [...wrong, { authorization: `Bearer ${TOKEN}x` }]) {
    for (const path of ["/v1/messages", "/v1/models", "/elsewhere"]) {
      const { status, type } = await failure(await handler(post(ASK, { headers }, path)));
      assertEquals([status, type], [401, "authentication_error"]);
    }
  }
  assertEquals(seen, []);
});

Deno.test("a request that cannot be taken is refused in Anthropic's shape", async () => {
  const { handler, seen } = bridge(() => Response.json(ANSWER), { maxBodyBytes: 200 });
  const key = { "x-api-key": TOKEN };
  const json = { ...key, "content-type": "application/json" };
  const rows: readonly (readonly [Request, number, string])[] = [
    [post(ASK, {}, "/v1/complete"), 404, "not_found_error"],
    [post(ASK, {}, "/v1/messages/"), 404, "not_found_error"],
    [post(ASK, {}, "/v1/models"), 405, "invalid_request_error"],
    [post(ASK, { method: "PUT" }), 405, "invalid_request_error"],
    [
      post(ASK, { headers: { ...key, "content-type": "text/plain" } }),
      415,
      "invalid_request_error",
    ],
    [post(ASK, { headers: { ...json, "content-encoding": "gzip" } }), 415, "invalid_request_error"],
    [post("x".repeat(201)), 413, "request_too_large"],
    [post("{"), 400, "invalid_request_error"],
    [post("[]"), 400, "invalid_request_error"],
    [post({ max_tokens: 1 }), 400, "invalid_request_error"],
    [post({ max_tokens: 1 }, {}, "/v1/messages/count_tokens"), 400, "invalid_request_error"],
    [post({ ...ASK, messages: [null] }), 400, "invalid_request_error"],
    [post({ ...ASK, messages: [{ role: "user", content: [null] }] }), 400, "invalid_request_error"],
    [post({ ...ASK, tools: [null] }), 400, "invalid_request_error"],
    [post({ ...ASK, mcp_servers: [{}] }), 400, "invalid_request_error"],
    [post({ ...ASK, inference_geo: "eu" }), 400, "invalid_request_error"],
    [
      post({ ...ASK, tools: [{ type: "bash_20250124", name: "bash" }] }),
      400,
      "invalid_request_error",
    ],
  ];
  for (const [request, status, type] of rows) {
    const refused = await failure(await handler(request));
    assertEquals([refused.status, refused.type], [status, type], refused.message);
  }
  assertEquals(seen, []);
  const threaded = await (await handler(post({ ...ASK, thread: {} }))).json();
  assertEquals(threaded.error.details.error_code, "thread_unsupported_request");
});

Deno.test("errors of the service keep their meaning", async () => {
  const rows: readonly (readonly [ErrorCode, number, string])[] = [
    ["invalid_request", 400, "invalid_request_error"],
    ["invalid_api_key", 401, "authentication_error"],
    ["insufficient_balance", 402, "billing_error"],
    ["policy_denied", 403, "permission_error"],
    ["conflict", 409, "conflict_error"],
    ["rate_limit_exceeded", 429, "rate_limit_error"],
    ["internal", 500, "api_error"],
    ["upstream_error", 502, "api_error"],
    ["no_model_available", 529, "overloaded_error"],
    ["upstream_timeout", 504, "timeout_error"],
    ["orchestration_failed", 502, "api_error"],
  ];
  for (const [code, status, type] of rows) {
    const { handler } = bridge(() => refusal(code, { "retry-after": "7", "set-cookie": "a=b" }));
    for (const stream of [false, true]) {
      const answer = await handler(post({ ...ASK, stream }));
      if (code !== "orchestration_failed") assertEquals(answer.headers.get("retry-after"), "7");
      assertEquals(answer.headers.get("set-cookie"), null);
      const refused = await failure(answer);
      assertEquals([refused.status, refused.type], [status, type], code);
    }
  }
  const { handler } = bridge(() => refusal("context_length_exceeded"));
  assertMatch((await failure(await handler(post(ASK)))).message, /^prompt is too long: /);
  const gone = bridge(() => Promise.reject(new TypeError(`refused ${KEY}`)));
  const { status, message } = await failure(await gone.handler(post(ASK)));
  assertEquals([status, message.includes(KEY)], [502, false]);
});

Deno.test("a call that takes too long is not repeated by the client", async () => {
  const { handler } = bridge(() => new Promise(() => {}), { timeoutMs: 1 });
  const answer = await handler(post(ASK));
  assertEquals([answer.status, answer.headers.get("x-should-retry")], [504, "false"]);
  assertEquals((await failure(answer)).type, "timeout_error");
});

Deno.test("fields that mean nothing here are left out and named; blocks keep what they mean", async () => {
  const { handler, seen } = bridge(() => Response.json(ANSWER));
  const answer = await handler(post({
    ...ASK,
    context_management: {},
    tomorrow: 1,
    metadata: { user_id: "u", device: "d" },
    thinking: { type: "adaptive", display: "summarized", novelty: 1 },
    output_config: { effort: "max", task_budget: {} },
    tools: [{
      name: "get",
      input_schema: { type: "object" },
      eager_input_streaming: true,
      defer_loading: true,
    }],
    tool_choice: { type: "any", novelty: 1 },
    messages: [{
      role: "user",
      id: "msg_1",
      content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" }, novelty: 1 }],
    }],
  }));
  assertEquals(answer.headers.get("x-left-out"), "context_management, tomorrow");
  await answer.body?.cancel();
  const cache_control = { type: "ephemeral" };
  assertEquals(await seen[0]?.json(), {
    model: "auto",
    stream: false,
    max_completion_tokens: 100,
    reasoning_effort: "xhigh",
    user: "u",
    tools: [{ type: "function", function: { name: "get", parameters: { type: "object" } } }],
    tool_choice: "required",
    messages: [{ role: "user", content: [{ type: "text", text: "Hi", cache_control }] }],
  });
});

Deno.test("thinking that is not to be shown has no text", async () => {
  const thinking = { type: "adaptive", display: "omitted" };
  const whole = bridge(() => Response.json(ANSWER));
  const { content } = await (await whole.handler(post({ ...ASK, thinking }))).json();
  assertEquals(content[0], { type: "thinking", thinking: "", signature: "" });
  const chunks = [delta({ reasoning_content: "Hm" }), delta({ content: "Hello" }, "stop")];
  const streamed = bridge(() => streamOf(...chunks));
  const text = await (await streamed.handler(post({ ...ASK, thinking, stream: true }))).text();
  assert(text.includes('"thinking"') && text.includes("Hello") && !text.includes("Hm"));
});

Deno.test("a silent stream is kept alive, before its first event and between events", async () => {
  let write: (chunk: unknown) => void = () => {};
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => controller.enqueue(new TextEncoder().encode(text));
      write = (chunk) => send(`data: ${JSON.stringify(chunk)}\n\n`);
      end = () => {
        send("data: [DONE]\n\n");
        controller.close();
      };
    },
  });
  const headers = { "content-type": "text/event-stream" };
  const { handler } = bridge(() => new Response(body, { headers }), { pingMs: 5 });
  const answer = await handler(post({ ...ASK, stream: true }));
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const next = async () => (await reader?.read())?.value ?? "";
  const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
  assertEquals([await next(), await next()], [ping, ping]);
  write(delta({ role: "assistant", content: "Hel" }));
  const until = async (part: string) => {
    for (let text = await next();; text = await next()) if (text.includes(part)) return;
  };
  await until("Hel");
  assertEquals(await next(), ping);
  write(delta({ content: "lo" }, "stop"));
  end();
  await until("message_stop");
});

Deno.test("a failure after the stream has begun is an event, and the stream never looks complete", async () => {
  const { message, type } = ERROR_TABLE.upstream_error;
  const broken = { error: { message, type, code: "upstream_error", param: null }, choices: [] };
  const { handler } = bridge(() => streamOf(delta({ content: "Hel" }), broken));
  const text = await (await handler(post({ ...ASK, stream: true }))).text();
  assertMatch(text, /event: error\ndata: \{"type":"error","error":\{"type":"api_error"/);
  assert(!text.includes("message_stop"));
});

Deno.test("a program that leaves ends its call", async () => {
  for (const stream of [false, true]) {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const { promise: arrival, resolve: arrive } = Promise.withResolvers<void>();
    const { handler } = bridge(({ signal }) => {
      signal.addEventListener("abort", () => resolve());
      arrive();
      return new Promise(() => {});
    }, { pingMs: stream ? 1 : 60_000 });
    const leaving = new AbortController();
    const answering = handler(post({ ...ASK, stream }, { signal: leaving.signal }));
    await arrival;
    // A stream has begun by then, with a ping: its reader leaves.
    if (stream) await (await answering).body?.cancel();
    else leaving.abort();
    await ended;
    await answering;
  }
});

Deno.test("count_tokens takes a counter, and counts no bytes of files", async () => {
  const texts: string[] = [];
  const { handler, seen } = bridge(() => Response.json(ANSWER), {
    countTokens: (text) => texts.push(text) * 100,
  });
  const source = { type: "base64", media_type: "application/pdf", data: "A".repeat(3_200) };
  const ask = { ...ASK, messages: [{ role: "user", content: [{ type: "document", source }] }] };
  const answer = await handler(post(ask, {}, "/v1/messages/count_tokens?beta=true"));
  const { input_tokens } = await answer.json();
  assert(input_tokens > 200 && input_tokens < 220, `${input_tokens}`);
  assertEquals([texts, seen.length], [[""], 0]);
});

Deno.test("options that cannot be used are refused at once", () => {
  const options = { apiKey: KEY, token: TOKEN };
  const rows: readonly (readonly [object, string])[] = [
    [{ token: "short" }, "Cannot use token"],
    [{ token: `${TOKEN} ` }, "Cannot use token"],
    [{ token: undefined }, "Cannot use token"],
    [{ maxBodyBytes: 0 }, "Cannot use maxBodyBytes"],
    [{ pingMs: 0 }, "Cannot use pingMs"],
    [{ pingMS: 1 }, 'option "pingMS"'],
    [{ timeoutMs: "1" }, "Cannot use timeoutMs"],
  ];
  for (const [row, message] of rows) {
    const given = { ...options, ...row };
    const error = assertThrows(() => anthropicBridge(given), ConfigurationError, message);
    assert(!error.message.includes(TOKEN));
  }
  assertThrows(() => anthropicBridge({ apiKey: "", token: TOKEN }), MissingAPIKeyError);
});
