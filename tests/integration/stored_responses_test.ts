/**
 * Stored responses, read over HTTP with OpenAI's own client.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import OpenAI from "openai";
import type { INCLUDABLE } from "../../gateway/http/schemas/stored_responses.ts";
import { StoreError } from "../../gateway/ports/store_error.ts";
import type { StoredResponse } from "../../gateway/ports/response_store.ts";
import { labConfig } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, ManualClock, TestService, WALLET } from "../fixtures/service.ts";

// Exactly the values of OpenAI's client are accepted.
assertType<IsExact<typeof INCLUDABLE[number], OpenAI.Responses.ResponseIncludable>>(true);

const TEXT = "No bytes are changed: 1.0, 12345678901234567890, é, 漢";

function stored(id: string, fields: Partial<StoredResponse> = {}): StoredResponse {
  const content = [{ type: "output_text", text: TEXT, annotations: [], logprobs: [] }];
  const message = { type: "message", id: `${id}_msg`, role: "assistant", content };
  const shown = { id, object: "response", status: "completed", output: [message] };
  return {
    id,
    ownerId: WALLET,
    expiresAtMs: Date.now() + 60_000,
    resource: `{ "temperature": 1.0, "big": 12345678901234567890, ${
      JSON.stringify(shown).slice(1)
    }`,
    input: [],
    itemIds: [],
    ...fields,
  };
}

function items(count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const content = [{ type: "input_text", text: `${n}` }];
    return JSON.stringify({ type: "message", id: `msg_${n}`, role: "user", content });
  });
}

function call(
  service: TestService,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = { "x-api-key": BOOTSTRAP_KEY };
  return fetch(`${service.openaiUrl}/responses/${path}`, { headers, ...init });
}

async function errorOf(response: Response): Promise<Record<string, unknown>> {
  const { error: { request_id, ...rest } } = await response.json();
  assertEquals(response.headers.get("x-request-id"), request_id);
  return { status: response.status, ...rest };
}

Deno.test("OpenAI's client reads a response, its input, and deletes it", async () => {
  await using service = await TestService.start({ described: false });
  const { responses } = service.running.stores;
  const client = service.client();
  const storedResponse = stored("resp_1", { input: items(45) });
  await responses.put(storedResponse);

  const read = await client.responses.retrieve("resp_1");
  assertEquals([read.id, read.output_text], ["resp_1", TEXT]);
  const raw = await call(service, "resp_1?include=x&starting_after=2&stream=false&more=1");
  assertEquals(await raw.text(), storedResponse.resource);
  assertEquals(raw.headers.get("content-type"), "application/json");
  assertEquals(raw.headers.get("cache-control"), "private, no-store");
  const head = await call(service, "resp_1", { method: "HEAD" });
  assertEquals([head.status, await head.text()], [200, ""]);
  assertEquals(head.headers.get("content-length"), raw.headers.get("content-length"));

  const seen: string[] = [];
  for await (const item of client.responses.inputItems.list("resp_1")) seen.push(item.id ?? "");
  assertEquals(seen, Array.from({ length: 45 }, (_, n) => `msg_${44 - n}`));
  const page = await client.responses.inputItems.list("resp_1", {
    order: "asc",
    limit: 2,
    after: "msg_9",
    include: ["message.input_image.image_url", "reasoning.encrypted_content"],
  });
  assertEquals(page.data.map(({ id }) => id), ["msg_10", "msg_11"]);
  assertEquals(page.has_more, true);

  await client.responses.delete("resp_1");
  await assertRejects(() => client.responses.retrieve("resp_1"), OpenAI.NotFoundError);
  await assertRejects(() => client.responses.delete("resp_1"), OpenAI.NotFoundError);
  await responses.put(storedResponse);
  const deleted = await call(service, "resp_1", { method: "DELETE" });
  assertEquals(await deleted.json(), { id: "resp_1", object: "response", deleted: true });
  await service.assertBooks();
});

Deno.test("a response of twenty megabytes comes back to the byte", async () => {
  await using service = await TestService.start({ described: false });
  const image = "iVBORw0KGgo".repeat(1_000_000);
  const content = `[{"type":"input_text","text":"${image}"}]`;
  const input = [`{"type":"message","id":"msg_0","role":"user","content":${content}}`];
  const storedResponse = stored("resp_1", {
    input,
    resource: `{"id":"resp_1","image":"${image}"}`,
  });
  assertEquals(await service.running.stores.responses.put(storedResponse), true);
  assertEquals(await (await call(service, "resp_1")).text(), storedResponse.resource);
  const list = await (await call(service, "resp_1/input_items")).text();
  assertEquals(
    list,
    `{"object":"list","data":[${input}],"first_id":"msg_0","last_id":"msg_0","has_more":false}`,
  );
});

Deno.test("the keys of a wallet share its responses; other wallets' find nothing", async () => {
  await using service = await TestService.start({ described: false });
  const first = await service.newKey();
  const other = await service.newKey();
  const created = await service.admin("POST", "/keys", { name: "second", wallet: first.wallet });
  await service.running.stores.responses.put(stored("resp_1", { ownerId: first.wallet }));
  const as = (apiKey: string) => service.client({ apiKey }).responses;

  assertEquals((await as(first.key).retrieve("resp_1")).id, "resp_1");
  assertEquals((await as(String(created.key)).retrieve("resp_1")).id, "resp_1");
  for (const apiKey of [other.key, BOOTSTRAP_KEY]) {
    await assertRejects(() => as(apiKey).retrieve("resp_1"), OpenAI.NotFoundError);
    await assertRejects(() => as(apiKey).delete("resp_1"), OpenAI.NotFoundError);
    await assertRejects(() => as(apiKey).inputItems.list("resp_1"), OpenAI.NotFoundError);
  }
  await as(String(created.key)).delete("resp_1");
  await assertRejects(() => as(first.key).retrieve("resp_1"), OpenAI.NotFoundError);
});

Deno.test("unknown, expired, deleted and others' responses answer alike", async () => {
  const clock = new ManualClock();
  await using service = await TestService.start({ clock, described: false });
  const { responses } = service.running.stores;
  const expiresAtMs = clock.nowMs() + 1_000;
  const other = await service.newKey();
  await responses.put(
    stored("resp_theirs", { ownerId: other.wallet, expiresAtMs: clock.nowMs() + 60_000 }),
  );
  await responses.put(stored("resp_gone", { expiresAtMs: clock.nowMs() + 60_000 }));
  await responses.delete(WALLET, "resp_gone");
  await responses.put(stored("resp_over", { expiresAtMs }));
  clock.advance(999);
  assertEquals((await service.client().responses.retrieve("resp_over")).id, "resp_over");
  clock.advance(1);
  const ids = [
    "resp_theirs",
    "resp_gone",
    "resp_over",
    "resp_none",
    "a%2Fb",
    "%2e%2e%2f",
    "%zz",
    "%00",
    "%ff",
    "%F0%9F%90%9A",
    "x".repeat(8_000),
    "input_items",
  ];
  for (const id of ids) {
    for (const [method, path] of [["GET", id], ["DELETE", id], ["GET", `${id}/input_items`]]) {
      const answer = await errorOf(await call(service, path ?? "", { method: method ?? "" }));
      assertEquals(answer, {
        status: 404,
        type: "invalid_request_error",
        code: "not_found",
        message:
          "There is no such response: it never existed, was not stored, has expired or was deleted",
        param: "response_id",
      }, `${method} ${path}`);
    }
  }
  // Any text can be an id.
  for (const id of ["a/b", "%zz", "🐚", "x".repeat(8_000)]) {
    await responses.put(stored(id, { expiresAtMs: clock.nowMs() + 1_000 }));
    assertEquals((await service.client().responses.retrieve(id)).id, id);
  }
});

Deno.test("a request that cannot be served says why", async () => {
  await using service = await TestService.start();
  await service.running.stores.responses.put(stored("resp_1", { input: items(3) }));
  const cases: [string, string][] = [
    ["resp_1?stream=true", "stream"],
    ["resp_none?stream=true", "stream"],
    ["resp_1?stream=", "stream"],
    ["resp_1/input_items?limit=0", "limit"],
    ["resp_1/input_items?limit=101", "limit"],
    ["resp_1/input_items?order=down", "order"],
    ["resp_1/input_items?after=msg_7", "after"],
    ["resp_1/input_items?include=all", "include.0"],
  ];
  for (const [path, param] of cases) {
    const { status, code, param: named } = await errorOf(await call(service, path));
    assertEquals([status, code, named], [400, "invalid_request", param], path);
  }
  for (
    const [method, path, allow] of [
      ["POST", "resp_1", "GET, HEAD, DELETE"],
      ["PUT", "resp_1", "GET, HEAD, DELETE"],
      ["DELETE", "resp_1/input_items", "GET, HEAD"],
    ] as const
  ) {
    const response = await call(service, path, { method });
    assertEquals(response.headers.get("allow"), allow);
    assertEquals((await errorOf(response)).code, "method_not_allowed");
  }
});

Deno.test("a key is required, by either header, and its policy holds", async () => {
  await using service = await TestService.start({ described: false });
  const { key, wallet } = await service.newKey({ policy: { endpoints: ["chat"] } });
  const allowed = await service.newKey({ policy: { endpoints: ["responses"] } });
  const { responses } = service.running.stores;
  await responses.put(stored("resp_1", { ownerId: wallet }));
  await responses.put(stored("resp_1", { ownerId: allowed.wallet }));
  for (const path of ["resp_1", "resp_1/input_items"]) {
    for (const method of path === "resp_1" ? ["GET", "DELETE"] : ["GET"]) {
      const statusOf = async (headers: HeadersInit) => {
        const response = await call(service, path, { method, headers });
        return [response.status, (await errorOf(response)).code];
      };
      assertEquals(await statusOf({}), [401, "missing_api_key"]);
      assertEquals(await statusOf({ "x-api-key": "svc_live_no" }), [401, "invalid_api_key"]);
      assertEquals(await statusOf({ "x-api-key": key }), [403, "policy_denied"]);
      assertEquals(await statusOf({ authorization: `Bearer ${key}` }), [403, "policy_denied"]);
    }
    for (
      const headers of [{ "x-api-key": allowed.key }, { authorization: `Bearer ${allowed.key}` }]
    ) {
      const response = await call(service, path, { headers: new Headers(headers) });
      assertEquals(response.status, 200);
      await response.body?.cancel();
    }
  }
  assert(await responses.get(wallet, "resp_1") !== undefined, "A denied key has deleted it");
});

Deno.test("a store that fails is 503", async () => {
  await using service = await TestService.start();
  const { responses } = service.running.stores;
  const fail = { value: () => Promise.reject(new StoreError("disk I/O error")) };
  Object.defineProperties(responses, { get: fail, delete: fail });
  for (const method of ["GET", "DELETE"]) {
    const { status, code } = await errorOf(await call(service, "resp_1", { method }));
    assertEquals([status, code], [503, "store_unavailable"]);
  }
});

Deno.test("the configuration file says how long and how much", async () => {
  const lab = labConfig({ id: "small", baseUrl: "http://127.0.0.1:1/v1" });
  const config = { ...lab, responses: { keepDays: 7, keepMegabytes: 1 } };
  await using service = await TestService.start({ config });
  const { gateway, stores } = service.running;
  assertEquals(gateway.responsesKeptMs(), 7 * 24 * 60 * 60 * 1_000);
  // A wallet alone may use half of the store.
  const resource = JSON.stringify("x".repeat(400_000));
  assertEquals(await stores.responses.put(stored("resp_1", { resource })), true);
  assertEquals(await stores.responses.put(stored("resp_2", { resource })), false);
  await using plain = await TestService.start();
  assertEquals(plain.running.gateway.responsesKeptMs(), 30 * 24 * 60 * 60 * 1_000);
});
