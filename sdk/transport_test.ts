import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { requestIdOf } from "./answer.ts";
import {
  ConfigurationError,
  MissingAPIKeyError,
  ServiceAPIError,
  ServiceConnectionError,
} from "./errors.ts";
import { transportOptionsOf } from "./options.ts";
import { Transport, type TransportCall } from "./transport.ts";

const CALL: TransportCall = { method: "POST", base: "openai", path: "/x", body: { a: 1 } };

/** A transport whose every request is answered by `answer`, and the requests it sent. */
function transport(answer: () => Response | Promise<Response>, apiKey = "svc_live_key") {
  const sent: Request[] = [];
  const options = transportOptionsOf({
    apiKey,
    apiBaseUrl: "http://svc.test",
    timeoutMs: 0,
    fetch: async (input, init) => {
      sent.push(new Request(input, init));
      return await answer();
    },
  });
  return { sent, transport: new Transport(options) };
}

/** Everything that comes over a stream. */
async function eventsOf(answer: () => Response): Promise<unknown[]> {
  return await Array.fromAsync(await transport(answer).transport.events(CALL));
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
    "x-dialect": "service",
  });
});

Deno.test("Transport.json() sends a public call without a key and without a body", async () => {
  const { sent, transport: t } = transport(() => Response.json({}), "");
  await t.json({ method: "GET", base: "api", path: "/api/v1/models", isPublic: true });
  const [request] = sent;
  assert(request);
  assertEquals(request.url, "http://svc.test/api/v1/models");
  assertEquals(request.body, null);
  assertEquals(Object.fromEntries(request.headers), {
    accept: "application/json",
    "x-dialect": "service",
  });
});

Deno.test("Transport sends nothing without a key", async () => {
  const { sent, transport: t } = transport(() => Response.json({}), "");
  await assertRejects(() => t.json(CALL), MissingAPIKeyError, "SERVICE_API_KEY");
  await assertRejects(() => t.events(CALL), MissingAPIKeyError);
  assertEquals(sent, []);
});

Deno.test("Transport sends no catalog call without a configured host", async () => {
  const options = { apiKey: "k", apiBaseUrl: "http://svc.test" };
  const t = new Transport({ ...transportOptionsOf(options), apiBaseUrl: undefined });
  const call = { method: "GET", base: "api", path: "/api/v1/models", isPublic: true } as const;
  await assertRejects(() => t.json(call), ConfigurationError, "pass apiBaseUrl");
});

for (const requestId of ["", "a b", "é", "new\nline", "x".repeat(129)]) {
  Deno.test(`Transport sends nothing with the request id ${JSON.stringify(requestId)}`, async () => {
    const { sent, transport: t } = transport(() => Response.json({}));
    await assertRejects(() => t.json({ ...CALL, requestId }), ConfigurationError, "requestId");
    assertEquals(sent, []);
  });
}

Deno.test("Transport sends nothing that is not JSON", async () => {
  const { sent, transport: t } = transport(() => Response.json({}));
  const circle: Record<string, unknown> = {};
  circle["itself"] = circle;
  for (const body of [circle, { n: 1n }]) {
    await assertRejects(() => t.json({ ...CALL, body }), ConfigurationError, "it is not JSON");
  }
  assertEquals(sent, []);
});

Deno.test("Transport goes after no redirect: it could carry the key to another host", async () => {
  const headers = { location: "http://elsewhere.test" };
  const { transport: t, sent } = transport(() => new Response(null, { status: 307, headers }));
  assertEquals((await apiError(t.json(CALL))).status, 307);
  assertEquals((await apiError(t.events(CALL))).status, 307);
  assertEquals(sent.map(({ redirect }) => redirect), ["manual", "manual"]);
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
  const answer = () => Response.json({ error: body }, { status: 429, headers });
  for (const method of ["json", "events"] as const) {
    const error = await apiError(transport(answer).transport[method](CALL));
    assertEquals([error.name, error.message], ["ServiceAPIError", "Too many requests"]);
    assertEquals([error.status, error.requestId], [429, "req-body"]);
    assertEquals(error.body, body);
    assertEquals(error.headers.get("retry-after"), "3");
  }
});

Deno.test("Transport.json() ignores an error that is null", async () => {
  const { transport: t } = transport(() => Response.json({ error: null, id: 1 }));
  assertEquals((await t.json(CALL)).value, { error: null, id: 1 });
});

Deno.test("Transport.events() yields each event until [DONE]", async () => {
  assertEquals(await eventsOf(() => sse('{"n":1}', '{"n":2}', "[DONE]", '{"n":3}')), [
    { n: 1 },
    { n: 2 },
  ]);
});

Deno.test("a stream without its end was cut, after what had come", async () => {
  for (const body of [null, "", ": keep-alive\n\n", "data: [DON", 'data: {"n":1}\n\n']) {
    const { transport: t } = transport(() => new Response(body));
    const events = await t.events(CALL);
    const seen: unknown[] = [];
    await assertRejects(
      async () => {
        for await (const event of events) seen.push(event);
      },
      ServiceConnectionError,
      "ended before it was complete",
    );
    assertEquals(seen.length, body?.includes("{") ? 1 : 0);
  }
  await assertRejects(() => eventsOf(() => Response.json({})), ServiceConnectionError, "one piece");
});

Deno.test("Transport.events() cancels the answer when its reader stops", async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: {"n":1}\n\n')),
    cancel: () => {
      isCancelled = true;
    },
  });
  const { transport: t } = transport(() => new Response(body));
  for await (const _event of await t.events(CALL)) break;
  assert(isCancelled);
});

Deno.test("a broken connection is reported as one, with the platform's error as its cause", async () => {
  const fault = new TypeError("connection reset");
  const broken = () =>
    new Response(new ReadableStream({ pull: (controller) => controller.error(fault) }));
  const lost: readonly [call: () => Promise<unknown>, message: string][] = [
    [() => transport(() => Promise.reject(fault)).transport.json(CALL), "at http://svc.test"],
    [() => transport(broken).transport.json(CALL), "The connection to the service failed"],
    [() => eventsOf(broken), "The connection to the service failed"],
  ];
  for (const [call, message] of lost) {
    const error = await assertRejects(call, ServiceConnectionError, message);
    assertStrictEquals(error.cause, fault);
  }
});

Deno.test("requestIdOf() reads the error, then the metadata, then the header", () => {
  const response = new Response(null, { headers: { "x-request-id": "header" } });
  const metadata = { request_id: "metadata" };
  assertEquals(requestIdOf({ error: { request_id: "error" }, metadata }, response), "error");
  assertEquals(requestIdOf({ error: null, metadata }, response), "metadata");
  assertEquals(requestIdOf({ metadata: { request_id: 7 } }, response), "header");
  assertEquals(requestIdOf(null, response), "header");
  assertEquals(requestIdOf(undefined, new Response()), undefined);
});
