import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { ConfigurationError, MissingAPIKeyError } from "../errors.ts";
import { serviceProxy, type ServiceProxyOptions } from "./mod.ts";

const KEY = "svc_live_key_of_the_server";
const JSON_TYPE = { "content-type": "application/json" };

type Upstream = (request: Request) => Response | Promise<Response>;

/** A proxy in front of `upstream`, and what it sent there. */
function proxy(upstream: Upstream, options: Partial<ServiceProxyOptions> = {}) {
  const sent: Request[] = [];
  const handler = serviceProxy({
    apiKey: KEY,
    apiBaseUrl: "http://svc.test",
    path: "/openai/v1/responses",
    authorize: () => true,
    timeoutMs: 0,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      sent.push(request);
      return await upstream(request);
    },
    ...options,
  });
  return { sent, handler };
}

function post(body: BodyInit = "{}", headers: HeadersInit = {}): Request {
  const init = {
    method: "POST",
    body,
    headers: { ...JSON_TYPE, ...Object.fromEntries(new Headers(headers)) },
  };
  return new Request("http://app.test/openai/v1/models?path=/admin", init);
}

const answered: Upstream = () => Response.json({ id: "resp_1" });

/** Status, code and id of an error answer, which is to be in the service's shape. */
async function errorIn(response: Response): Promise<[number, string]> {
  const { error, ...rest } = await response.json();
  assertEquals(rest, {});
  assertEquals(Object.keys(error).sort(), ["code", "message", "param", "request_id", "type"]);
  assertEquals(error.request_id, response.headers.get("x-request-id"));
  return [response.status, error.code];
}

Deno.test("serviceProxy sends the body byte for byte to its path, with the server's key alone", async () => {
  const { sent, handler } = proxy(answered);
  const body = '{"temperature": 1.0, "input":"Ü"}';
  const response = await handler(post(body, {
    accept: "text/event-stream",
    authorization: "Bearer of-the-browser",
    "x-api-key": "of-the-browser",
    cookie: "session=secret",
    origin: "http://app.test",
    "x-request-id": "mine-1",
    "x-forwarded-for": "1.2.3.4",
    te: "trailers",
  }));
  assertEquals(await response.json(), { id: "resp_1" });
  const [request] = sent;
  assert(request);
  assertEquals([request.method, request.url], ["POST", "http://svc.test/openai/v1/responses"]);
  assertEquals(Object.fromEntries(request.headers), {
    accept: "text/event-stream",
    authorization: `Bearer ${KEY}`,
    "content-type": "application/json",
    "x-request-id": "mine-1",
  });
  assertEquals(await request.text(), body);
});

Deno.test("serviceProxy passes its caller's dialect on: as stated, or as its client is known", async () => {
  const cases: readonly (readonly [HeadersInit, string | null])[] = [
    [{}, null],
    [{ "user-agent": "Mozilla/5.0 (X11; Linux x86_64)" }, null],
    [{ "x-dialect": "service" }, "service"],
    [{ "x-dialect": "openai", "user-agent": "curl/8" }, "openai"],
    [{ "x-stainless-lang": "js" }, "openai"],
    [{ "x-stainless-lang": "js", "x-dialect": "service" }, "service"],
    [{ "user-agent": "ai-sdk/openai/3.0.141" }, "openai"],
    // The service says what is wrong with it.
    [{ "x-dialect": "klingon" }, "klingon"],
  ];
  for (const [headers, dialect] of cases) {
    const { sent, handler } = proxy(answered);
    await handler(post("{}", headers));
    assertEquals(sent[0]?.headers.get("x-dialect"), dialect, JSON.stringify(headers));
    const names = [...sent[0]?.headers.keys() ?? []];
    assertEquals(names.filter((name) => name.startsWith("x-stainless")), []);
  }
  const { sent, handler } = proxy(answered, { headers: { "X-Dialect": "openai" } });
  await handler(post("{}", { "x-dialect": "service" }));
  assertEquals(sent[0]?.headers.get("x-dialect"), "openai", "The application states it");
});

