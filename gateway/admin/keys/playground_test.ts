import { keyRecords } from "../../flows/keys/key_records_fixture.ts";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { ADMIN_TOKEN, assertRefused, type TestAdmin, withAdmin } from "../admin_test_support.ts";
import { KEY_LIFETIME_MS } from "./playground_keys.ts";

const CALL = { wallet: "team", endpoint: "chat", body: { model: "auto", messages: [] } };

/** Calls as they arrive at the public listener. */
function calls(): { sent: Request[]; callPublic: (request: Request) => Promise<Response> } {
  const sent: Request[] = [];
  return {
    sent,
    callPublic: (request) => {
      sent.push(request);
      const headers = { "content-type": "text/event-stream", "set-cookie": "a=b" };
      return Promise.resolve(new Response("data: {}\n\n", { status: 200, headers }));
    },
  };
}

async function ask({ app }: TestAdmin, body: unknown): Promise<Response> {
  return await app.request("/admin/v1/playground", {
    method: "POST",
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      "content-type": "application/json",
      "x-request-id": "req_mine",
    },
    body: JSON.stringify(body),
  });
}

Deno.test("a call goes to the public listener, with a key of minutes that is named for what it is", async () => {
  const { sent, callPublic } = calls();
  await withAdmin(async (admin) => {
    const answer = await admin.post("/playground", CALL).catch(() => undefined);
    assertEquals(answer, undefined, "an answer that streams is no JSON");
    const [request] = sent;
    assert(request !== undefined);
    assertEquals(new URL(request.url).pathname, "/openai/v1/chat/completions");
    assertEquals(await request.json(), CALL.body);
    const [key] = await keyRecords(admin.deps.keys);
    assertEquals([key?.name, key?.walletId], ["playground", "team"]);
    assertEquals(Date.parse(key?.policy.expiresAt ?? ""), admin.clock.ms + KEY_LIFETIME_MS);
    const presented = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
    assertEquals((await admin.deps.keyRing.authenticate(presented))?.id, key?.id);
  }, { callPublic });
});

Deno.test("one key serves a wallet until it is nearly over, is revoked, or all are ended", async () => {
  const { sent, callPublic } = calls();
  await withAdmin(async (admin) => {
    const { deps, clock } = admin;
    const call = async () => {
      await admin.post("/playground", CALL).catch(() => undefined);
      return sent.at(-1)?.headers.get("authorization");
    };
    const [first, second] = await Promise.all([call(), call()]);
    assertEquals([first, await call()], [second, first]);
    assertEquals((await keyRecords(deps.keys)).length, 1);
    clock.ms += KEY_LIFETIME_MS / 2 + 1;
    const later = await call();
    assertNotEquals(later, first);
    for (const { id } of await keyRecords(deps.keys)) await deps.keyRing.revoke(id);
    const fresh = await call();
    assertNotEquals(fresh, later);
    const { app } = admin;
    const ended = await app.request("/admin/v1/playground", {
      method: "DELETE",
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    assertEquals(await ended.json(), { revoked: 1 });
    const keys = await keyRecords(deps.keys);
    assertEquals(keys.every(({ status }) => status === "revoked"), true);
  }, { callPublic });
});

Deno.test("the answer is passed on as it comes, under the id that was asked with, without the key", async () => {
  const { sent, callPublic } = calls();
  await withAdmin(async (admin) => {
    const answer = await ask(admin, { ...CALL, orchestration: "off" });
    assertEquals(answer.headers.get("content-type"), "text/event-stream");
    assertEquals(answer.headers.get("x-request-id"), "req_mine");
    assertEquals(answer.headers.get("set-cookie"), null);
    assertEquals(await answer.text(), "data: {}\n\n");
    const [request] = sent;
    assertEquals(request?.headers.get("x-request-id"), "req_mine");
    assertEquals(request?.headers.get("x-orchestration"), "off");
    const key = request?.headers.get("authorization")?.slice("Bearer ".length) ?? "";
    assertEquals(JSON.stringify([...answer.headers]).includes(key), false);
    assertEquals(admin.lines.join().includes(key), false);
  }, { callPublic });
});

Deno.test("a call on no wallet, or on an endpoint that there is not, makes no key", async () => {
  await withAdmin(async (admin) => {
    const refused = { status: 400, code: "invalid_request" };
    assertRefused(await admin.post("/playground", { ...CALL, wallet: "taem" }), {
      ...refused,
      param: "wallet",
    });
    assertRefused(await admin.post("/playground", { ...CALL, endpoint: "files" }), refused);
    assertRefused(await admin.post("/playground", { ...CALL, key: "svc_live_x" }), refused);
    assertEquals(await keyRecords(admin.deps.keys), []);
  });
});
