import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  assertRefused,
  type TestAdmin,
  type TestAnswer,
  withAdmin,
} from "../admin_test_support.ts";

const DAY_MS = 86_400_000;
const DENIED = { status: 403, code: "policy_denied" };

/** An operator who calls the API. */
interface Caller {
  readonly id: string;
  readonly token: string;
  readonly tokenId: string;
  call(method: string, path: string, body?: unknown): Promise<TestAnswer>;
}

async function caller(
  { app, post }: TestAdmin,
  values: { name: string; role: string; grants?: readonly string[] },
): Promise<Caller> {
  const { id } = (await post("/operators", values)).body;
  const { token, id: tokenId } = (await post(`/operators/${id}/tokens`, { name: "Test" })).body;
  return {
    ...{ id, token, tokenId },
    call: async (method, path, body) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const init = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
      const response = await app.request(`http://localhost/admin/v1${path}`, init);
      const { status, headers: answered } = response;
      return { status, headers: answered, body: await response.json() };
    },
  };
}

Deno.test("nobody raises their own rights, by any way round", async () => {
  await withAdmin(async (admin) => {
    const kim = await caller(admin, { name: "Kim", role: "admin" });
    const content = { role: "admin", grants: ["content"] };
    assertRefused(await kim.call("POST", `/operators/${kim.id}/role`, content), DENIED);
    assertRefused(await kim.call("POST", `/operators/${kim.id}/tokens`, { name: "More" }), DENIED);
    assertRefused(await kim.call("POST", "/operators", { name: "Puppet", ...content }), DENIED);
    const lee = await caller(admin, { name: "Lee", ...content });
    // A token of Lee's would lend the right to Kim.
    assertRefused(await kim.call("POST", `/operators/${lee.id}/tokens`, { name: "Mine" }), DENIED);
    assertRefused(await kim.call("POST", `/operators/${lee.id}/disable`), DENIED);
    assertRefused(await kim.call("POST", "/admin-token/rotate"), DENIED);
    assertRefused(await kim.call("POST", "/admin-token/confirm"), DENIED);
    const { body: me } = await kim.call("GET", "/operators/me");
    assertEquals([me.name, me.rights.includes("content")], ["Kim", false]);
    const puppet = await kim.call("POST", "/operators", { name: "Puppet", role: "billing" });
    assertEquals(puppet.status, 201, "An administrator gives what they have");
  });
});

Deno.test("a disabled operator, a revoked token and an expired one open nothing at once", async () => {
  await withAdmin(async (admin) => {
    const kim = await caller(admin, { name: "Kim", role: "support" });
    assertEquals((await kim.call("GET", "/wallets")).status, 200);
    await admin.post(`/operators/${kim.id}/disable`);
    assertRefused(await kim.call("GET", "/wallets"), { status: 401, code: "invalid_api_key" });
    await admin.post(`/operators/${kim.id}/enable`);
    assertEquals((await kim.call("GET", "/wallets")).status, 200);
    const own = `/operators/${kim.id}/tokens/${kim.tokenId}`;
    assertEquals((await kim.call("DELETE", own)).status, 200, "One's own token can be revoked");
    assertEquals((await kim.call("GET", "/wallets")).status, 401);
    const lee = await caller(admin, { name: "Lee", role: "support" });
    assertRefused(await lee.call("DELETE", own), DENIED);
    admin.clock.ms += 90 * DAY_MS - 1;
    assertEquals((await lee.call("GET", "/wallets")).status, 200);
    admin.clock.ms += 1;
    assertEquals((await lee.call("GET", "/wallets")).status, 401);
  });
});

Deno.test("a token is shown once and kept as a digest under the pepper", async () => {
  await withAdmin(async (admin) => {
    const kim = await caller(admin, { name: "Kim", role: "viewer" });
    assertMatch(kim.token, /^svc_admin_\w{50}$/);
    const stored = JSON.stringify(await admin.stores.operatorStore.all());
    assert(!stored.includes(kim.token.slice(10, 40)));
    assertMatch(stored, /"digest":"1\.[0-9a-f]{64}"/);
    const log = JSON.stringify((await admin.get("/audit")).body);
    assert(!log.includes(kim.token.slice(10, 40)) && !/[0-9a-f]{64}/.test(log), log);
  });
});