Deno.test("serviceProxy sends only the configured X- headers", async () => {
  const browser = { "x-orchestration": "off", "x-other": "1", "x-forwarded-for": "1.2.3.4" };
  const xNames = (request: Request | undefined) =>
    [...request?.headers.keys() ?? []].filter((name) => name.startsWith("x-"));
  const closed = proxy(answered);
  await closed.handler(post("{}", browser));
  assertEquals(xNames(closed.sent[0]), ["x-request-id"]);
  const open = proxy(answered, { forwardHeaders: ["X-Orchestration", "X-Missing"] });
  await open.handler(post("{}", browser));
  assertEquals(xNames(open.sent[0]), ["x-orchestration", "x-request-id"]);
  assertEquals(open.sent[0]?.headers.get("x-orchestration"), "off");
  for (const name of ["X-API-Key", "cookie", "authorization", "x-", "x-a\r\nb"]) {
    assertThrows(() => proxy(answered, { forwardHeaders: [name] }), ConfigurationError, "forward");
  }
});

Deno.test("serviceProxy passes on of the answer's headers only what browser code has a use for", async () => {
  const { handler } = proxy(() =>
    new Response("data: {}\n\n", {
      headers: {
        "content-type": "text/event-stream; charset=utf-8",
        "x-request-id": "req_1",
        "x-ratelimit-remaining-requests": "9",
        "x-accel-buffering": "no",
        "set-cookie": "a=b",
        connection: "keep-alive",
        server: "svc",
        "access-control-allow-origin": "*",
      },
    })
  );
  const response = await handler(post());
  assertEquals(Object.fromEntries(response.headers), {
    "cache-control": "no-store",
    "content-type": "text/event-stream; charset=utf-8",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
    "x-ratelimit-remaining-requests": "9",
    "x-request-id": "req_1",
  });
  assertEquals(await response.text(), "data: {}\n\n");
});

Deno.test("serviceProxy refuses all but JSON by POST, and sends nothing", async () => {
  const { sent, handler } = proxy(answered, { maxBodyBytes: 10 });
  const url = "http://app.test/";
  const cases: [Request, [number, string]][] = [
    [new Request(url), [405, "method_not_allowed"]],
    [new Request(url, { method: "DELETE" }), [405, "method_not_allowed"]],
    [new Request(url, { method: "POST", body: "{}" }), [415, "unsupported_media_type"]],
    [post("a=b", { "content-type": "text/plain" }), [415, "unsupported_media_type"]],
    [post("{}", { "content-type": "application/jsonp" }), [415, "unsupported_media_type"]],
    [post("{}", { "content-encoding": "gzip" }), [415, "unsupported_media_type"]],
    [post("{}", { "x-request-id": "two words" }), [400, "invalid_request"]],
    [post("{}", { "content-length": "11" }), [413, "body_too_large"]],
    [post(`"${"x".repeat(9)}"`), [413, "body_too_large"]],
  ];
  for (const [request, expected] of cases) {
    assertEquals(await errorIn(await handler(request)), expected);
  }
  assertEquals((await handler(new Request(url))).headers.get("allow"), "POST");
  assertEquals(sent, []);
});

Deno.test("serviceProxy stops reading a body that has become too long", async () => {
  let pulls = 0;
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulls++;
      controller.enqueue(new Uint8Array(1_000));
    },
    cancel: () => void (isCancelled = true),
  });
  const { handler } = proxy(answered, { maxBodyBytes: 5_000 });
  const init = { method: "POST", body: endless, headers: JSON_TYPE, duplex: "half" };
  const response = await handler(new Request("http://app.test/", init));
  assertEquals(await errorIn(response), [413, "body_too_large"]);
  assert(isCancelled);
  assert(pulls < 10, `${pulls} pieces were read`);
});

Deno.test("serviceProxy lets through what authorize says true to, and nothing else", async () => {
  const answers = [false, undefined, 1, "true", null];
  for (const answer of answers) {
    const { sent, handler } = proxy(answered, {
      authorize: () => JSON.parse(JSON.stringify(answer) ?? "null"),
    });
    assertEquals(await errorIn(await handler(post())), [403, "policy_denied"]);
    assertEquals(sent, []);
  }
  const login = proxy(answered, { authorize: () => new Response("log in", { status: 401 }) });
  assertEquals(await (await login.handler(post())).text(), "log in");
  const broken = proxy(answered, { authorize: () => Promise.reject(new Error("no database")) });
  await assertRejects(() => broken.handler(post()), Error, "no database");
  assertEquals([login.sent, broken.sent], [[], []]);
});

