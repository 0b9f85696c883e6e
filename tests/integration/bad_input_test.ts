/**
 * Invalid requests of all kinds: the answer says what is wrong, and nothing is charged.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";

const CHAT = "/openai/v1/chat/completions";
const FEEDBACK = "/api/v1/feedback";
const KEY = { authorization: `Bearer ${BOOTSTRAP_KEY}` };
const HI = [{ role: "user", content: "Hi" }];

interface Case {
  readonly name: string;
  readonly method?: string;
  readonly path?: string;
  /** Headers beside or instead of the good ones; an empty one is left out. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is where it is text or bytes, else as JSON with the model `auto`. */
  readonly body?: string | Uint8Array<ArrayBuffer> | Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly code: string;
  readonly param?: string | null;
}

/** Cases of one status and code. */
function each(
  status: number,
  code: string,
  cases: Readonly<Record<string, Omit<Case, "name" | "status" | "code">>>,
): Case[] {
  return Object.entries(cases).map(([name, rest]) => ({ name, status, code, ...rest }));
}

const tools = (...types: readonly string[]) => ({
  messages: HI,
  tools: types.map((type) => ({ type })),
});

const CASES: readonly Case[] = [
  ...each(400, "invalid_request", {
    "no JSON": { body: "{" },
    "an empty body": { body: "" },
    "an array": { body: "[]" },
    "a string": { body: '"hello"' },
    "null": { body: "null" },
    "nested too deep": { body: `{"model":"auto","messages":${"[".repeat(5_000)}` },
    "deep and valid": { body: `{"model":"auto","x":${"[".repeat(200)}${"]".repeat(200)}}` },
    "invalid UTF-8": { body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) },
    "a number too many": { body: '{"model":"auto","messages":[{"role":"user"}]} 1' },
    "a name twice": {
      body: `{"model":"auto","max_tokens":100000,"messages":${JSON.stringify(HI)},"max_tokens":1}`,
      param: null,
    },
    "a name twice in a message": {
      body: '{"model":"auto","messages":[{"role":"user","content":"Hello","\\u0063ontent":"Hi"}]}',
      param: null,
    },
    "white space of 5 MB": {
      body: `${" ".repeat(5 * 1024 * 1024)}{"model":"auto","messages":${JSON.stringify(HI)}}`,
    },
    "a number of 5 MB": {
      body: `{"model":"auto","messages":${JSON.stringify(HI)},"seed":${"9".repeat(5_242_880)}}`,
    },
    "no messages": { body: {}, param: "messages" },
    "empty messages": { body: { messages: [] }, param: "messages" },
    "messages as text": { body: { messages: "Hi" }, param: "messages" },
    "null for a message": { body: { messages: [null] }, param: "messages.0" },
    "a message without role": { body: { messages: [{ content: "Hi" }] }, param: "messages.0.role" },
    "an unknown role": {
      body: { messages: [...HI, { role: "robot", content: "Hi" }] },
      param: "messages.1.role",
    },
    "a number as content": {
      body: { messages: [{ role: "user", content: 1 }] },
      param: "messages.0.content",
    },
    "a text part without text": {
      body: { messages: [{ role: "user", content: [{ type: "text" }] }] },
      param: "messages.0.content.0.text",
    },
    "an image part without address": {
      body: { messages: [{ role: "user", content: [{ type: "image_url" }] }] },
      param: "messages.0.content.0.image_url",
    },
    "a tool result without call": {
      body: { messages: [...HI, { role: "tool", content: "1" }] },
      param: "messages.1.tool_call_id",
    },
    "a million messages": {
      body: `{"model":"auto","messages":[${"{},".repeat(1_000_000)}{}]}`,
      param: null,
    },
    "messages of 32 MB": { body: `{"model":"auto","messages":[${"1,".repeat(16_000_000)}1]}` },
    "too many messages": {
      body: { messages: Array(10_001).fill(HI[0]) },
      param: "messages",
    },
    "a limit beyond all numbers": {
      body: `{"model":"auto","messages":${JSON.stringify(HI)},"max_tokens":1e400}`,
      param: "max_tokens",
    },
    "n of 0": { body: { messages: HI, n: 0 }, param: "n" },
    "n of 129": { body: { messages: HI, n: 129 }, param: "n" },
    "a limit of 0": { body: { messages: HI, max_tokens: 0 }, param: "max_tokens" },
    "a limit of -1": {
      body: { messages: HI, max_completion_tokens: -1 },
      param: "max_completion_tokens",
    },
    "half a token": {
      body: { messages: HI, max_completion_tokens: 0.5 },
      param: "max_completion_tokens",
    },
    "stream as text": { body: { messages: HI, stream: "yes" }, param: "stream" },
    "a hot temperature": { body: { messages: HI, temperature: 3 }, param: "temperature" },
    "top_p of 2": { body: { messages: HI, top_p: 2 }, param: "top_p" },
    "tools as an object": { body: { messages: HI, tools: {} }, param: "tools" },
    "a function without declaration": { body: tools("function"), param: "tools.0.function" },
    "a schema without schema": {
      body: { messages: HI, response_format: { type: "json_schema" } },
      param: "response_format.json_schema",
    },
    "stop as a number": { body: { messages: HI, stop: 1 }, param: "stop" },
    "a long X-Request-ID": { headers: { "x-request-id": "x".repeat(129) }, param: "X-Request-ID" },
    "a space in X-Request-ID": { headers: { "x-request-id": "a b" }, param: "X-Request-ID" },
    "an unknown locale": {
      method: "GET",
      path: "/api/v1/models?locale=fr",
      param: "locale",
    },
    "two locales": {
      method: "GET",
      path: "/api/v1/models?locale=en&locale=zh",
      param: "locale",
    },
    "a vote without a request id": {
      ...{ path: FEEDBACK, body: '{"score":1}', param: "request_id" },
    },
    "a vote without a score": { path: FEEDBACK, body: '{"request_id":"a"}', param: "score" },
    "a vote with an unknown member": {
      ...{ path: FEEDBACK, body: '{"request_id":"a","score":1,"up":true}', param: "up" },
    },
    "a vote that is no JSON": { path: FEEDBACK, body: "{", param: null },
    "an empty locale": { method: "GET", path: "/api/v1/models?locale=", param: "locale" },
  }),
  ...each(400, "model_not_allowed", {
    "another model": { body: { model: "gpt-5", messages: HI }, param: "model" },
    "a catalog id": { body: { model: "svc/sim-small", messages: HI }, param: "model" },
    "no model": { body: JSON.stringify({ messages: HI }), param: "model" },
    "a number as model": { body: { model: 1, messages: HI }, param: "model" },
    "AUTO": { body: { model: "AUTO", messages: HI }, param: "model" },
  }),
  ...each(400, "unsupported_tool", {
    "an unknown hosted tool": { body: tools("code_interpreter"), param: "tools.0.type" },
  }),
  ...each(400, "conflicting_tools", {
    "two search aliases": { body: tools("web_search", "web_search_preview"), param: "tools" },
    "three search aliases": {
      body: tools("web_search_20250305", "web_search", "web_search_preview"),
      param: "tools",
    },
  }),
  ...each(401, "missing_api_key", {
    "no key": { headers: { authorization: "" } },
    "an empty bearer": { headers: { authorization: "Bearer" } },
    "another scheme": { headers: { authorization: "Basic eDp5" } },
    "no key for meta": {
      method: "GET",
      path: "/api/v1/models/meta",
      headers: { authorization: "" },
    },
    "no key for pricing": {
      method: "GET",
      path: "/api/v1/pricing",
      headers: { authorization: "" },
    },
    "no key for feedback": { path: FEEDBACK, headers: { authorization: "" } },
    "no key for the model list": {
      method: "GET",
      path: "/openai/v1/models",
      headers: { authorization: "" },
    },
  }),
  ...each(401, "invalid_api_key", {
    "an unknown key": { headers: { authorization: "Bearer svc_live_x" } },
    "a huge key": { headers: { authorization: `Bearer ${"x".repeat(4_000)}` } },
    "X-API-Key is read first": { headers: { "x-api-key": "svc_live_wrong" } },
  }),
  ...each(404, "not_found", {
    "an unknown path": { method: "GET", path: "/nothing" },
    "an unknown endpoint": { path: "/openai/v1/completions" },
    "a path that climbs": { method: "GET", path: "/api/v1/%2e%2e/admin/v1/keys" },
    "a vote on no request": { path: FEEDBACK, body: '{"request_id":"a","score":1}' },
    "the admin API on the public listener": { method: "GET", path: "/admin/v1/keys" },
  }),
  ...each(405, "method_not_allowed", {
    "GET for chat": { method: "GET" },
    "DELETE for chat": { method: "DELETE" },
    "POST for the catalog": { path: "/api/v1/models" },
    "GET for feedback": { method: "GET", path: FEEDBACK },
  }),
  ...each(413, "body_too_large", {
    "a body of 33 MB": { body: new Uint8Array(33 * 1024 * 1024).fill(0x20) },
  }),
  ...each(415, "unsupported_media_type", {
    "no content type": { headers: { "content-type": "" } },
    "a form": { headers: { "content-type": "multipart/form-data; boundary=x" } },
    "plain text": { headers: { "content-type": "text/plain" } },
    "a compressed body": { headers: { "content-encoding": "gzip" } },
    "JSON in name only": { headers: { "content-type": "application/jsonp" } },
  }),
];

