import { assert, assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import { ConfigurationError, MissingAPIKeyError, ServiceAPIError } from "./errors.ts";
import {
  baseUrl,
  readEnvironment,
  requestIdOf,
  Transport,
  type TransportCall,
} from "./transport.ts";

const CALL: TransportCall = { method: "POST", base: "openai", path: "/x", body: { a: 1 } };

/** A transport whose every request is answered by `answer`, and the requests it sent. */
function transport(answer: () => Response | Promise<Response>, options: {
  readonly apiKey?: string | undefined;
  readonly timeoutMs?: number;
} = {}): { readonly sent: Request[]; readonly transport: Transport } {
  const sent: Request[] = [];
  const { timeoutMs = 0 } = options;
  return {
    sent,
    transport: new Transport({
      openAIBaseUrl: "http://svc.test/openai/v1",
      apiBaseUrl: "http://svc.test",
      apiKey: "apiKey" in options ? options.apiKey : "svc_live_key",
      fetch: async (input, init) => {
        sent.push(new Request(input, init));
        return await answer();
      },
      timeoutMs,
    }),
  };
}

function sse(...frames: string[]): Response {
  return new Response(frames.map((frame) => `data: ${frame}\n\n`).join(""));
}

async function apiError(promise: Promise<unknown>): Promise<ServiceAPIError> {
  return await assertRejects(() => promise, ServiceAPIError);
}

Deno.test("Transport.json() sends the call under its base, with key, id and body", async () => {
  const { sent, transport: t } = transport(() => Response.json({ ok: 1 }));
  const { value } = await t.json({ ...CALL, requestId: "req-7" });
  const [request] = sent;
  assert(request);
  assertEquals(value, { ok: 1 });
  assertEquals([request.method, request.url], ["POST", "http://svc.test/openai/v1/x"]);
  assertEquals(await request.json(), { a: 1 });
  assertEquals(Object.fromEntries(request.headers), {
    accept: "application/json",
    authorization: "Bearer svc_live_key",
    "content-type": "application/json",
    "x-request-id": "req-7",
  });
});

Deno.test("Transport.json() sends a public call without a key and without a body", async () => {
  const { sent, transport: t } = transport(() => Response.json({}), { apiKey: undefined });
  await t.json({ method: "GET", base: "api", path: "/api/v1/models", isPublic: true });
  const [request] = sent;
  assert(request);
  assertEquals(request.url, "http://svc.test/api/v1/models");
  assertEquals(request.body, null);
  assertEquals(Object.fromEntries(request.headers), { accept: "application/json" });
});

for (const apiKey of [undefined, ""]) {
  Deno.test(`Transport sends nothing with the key ${JSON.stringify(apiKey)}`, async () => {
    const { sent, transport: t } = transport(() => Response.json({}), { apiKey });
    const error = await assertRejects(() => t.json(CALL), MissingAPIKeyError);
    await assertRejects(() => t.events(CALL).next(), MissingAPIKeyError);
    assertInstanceOf(error, ConfigurationError);
    assertEquals(sent, []);
  });
}

Deno.test("Transport lets no redirect carry the key to another host", async () => {
  const seen: string[] = [];
  // What the fetch standard does: it goes after a redirect itself, unless it was told not to.
  const { transport: t, sent } = transport(() => {
    const request = sent.at(-1);
    assert(request);
    seen.push(new URL(request.url).host);
    if (request.redirect === "error") throw new TypeError("Refused to follow a redirect");
    seen.push("elsewhere.test");
    return Response.json({});
  });
  await assertRejects(() => t.json(CALL), TypeError, "redirect");
  await assertRejects(() => t.events(CALL).next(), TypeError, "redirect");
  assertEquals(seen, ["svc.test", "svc.test"]);
});

Deno.test("Transport.json() throws the gateway's error object", async () => {
  const body = {
    message: "Too many requests",
    type: "rate_limit_error",
    code: "rate_limit_exceeded",
    param: null,
    request_id: "req-body",
  };
  const headers = { "x-request-id": "req-header", "retry-after": "3" };
  const { transport: t } = transport(() =>
    Response.json({ error: body }, { status: 429, headers })
  );
  const error = await apiError(t.json(CALL));
  assertEquals([error.name, error.message], ["ServiceAPIError", "Too many requests"]);
  assertEquals([error.status, error.requestId], [429, "req-body"]);
  assertEquals(error.body, body);
  assertEquals(error.headers.get("retry-after"), "3");
});

const STRANGE: readonly (readonly [name: string, text: string, message: string, body: unknown])[] =
  [
    ["a proxy's page", "<h1>Bad gateway</h1>", "<h1>Bad gateway</h1>", "<h1>Bad gateway</h1>"],
    ["a long page", "x".repeat(9_000), "x".repeat(500), "x".repeat(9_000)],
    ["nothing", "", "The service answered with HTTP 502", ""],
    ["null", "null", "The service answered with HTTP 502", null],
    ["another shape", '{"detail":"no"}', "The service answered with HTTP 502", { detail: "no" }],
    ["a string as error", '{"error":"no"}', "no", "no"],
  ];

for (const [name, text, message, body] of STRANGE) {
  Deno.test(`Transport.json() throws what it can of an error that is ${name}`, async () => {
    const headers = { "x-request-id": "req-header" };
    const { transport: t } = transport(() => new Response(text, { status: 502, headers }));
    const error = await apiError(t.json(CALL));
    assertEquals([error.message, error.status, error.requestId], [message, 502, "req-header"]);
    assertEquals(error.body, body);
  });
}

Deno.test("Transport.json() throws an error that travels inside a 200", async () => {
  const { transport: t } = transport(() =>
    Response.json({
      error: { message: "No plan", code: "orchestration_failed" },
      choices: [],
      metadata: { request_id: "req-meta" },
    })
  );
  const error = await apiError(t.json(CALL));
  assertEquals([error.message, error.status, error.requestId], ["No plan", 200, "req-meta"]);
  assertEquals(error.body, { message: "No plan", code: "orchestration_failed" });
});

Deno.test("Transport.json() throws where a good answer is not JSON, and takes a null error", async () => {
  const page = transport(() => new Response("<html>"));
  const error = await apiError(page.transport.json(CALL));
  assertEquals(error.message, "The service answered with text that is not JSON");
  assertEquals([error.status, error.body, error.requestId], [200, "<html>", undefined]);

  const nothing = transport(() => Response.json({ error: null }));
  assertEquals((await nothing.transport.json(CALL)).value, { error: null });
});

Deno.test("Transport.events() yields events up to [DONE], whatever the network's cuts", async () => {
  const text =
    ': keep-alive\n\ndata: {"n":"é"}\r\n\r\ndata: {"n":2}\n\ndata: [DONE]\n\ndata: no\n\n';
  const { transport: t } = transport(() =>
    new Response(
      ReadableStream.from(Array.from(new TextEncoder().encode(text), (b) => Uint8Array.of(b))),
    )
  );
  assertEquals(await Array.fromAsync(t.events(CALL)), [{ n: "é" }, { n: 2 }]);
});

Deno.test("Transport.events() yields what came, then throws the error event", async () => {
  const body = { message: "Cut off", code: "upstream_error", request_id: "req-9" };
  const { transport: t } = transport(() =>
    sse('{"n":1}', JSON.stringify({ error: body, choices: [] }), "[DONE]")
  );
  const events = t.events(CALL);
  assertEquals((await events.next()).value, { n: 1 });
  const error = await apiError(events.next());
  assertEquals([error.message, error.status, error.requestId], ["Cut off", 200, "req-9"]);
  assertEquals(error.body, body);
});

for (
  const [name, answer] of [
    ["an event", () => sse('{"n":1}')],
    ["half an event", () => new Response('data: {"n":1}\n\ndata: {"n":2')],
  ] as const
) {
  Deno.test(`Transport.events() throws where the stream ends after ${name}`, async () => {
    const events = transport(answer).transport.events(CALL);
    assertEquals((await events.next()).value, { n: 1 });
    const error = await apiError(events.next());
    assertEquals(error.message, "The stream ended before it was complete");
  });
}

Deno.test("Transport.events() throws where there is no body, and where an event is not JSON", async () => {
  const empty = transport(() => new Response(null, { headers: { "x-request-id": "req-1" } }));
  const error = await apiError(empty.transport.events(CALL).next());
  assertEquals(error.message, "The stream ended before it was complete");
  assertEquals([error.body, error.requestId], [undefined, "req-1"]);

  const broken = transport(() => sse("{oops"));
  assertEquals((await apiError(broken.transport.events(CALL).next())).body, "{oops");
});

Deno.test("Transport.events() lets the answer go when nobody reads on", async () => {
  const cancelled = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: {"n":1}\n\n')),
    cancel: () => cancelled.resolve(),
  });
  const { transport: t } = transport(() => new Response(body));
  for await (const _event of t.events(CALL)) break;
  await cancelled.promise;
});