Deno.test("serviceProxy sends what transform makes of the body", async () => {
  const { sent, handler } = proxy(answered, {
    transform: ({ tools: _, ...body }, request) => ({
      ...body,
      max_output_tokens: 100,
      safety_identifier: request.headers.get("cookie"),
    }),
  });
  const cookie = "session=1";
  await (await handler(post('{"input":"Hi","tools":[{}]}', { cookie }))).json();
  assertEquals(await sent[0]?.json(), {
    input: "Hi",
    max_output_tokens: 100,
    safety_identifier: cookie,
  });
  for (const body of ["[]", "null", "1", "{", "", new Uint8Array([0x22, 0xff, 0x22])]) {
    assertEquals(await errorIn(await handler(post(body))), [400, "invalid_request"]);
  }
  const refusing = proxy(answered, { transform: () => new Response("no", { status: 422 }) });
  assertEquals((await refusing.handler(post())).status, 422);
  const broken = proxy(answered, { transform: () => Promise.reject(new Error("bug")) });
  await assertRejects(() => broken.handler(post()), Error, "bug");
  const forgetful = proxy(answered, { transform: () => JSON.parse("null") });
  await assertRejects(() => forgetful.handler(post()), ConfigurationError, "no object");
  assertEquals([sent.length, refusing.sent, broken.sent, forgetful.sent], [1, [], [], []]);
});

Deno.test("serviceProxy passes errors of the service on, with their status, without the key", async () => {
  const error = {
    message: `The key ${KEY} has no credit`,
    type: "insufficient_quota",
    code: "insufficient_balance",
    param: null,
    request_id: "req_1",
  };
  const headers = { "retry-after": "3", "x-request-id": "req_1", "set-cookie": "a=b" };
  const { handler } = proxy(() => Response.json({ error }, { status: 402, headers }));
  const response = await handler(post());
  const passedHeaders = ["retry-after", "set-cookie"].map((name) => response.headers.get(name));
  assertEquals([response.status, ...passedHeaders], [402, "3", null]);
  assertEquals((await response.json()).error.message, "The key … has no credit");
  // JSON can spell it in more ways than one.
  const spelt = KEY.replaceAll(
    /./g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const spelling = proxy(() => new Response(`{"error":{"message":"${spelt}!"}}`, { status: 401 }));
  assertEquals((await (await spelling.handler(post())).json()).error.message, "…!");
});

Deno.test("serviceProxy shows nothing of what is not the service's own", async () => {
  const html = { "content-type": "text/html" };
  const location = { location: `http://other.test/?key=${KEY}` };
  const strange: Upstream[] = [
    () => new Response("<script>evil()</script>", { headers: html }),
    () => new Response("<h1>Bad gateway at 10.0.0.1</h1>", { status: 502, headers: html }),
    () => new Response("not found", { status: 404 }),
    () => Response.json({ error: "no" }, { status: 500 }),
    () => new Response("x".repeat(100_000), { status: 500 }),
    () => new Response(null, { status: 302, headers: location }),
    () => Promise.reject(new TypeError(`connect failed with ${KEY}`)),
  ];
  for (const upstream of strange) {
    const response = await proxy(upstream).handler(post());
    assertEquals(response.headers.get("location"), null);
    const text = await response.clone().text();
    assert(!/script|10\.0|not found|xxx/.test(text) && !text.includes(KEY), text);
    assertEquals(await errorIn(response), [502, "upstream_error"]);
  }
});

Deno.test("serviceProxy reads no further than the browser", async () => {
  let pulls = 0;
  const { handler } = proxy(() => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(`data: ${++pulls}\n\n`)),
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const response = await handler(post());
  assertEquals(pulls, 0);
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.read();
  assertEquals(pulls, 2);
  await reader?.cancel();
});

/** Fetches a body that says one word and then nothing, and tells whether it was ended. */
function stalling(): { readonly upstream: Upstream; readonly ended: Promise<void> } {
  let end = () => {};
  const ended = new Promise<void>((resolve) => end = resolve);
  const upstream: Upstream = ({ signal }) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("data: 1\n\n"));
        signal.addEventListener("abort", () => {
          controller.error(signal.reason);
          end();
        });
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { upstream, ended };
}