function send(service: TestService, one: Case): Promise<Response> {
  const { method = "POST", path = CHAT, body = { messages: HI } } = one;
  const raw = typeof body === "string" || body instanceof Uint8Array;
  const wanted = { ...KEY, "content-type": "application/json", ...one.headers };
  const headers = Object.entries(wanted).filter(([, value]) => value !== "");
  const text = raw ? body : JSON.stringify({ model: "auto", ...body });
  return fetch(`${service.running.publicUrl}${path}`, {
    method,
    headers,
    // Bytes carry no content type of their own, as text would.
    body: method === "GET"
      ? null
      : typeof text === "string"
      ? new TextEncoder().encode(text)
      : text,
  });
}

Deno.test("bad input gets status, code, parameter and a sentence, and is never charged", async (t) => {
  await using service = await TestService.start();
  for (const one of CASES) {
    await t.step(`${one.name}: ${one.status} ${one.code}`, async () => {
      const response = await send(service, one);
      const { error, ...rest } = await response.json();
      assertEquals([response.status, error.code], [one.status, one.code]);
      if (one.param !== undefined) assertEquals(error.param, one.param);
      assertMatch(error.message, /^[A-Z"/].{8,}[^.]$/);
      assertEquals(rest, {});
      assertEquals(error.request_id, response.headers.get("x-request-id"));
      assertEquals(response.headers.get("content-type"), "application/json");
      if (one.status === 405) assert(response.headers.get("allow") !== null);
    });
  }
  assertEquals((await service.wallet()).spent, 0n);
  const good = await service.chat({ messages: HI }, { headers: { "x-api-key": BOOTSTRAP_KEY } });
  assertEquals(good.status, 200, "the service still answers");
  await good.body?.cancel();
  const both = await service.chat({ messages: HI }, {
    key: "svc_live_wrong",
    headers: { "x-api-key": BOOTSTRAP_KEY },
  });
  assertEquals(both.status, 200, "X-API-Key is read first");
  await both.body?.cancel();
  assertEquals(service.logs.filter((line) => line.level === "error"), []);
  await service.assertBooks();
});
