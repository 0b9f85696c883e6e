/**
 * The proxy helper of the client library, mounted in an application as its users would mount it, in
 * front of the real service.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { Hono } from "@hono/hono";
import { type ProxyHandler, serviceProxy, type ServiceProxyOptions } from "@svc/sdk/proxy";
import OpenAI from "openai";
import { readUntil } from "../fixtures/event_stream.ts";
import { chunk, FakeUpstream, streamHead } from "../fixtures/fake_upstream.ts";
import { GarbageCollection } from "../fixtures/garbage.ts";
import { chunkText, labConfig, QUESTION } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";

const SESSION = "session=known";

/** Ways to mount a handler at `/api/v1/…`. */
const MOUNTS: Readonly<Record<string, (handler: ProxyHandler) => Deno.ServeHandler>> = {
  "plain Deno.serve": (handler) => handler,
  "Hono": (handler) => {
    const app = new Hono();
    app.all("/api/v1/*", (context) => handler(context.req.raw));
    return app.fetch;
  },
};

/** An application that listens. */
class Application implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(handler: Deno.ServeHandler) {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
  }

  /** Address that browser code posts to. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/api/v1/answer`;
  }

  /** Posts as browser code does, with the user's cookie. */
  post(body: unknown, init: RequestInit = {}): Promise<Response> {
    const headers = { "content-type": "application/json", cookie: SESSION };
    return fetch(this.url, { method: "POST", headers, body: JSON.stringify(body), ...init });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

function optionsFor(service: TestService): ServiceProxyOptions {
  return {
    apiKey: BOOTSTRAP_KEY,
    apiBaseUrl: service.running.publicUrl,
    path: "/openai/v1/responses",
    authorize: ({ headers }) => headers.get("cookie") === SESSION,
    transform: (body) => ({ ...body, model: "auto", store: false }),
  };
}

for (const [name, mount] of Object.entries(MOUNTS)) {
  Deno.test(`${name}: browser code streams an answer, and the key stays here`, async () => {
    await using service = await TestService.start();
    await using app = new Application(mount(serviceProxy(optionsFor(service))));
    const response = await app.post({ input: "Hi", stream: true });
    assertEquals(response.status, 200);
    assertMatch(response.headers.get("content-type") ?? "", /^text\/event-stream/);
    const text = await response.text();
    assert(text.includes("response.output_text.delta"), text);
    assert(text.includes("response.completed"), text);
    assert(!`${text}${JSON.stringify([...response.headers])}`.includes(BOOTSTRAP_KEY));
    const { requestId } = await service.lastRequest();
    assertEquals(response.headers.get("x-request-id"), requestId);
    await service.assertBooks();
  });

  Deno.test(`${name}: strangers, other methods, forms and long bodies come no further`, async () => {
    await using service = await TestService.start();
    const options = { ...optionsFor(service), maxBodyBytes: 1_000 };
    await using app = new Application(mount(serviceProxy(options)));
    const json = { "content-type": "application/json" };
    const answers = [
      await app.post({ input: "Hi" }, { headers: json }),
      await fetch(app.url),
      await app.post({}, { headers: { cookie: SESSION }, body: new URLSearchParams({ a: "b" }) }),
      await app.post({ input: "long".repeat(1_000) }),
    ];
    assertEquals(answers.map(({ status }) => status), [403, 405, 415, 413]);
    for (const answer of answers) {
      const { error } = await answer.json();
      assertEquals(error.request_id, answer.headers.get("x-request-id"));
    }
    const { records } = await service.running.stores.log.search({ limit: 1 });
    assertEquals(records, []);
  });

  Deno.test(`${name}: an error of the service's reaches browser code in its shape`, async () => {
    await using service = await TestService.start();
    const { key } = await service.newKey({ credits: "0" });
    const poor = serviceProxy({ ...optionsFor(service), apiKey: key });
    await using app = new Application(mount(poor));
    const headers = { "content-type": "application/json", cookie: SESSION, "x-request-id": "b-1" };
    const response = await app.post({ input: "Hi" }, { headers });
    const text = await response.text();
    assert(!text.includes(key));
    const { error } = JSON.parse(text);
    assertEquals([response.status, error.code, error.request_id], [
      402,
      "insufficient_balance",
      "b-1",
    ]);
  });

  Deno.test(`${name}: a disconnecting browser ends the call, also after garbage collection`, async () => {
    await using upstream = new FakeUpstream();
    const words = chunkText({ role: "assistant", content: "Hello" });
    upstream.answer([streamHead(), chunk(`data: ${words}\n\n`), { stall: true }]);
    const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
    await using service = await TestService.start({ config });
    const path = "/openai/v1/chat/completions";
    const proxy = serviceProxy({ ...optionsFor(service), path, transform: undefined });
    await using app = new Application(mount(proxy));
    const leaving = new AbortController();
    const body = { model: "auto", messages: QUESTION, stream: true };
    const response = await app.post(body, { signal: leaving.signal });
    const reader = response.body?.getReader();
    assert(reader !== undefined);
    await readUntil(reader, "Hello");
    using _ = new GarbageCollection();
    await new Promise((resolve) => setTimeout(resolve, 100));
    leaving.abort();
    await assertRejects(() => reader.read());
    await upstream.clientLeft();
    assertEquals((await service.lastRequest()).outcome, "client_left");
    await service.assertBooks();
  });

  Deno.test(`${name}: a stalled answer is aborted, also after garbage collection`, async () => {
    await using upstream = new FakeUpstream();
    const words = chunkText({ role: "assistant", content: "Hello" });
    upstream.answer([streamHead(), chunk(`data: ${words}\n\n`), { stall: true }]);
    const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
    await using service = await TestService.start({ config });
    const path = "/openai/v1/chat/completions";
    const proxy = serviceProxy({ ...optionsFor(service), path, timeoutMs: 4_000 });
    await using app = new Application(mount(proxy));
    const response = await app.post({ messages: QUESTION, stream: true });
    assertEquals(response.status, 200);
    // Not before: collections slow the service, and the limit would end the call without a status.
    using _ = new GarbageCollection();
    await assertRejects(() => response.text());
    await upstream.clientLeft();
    await service.assertBooks();
  });
}

Deno.test("OpenAI's client in a browser works through the proxy, and needs no key", async () => {
  await using service = await TestService.start();
  const { transform: _, ...options } = optionsFor(service);
  const proxy = serviceProxy({ ...options, path: "/openai/v1/chat/completions" });
  const app = new Hono();
  app.all("/api/chat/completions", (context) => proxy(context.req.raw));
  await using application = new Application(app.fetch);
  const client = new OpenAI({
    apiKey: "none",
    baseURL: new URL("/api", application.url).href,
    defaultHeaders: { cookie: SESSION },
  });
  const stream = client.chat.completions.stream({
    model: "auto",
    messages: [{ role: "user", content: "Hi" }],
  });
  const { choices } = await stream.finalChatCompletion();
  assertEquals(choices[0]?.finish_reason, "stop");
  await service.assertBooks();
});