Deno.test("a pepper is kept while an operator's token needs it; a token moves when it is used", async () => {
  await withAdmin(async (admin) => {
    const kim = await caller(admin, { name: "Kim", role: "viewer" });
    const { body } = await admin.post("/pepper/rotate");
    assertEquals(body.previous.operatorTokens, 1);
    assertRefused(await admin.post("/pepper/drop"), { status: 409, code: "conflict" });
    assertEquals((await kim.call("GET", "/wallets")).status, 200);
    assertEquals((await admin.get("/pepper")).body.previous.operatorTokens, 0);
    assertEquals((await admin.post("/pepper/drop")).status, 200);
    assertEquals((await kim.call("GET", "/wallets")).status, 200);
  });
});

Deno.test("logged texts are for a right of their own, and each reading is in the audit log", async () => {
  await withAdmin(async (admin) => {
    const content = { prompt: "The prompt", answer: "The answer", isCut: false };
    await admin.deps.log.append({
      ...{ id: "log_1", requestId: "req_9", atMs: 1, keyId: "key_1", walletId: "team" },
      ...{ endpoint: "chat", stream: false, status: 200, outcome: "ok", durationMs: 1 },
      ...{ holdIds: [], charged: "0.000000", inputTokens: 1, cachedInputTokens: 0 },
      ...{ outputTokens: 1, estimated: false, content },
    });
    const kim = await caller(admin, { name: "Kim", role: "admin" });
    const hidden = await kim.call("GET", "/requests/log_1");
    assertEquals([hidden.body.content, hidden.body.isContentHidden], [null, true]);
    assert(!JSON.stringify(hidden.body).includes("The prompt"));
    const key = (await admin.post("/keys", { name: "Shop", wallet: "team" })).body.id;
    assertRefused(await kim.call("POST", `/keys/${key}/content-log`, { on: true }), DENIED);
    const reads = async () => (await admin.get("/audit?action=readContent")).body.entries;
    assertEquals(await reads(), []);
    const lee = await caller(admin, { name: "Lee", role: "viewer", grants: ["content"] });
    assertEquals((await lee.call("GET", "/requests/req_9")).body.content, content);
    const [read] = await reads();
    assertEquals([read.who.name, read.subject], ["Lee", "/requests/log_1"]);
  });
});

Deno.test("changes are in the audit log with what differs, without secrets", async () => {
  await withAdmin(async (admin) => {
    const kim = await caller(admin, { name: "Kim", role: "billing" });
    await kim.call("POST", "/wallets/team/credit", { credits: "5", note: "Invoice 7" });
    const { entries } = (await admin.get("/audit?who=Kim")).body;
    const [done] = entries;
    const { values: { credits, note } } = done;
    assertEquals([entries.length, done.stage, credits, note], [1, "done", "5", "Invoice 7"]);
    assertEquals(done.subject, "/wallets/team/credit");
    assertEquals(done.before.credits, "100.000000");
    assertEquals(done.after.credits, "105.000000");
    const { key } = (await admin.post("/keys", { name: "Shop", wallet: "team" })).body;
    const log = JSON.stringify((await admin.get("/audit?action=createKey")).body);
    assert(!log.includes(key.slice(22, 50)) && log.includes("Shop"), log);
    assertEquals((await admin.get("/audit/verify")).body.ok, true);
  });
});

Deno.test("an export of the audit log is the whole chain, and is noted itself", async () => {
  await withAdmin(async (admin) => {
    const response = await admin.app.request("http://localhost/admin/v1/audit/export", {
      headers: { authorization: "Bearer svc_admin_for_tests" },
    });
    const lines = (await response.text()).trim().split("\n").map((line) => JSON.parse(line));
    const end = lines.pop();
    assertEquals(end.end.entries, lines.length);
    assertEquals(lines.at(-1).hash, end.end.head);
    assertEquals(lines.at(-1).entry.action, "exportAudit");
  });
});