Deno.test("Transport ends a call when the caller's signal says so", async () => {
  const controller = new AbortController();
  const { sent, transport: t } = transport(() => {
    controller.abort(new Error("Not wanted any more"));
    sent.at(-1)?.signal.throwIfAborted();
    return Response.json({});
  }, { timeoutMs: 60_000 });
  await assertRejects(
    () => t.json({ ...CALL, signal: controller.signal }),
    Error,
    "Not wanted any more",
  );
});

Deno.test("Transport ends a call that takes longer than its timeout", async () => {
  const { sent, transport: t } = transport(() =>
    new Promise((_resolve, reject) => {
      const signal = sent.at(-1)?.signal;
      signal?.addEventListener("abort", () => reject(signal.reason));
    }), { timeoutMs: 1 });
  const error = await assertRejects(() => t.json(CALL), DOMException);
  assertEquals(error.name, "TimeoutError");
});

Deno.test("requestIdOf() reads the error, then the metadata, then the header", () => {
  const response = new Response(null, { headers: { "x-request-id": "header" } });
  const metadata = { request_id: "metadata" };
  assertEquals(requestIdOf({ error: { request_id: "error" }, metadata }, response), "error");
  assertEquals(requestIdOf({ metadata }, response), "metadata");
  assertEquals(requestIdOf({ metadata: { request_id: 7 } }, response), "header");
  assertEquals(requestIdOf(null, response), "header");
  assertEquals(requestIdOf(undefined, new Response()), undefined);
});

Deno.test("baseUrl() cuts slashes at the end and refuses what is no http(s) URL", () => {
  assertEquals(baseUrl("https://svc.test/base//", "apiBaseUrl"), "https://svc.test/base");
  for (const text of ["", "svc.test", "localhost:8787", "file:///etc"]) {
    const error = assertThrows(() => baseUrl(text, "apiBaseUrl"), ConfigurationError);
    assertEquals(error.message, `Cannot use apiBaseUrl: "${text}" is no http(s) URL`);
  }
});

Deno.test({
  name: "readEnvironment() takes a variable that may not be read for absent",
  permissions: { env: ["SVC_TEST_READABLE"] },
  fn: () => {
    assertEquals(readEnvironment("SVC_TEST_FORBIDDEN"), undefined);
    assertEquals(readEnvironment("SVC_TEST_READABLE"), undefined);
  },
});
