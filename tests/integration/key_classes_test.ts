/**
 * Service keys open the public listener, admin tokens the operator's, and who is refused learns
 * nothing of why.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { formatKey, parseKey } from "../../gateway/domain/policy/key_format.ts";
import { newKeyParts } from "../../gateway/flows/keys/new_secret.ts";
import { systemClock } from "../../gateway/system/clock.ts";
import { labConfig } from "../fixtures/lab.ts";
import { ADMIN_TOKEN, BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";

const DATE = /^date$/i;

/** One address may try as many keys as it likes: how floods are slowed is tested elsewhere. */
const UNLIMITED = {
  ...labConfig({ id: "only", baseUrl: "http://127.0.0.1:9/v1" }),
  limits: { badKeysPerMinute: 0 },
};

/** An answer without what names the request. */
async function shapeOf(response: Response) {
  const { error } = await response.json();
  const requestId = response.headers.get("x-request-id");
  assertEquals(error.request_id, requestId);
  const headers = [...response.headers]
    .filter(([name]) => !DATE.test(name))
    .map(([name, value]) => [name, value === requestId ? "the id" : value]);
  return JSON.stringify([response.status, { ...error, request_id: "the id" }, headers]);
}

/** Both ways to send a key. */
const WAYS: readonly ((key: string) => Record<string, string>)[] = [
  (key) => ({ authorization: `Bearer ${key}` }),
  (key) => ({ "x-api-key": key }),
  (key) => ({ authorization: `Bearer ${key}`, "x-api-key": key }),
];

/** Returns keys of the right form that were never issued, of both classes. */
function forged(): readonly string[] {
  const parts = newKeyParts();
  const [service, admin] = [formatKey(parts), formatKey(parts, "admin")];
  const miss = (key: string) => key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
  return [service, admin, miss(service), miss(admin)];
}

/** A real secret in the other class's clothes, with the right checksum. */
function swapped(secret: string, keyClass: "service" | "admin"): string {
  const parts = parseKey(secret, keyClass === "admin" ? "service" : "admin");
  assert(parts !== undefined);
  return formatKey(parts, keyClass);
}

/** The answers to some keys in one way of sending: they must all be the same. */
async function answersTo(
  keys: readonly string[],
  ask: (headers: Record<string, string>) => Promise<Response>,
): Promise<readonly string[]> {
  const different = new Set<string>();
  for (const way of WAYS) {
    const answers = new Set<string>();
    for (const key of keys) answers.add(await shapeOf(await ask(way(key))));
    assertEquals(answers.size, 1, [...answers].join("\n"));
    for (const answer of answers) different.add(answer);
  }
  return [...different];
}

Deno.test("every key that may not be used gets one answer, at every address that asks for one", async () => {
  let aheadMs = 0;
  const clock = {
    nowMs: () => systemClock.nowMs() + aheadMs,
    monotonicMs: () => systemClock.monotonicMs(),
  };
  await using service = await TestService.start({ config: UNLIMITED, clock });
  const expiresAt = new Date(Date.now() + 600_000).toISOString();
  const [revoked, disabled, expired, elsewhere] = [
    await service.newKey(),
    await service.newKey(),
    await service.newKey({ policy: { expiresAt } }),
    await service.newKey({ policy: { ipRanges: ["192.0.2.1"] } }),
  ];
  for (const { key } of [revoked, disabled]) await (await service.chat({}, { key })).text();
  await service.admin("POST", `/keys/${revoked.id}/revoke`);
  await service.admin("POST", `/keys/${disabled.id}/disable`);
  // From a wrong address, too, a key that is revoked is only not valid.
  await service.admin("POST", `/keys/${elsewhere.id}/revoke`);
  aheadMs = 601_000;
  const keys = [
    ...[revoked, disabled, expired, elsewhere].map(({ key }) => key),
    ...[...forged(), ADMIN_TOKEN, "x", "x".repeat(300), "no%20key", `${BOOTSTRAP_KEY}0`],
  ];
  const { openaiUrl } = service;
  const api = `${service.running.publicUrl}/api/v1`;
  const addresses: readonly (readonly [string, string])[] = [
    ["POST", `${openaiUrl}/chat/completions`],
    ["POST", `${openaiUrl}/responses`],
    ["POST", `${openaiUrl}/images/generations`],
    ["GET", `${openaiUrl}/responses/resp_1`],
    ["GET", `${openaiUrl}/models`],
    ["GET", `${api}/models/meta`],
    ["GET", `${api}/pricing`],
  ];
  const all = new Set<string>();
  for (const [method, address] of addresses) {
    const answers = await answersTo(keys, (headers) => fetch(address, { method, headers }));
    for (const answer of answers) all.add(answer);
  }
  assertEquals(all.size, 1, [...all].join("\n"));
  assert([...all].join().includes('[401,{"message":"The API key is not valid"'));
});

Deno.test("the admin listener answers service keys as it answers anything", async () => {
  await using service = await TestService.start({ config: UNLIMITED });
  const { key } = await service.newKey();
  const keys = [key, BOOTSTRAP_KEY, ...forged(), "x", "x".repeat(300)];
  for (const path of ["/admin/v1/keys", "/admin/v1/pepper", "/admin/v1/nothing"]) {
    const address = service.running.adminUrl + path;
    const answers = await answersTo(keys, (headers) => fetch(address, { headers }));
    assertEquals(answers.length, 2, answers.join("\n"));
    for (const answer of answers) assert(answer.startsWith("[401,"), answer);
  }
  // The token is read from one header only, and nothing beside it helps or harms.
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "x-api-key": key };
  const let_in = await fetch(`${service.running.adminUrl}/admin/v1/keys`, { headers });
  assertEquals(let_in.status, 200);
  await let_in.body?.cancel();
});

Deno.test("a secret of one class opens nothing in the clothes of the other", async () => {
  await using service = await TestService.start({ settings: { adminToken: undefined } });
  const token = /Admin token +(\S+)/.exec(service.printed)?.[1] ?? "";
  const { key } = await (await fetch(`${service.running.adminUrl}/admin/v1/keys`, {
    method: "POST",
    headers: { "authorization": `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "app", wallet: "default" }),
  })).json();
  const statusOf = async (url: string, secret: string) => {
    const response = await fetch(url, { headers: { authorization: `Bearer ${secret}` } });
    await response.body?.cancel();
    return response.status;
  };
  const [models, admin] = [
    `${service.openaiUrl}/models`,
    `${service.running.adminUrl}/admin/v1/keys`,
  ];
  assertEquals([await statusOf(models, key), await statusOf(admin, token)], [200, 200]);
  for (const secret of [token, swapped(token, "service"), swapped(key, "admin")]) {
    assertEquals(await statusOf(models, secret), 401);
  }
  for (const secret of [key, swapped(key, "admin"), swapped(token, "service")]) {
    assertEquals(await statusOf(admin, secret), 401);
  }
});

Deno.test("an admin token of this start that is an API key is refused before anything listens", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const kvPath = join(folder, "svc.kv");
    await (await TestService.start({ kvPath }))[Symbol.asyncDispose]();
    const again = () => TestService.start({ kvPath, settings: { adminToken: BOOTSTRAP_KEY } });
    await assertRejects(again, Error, "it is an API key");
    await using service = await TestService.start({ kvPath });
    assertEquals((await service.admin("GET", "/service")).publicUrl, service.running.publicUrl);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