Deno.test("serviceProxy ends the call where the browser leaves the answer", async () => {
  const { upstream, ended } = stalling();
  const response = await proxy(upstream).handler(post());
  const reader = response.body?.getReader();
  assertEquals(new TextDecoder().decode((await reader?.read())?.value), "data: 1\n\n");
  await reader?.cancel();
  await ended;
});

Deno.test("serviceProxy ends the call where the browser's request is aborted", async () => {
  const { upstream, ended } = stalling();
  const browser = new AbortController();
  const response = await proxy(upstream).handler(new Request(post(), { signal: browser.signal }));
  browser.abort();
  await ended;
  await assertRejects(() => response.text());
  const { sent, handler } = proxy(({ signal }) => Promise.reject(signal.reason));
  const late = await handler(new Request(post(), { signal: browser.signal }));
  await late.body?.cancel();
  assertEquals(sent, []);
});

Deno.test("serviceProxy breaks an answer off that takes too long, and never ends it cleanly", async () => {
  const { upstream, ended } = stalling();
  const response = await proxy(upstream, { timeoutMs: 20 }).handler(post());
  await assertRejects(() => response.text(), Error, "timeoutMs");
  await ended;
});

Deno.test("serviceProxy gives up on a service, and on a browser, that stays silent", async () => {
  const silent: Upstream = ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const { handler } = proxy(silent, { timeoutMs: 20 });
  assertEquals(await errorIn(await handler(post())), [504, "upstream_timeout"]);
  const never = new ReadableStream<Uint8Array>();
  const init = { method: "POST", body: never, headers: JSON_TYPE, duplex: "half" };
  const slow = await handler(new Request("http://app.test/", init));
  assertEquals(await errorIn(slow), [400, "invalid_request"]);
});

Deno.test("serviceProxy gives up in time where its fetch hears no signal", async () => {
  const deaf = { timeoutMs: 20, fetch: () => new Promise<Response>(() => {}) };
  assertEquals(await errorIn(await proxy(answered, deaf).handler(post())), [
    504,
    "upstream_timeout",
  ]);
  let isLeft = false;
  const body = new ReadableStream<Uint8Array>({ cancel: () => void (isLeft = true) });
  const headers = { "content-type": "text/event-stream" };
  const endless = { timeoutMs: 20, fetch: () => Promise.resolve(new Response(body, { headers })) };
  const response = await proxy(answered, endless).handler(post());
  await assertRejects(() => response.text(), Error, "timeoutMs");
  assert(isLeft);
});

Deno.test("serviceProxy accepts a key by header, and adds the model base", async () => {
  const { sent, handler } = proxy(answered, {
    apiKey: undefined,
    apiBaseUrl: undefined,
    headers: { "x-api-key": KEY, "x-orchestration": "final" },
    openAIBaseUrl: "http://models.test/v1",
    path: "/openai/v1/chat/completions",
  });
  await (await handler(post())).json();
  const [request] = sent;
  assertEquals(request?.url, "http://models.test/v1/chat/completions");
  const names = ["x-api-key", "authorization", "x-orchestration"];
  assertEquals(names.map((name) => request?.headers.get(name)), [KEY, null, "final"]);
});

Deno.test("serviceProxy says when it is made what it cannot work with", () => {
  const wrong = (options: object) => () => proxy(answered, JSON.parse(JSON.stringify(options)));
  assertThrows(wrong({ apiKey: "" }), MissingAPIKeyError);
  const keyless = { apiKey: undefined, headers: { authorization: "Bearer " } };
  assertThrows(() => proxy(answered, keyless), MissingAPIKeyError);
  assertThrows(wrong({ path: "/openai/v1/models" }), ConfigurationError, "/openai/v1/models");
  assertThrows(wrong({ path: "toString" }), ConfigurationError, "toString");
  assertThrows(wrong({ maxBodyBytes: 0 }), ConfigurationError, "maxBodyBytes");
  assertThrows(wrong({ authorize: "yes" }), ConfigurationError, "authorize");
  assertThrows(wrong({ paht: 1 }), ConfigurationError, "paht");
});

Deno.test("serviceProxy gives each answer an id to quote", async () => {
  const { sent, handler } = proxy(answered);
  const response = await handler(post());
  await response.json();
  assertMatch(response.headers.get("x-request-id") ?? "", /^req_[0-9a-f]{32}$/);
  assertEquals(sent[0]?.headers.get("x-request-id"), response.headers.get("x-request-id"));
});
