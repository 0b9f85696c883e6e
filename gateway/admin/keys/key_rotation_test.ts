import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertRefused, START_MS, type TestAdmin, withAdmin } from "../admin_test_support.ts";

async function madeKey({ post }: TestAdmin) {
  return (await post("/keys", { name: "app", wallet: "team" })).body;
}

/** A request in the log, as a call would leave it. */
async function logged({ deps }: TestAdmin, keyId: string, requestId: string, outcome = "ok") {
  const isGood = outcome === "ok";
  await deps.log.append({
    ...{ id: `log_${requestId}`, requestId, atMs: START_MS, keyId, walletId: "team" },
    ...{ endpoint: "chat", stream: false, status: isGood ? 200 : 402, durationMs: 1 },
    ...{ outcome: isGood ? "ok" : "error", holdIds: [], charged: "0.000000", inputTokens: 1 },
    ...{ cachedInputTokens: 0, outputTokens: 1, estimated: false },
  });
}

Deno.test("one operation id creates one key and one copy; a lost copy is reported", async () => {
  await withAdmin(async (admin) => {
    const create = () => admin.post("/keys", { name: "app", wallet: "team", opId: "once" });
    const answers = await Promise.all([create(), create(), create()]);
    const made = answers.filter(({ status }) => status === 201);
    assertEquals(made.length, 1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assertRefused(answer, { status: 409, code: "conflict", param: "opId" });
      assertStringIncludes(answer.body.error.message, made[0]?.body.id);
    }
    assertEquals((await admin.get("/keys")).body.keys.length, 1);
    const copy = () => admin.post(`/keys/${made[0]?.body.id}/rotate`, { opId: "copy" });
    const copies = await Promise.all([copy(), copy()]);
    assertEquals(copies.map(({ status }) => status).sort(), [201, 409]);
    const other = await admin.post("/keys", { name: "app", wallet: "team", opId: "other" });
    assert(other.body.id !== made[0]?.body.id);
  });
});

Deno.test("keys and log report a rotation, and every step of it can be resumed", async () => {
  await withAdmin(async (admin) => {
    const old = await madeKey(admin);
    const path = `/keys/${old.id}/rotation`;
    const next = async (query = "") => (await admin.get(path + query)).body.next;
    assertEquals(await next(), "copy");
    const copy = (await admin.post(`/keys/${old.id}/rotate`)).body;
    assertEquals(await next(), "store");
    await logged(admin, copy.id, "bad", "error");
    assertEquals(await next(), "store");
    await logged(admin, copy.id, "verify_1");
    assertEquals([await next(), await next("?request_id=other")], ["disable", "store"]);
    const { body } = await admin.get(`${path}?copy=${copy.id}&request_id=verify_1`);
    assertEquals([body.verified.requestId, body.verified.key], ["verify_1", copy.id]);
    assertEquals([body.uses.requests, body.uses.inUse], [0, false]);
    await logged(admin, old.id, "still");
    assertEquals((await admin.get(path)).body.uses.inUse, true);
    await admin.post(`/keys/${old.id}/disable`);
    assertEquals(await next(), "revoke");
    await admin.post(`/keys/${old.id}/revoke`);
    assertEquals(await next(), "done");
    const missing = { status: 404, code: "not_found" };
    assertRefused(await admin.get("/keys/none/rotation"), missing);
    assertRefused(await admin.get(`${path}?copy=none`), missing);
  });
});

Deno.test("a verification calls at the public address, with the right key only", async () => {
  const calls: { address: string; headers: Headers }[] = [];
  let answer = () => Response.json({ model: "m", metadata: { billing: { charged: "0.1" } } });
  const fetch = (address: string, init: RequestInit) => {
    calls.push({ address, headers: new Headers(init.headers) });
    return Promise.resolve(answer());
  };
  await withAdmin(async (admin) => {
    const [key, other] = [await madeKey(admin), await madeKey(admin)];
    const verify = (body: unknown) => admin.post(`/keys/${key.id}/verify`, body);
    for (const wrong of [other.key, "svc_live_nothing_at_all"]) {
      const refused = await verify({ key: wrong });
      assertRefused(refused, { status: 400, code: "invalid_request", param: "key" });
      assert(!JSON.stringify(refused.body).includes(wrong));
    }
    assertEquals(calls.length, 0);
    const { body } = await verify({ key: ` ${key.key}\n`, requestId: "mine" });
    assertEquals(body, {
      requestId: "mine",
      url: "http://gateway.test:8787",
      model: "m",
      charged: "0.1",
    });
    const [call] = calls;
    assertEquals(call?.address, "http://gateway.test:8787/openai/v1/chat/completions");
    assertEquals(call?.headers.get("x-request-id"), "mine");
    answer = () =>
      Response.json({ error: { message: "No", code: "policy_denied" } }, { status: 403 });
    const denied = await verify({ key: key.key });
    assertRefused(denied, { status: 409, code: "conflict" });
    assertStringIncludes(denied.body.error.message, "that its policy allows");
    assertEquals(calls.length, 3);
    answer = () => new Response("<html>", { status: 502 });
    assertStringIncludes((await verify({ key: key.key })).body.error.message, "not the gateway");
    answer = () => {
      throw new TypeError("away");
    };
    assertRefused(await verify({ key: key.key }), { status: 502, code: "upstream_error" });
    assert(!admin.lines.join().includes(key.key));
  }, { fetch });
});
