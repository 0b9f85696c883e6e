import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { AdminOperation } from "../../admin_api/operation.ts";
import { OPERATIONS_BY_NOUN } from "../../admin_api/operations.ts";
import type { CatalogContent } from "../../domain/catalog/catalog.ts";
import {
  ADMIN_TOKEN,
  CONTENT,
  START_MS,
  type TestAdmin,
  withAdmin,
} from "../admin_test_support.ts";
import { beginningOf, newDelivery } from "../../domain/notices/delivery.ts";
import type { Incident } from "../../domain/notices/incident.ts";
import { LINK_MS } from "../../flows/keys/holder_access.ts";
import { noteTraffic } from "../routing/learned_fixture.ts";

/** Ids of the operations whose entry is committed with their change. */
const COMMITTED = Object.values(OPERATIONS_BY_NOUN).flatMap((noun) =>
  Object.values<AdminOperation>(noun)
).filter(({ trail }) => trail === "commit").map(({ id }) => id);

const { models: [model] } = CONTENT;
assert(model !== undefined);
/** The catalog with a model for embeddings. */
const EMBEDDING: CatalogContent = {
  ...CONTENT,
  models: [...CONTENT.models, { ...model, id: "vectors", endpoints: ["embeddings"] }],
};

/** An entry as the API answers it. */
interface Entry {
  readonly action: string;
  readonly stage: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns all entries, oldest first. */
async function entriesOf({ get }: TestAdmin): Promise<readonly Entry[]> {
  const { entries } = (await get("/audit?limit=500")).body;
  return entries.toReversed();
}

async function remove({ app }: TestAdmin, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const answer = await app.request(`http://localhost/admin/v1${path}`, {
    ...{ method: "DELETE", headers },
  });
  assertEquals(answer.status, 200, await answer.text());
}

async function changeMoneyAndAccess(admin: TestAdmin): Promise<void> {
  const { post } = admin;
  await post("/wallets", { id: "lab", credits: "5" });
  for (const _ of [1, 2]) await post("/wallets/lab/credit", { credits: "1", opId: "a" });
  for (const _ of [1, 2]) await post("/wallets/lab/low-balance", { below: "2" });
  const { body: { id } } = await post("/keys", { name: "Shop", wallet: "lab", opId: "b" });
  await post("/keys", { name: "Shop", wallet: "lab", opId: "b" });
  await post(`/keys/${id}/narrow`, { policy: { requestsPerMinute: 5 } });
  await post(`/keys/${id}/content-log`, { on: true });
  await post("/catalog/apply", { content: EMBEDDING, dryRun: true });
  await post("/catalog/apply", { content: EMBEDDING });
  await post(`/keys/${id}/embedding-model`, { model: "vectors" });
  await remove(admin, `/keys/${id}/embedding-model`);
  await post(`/keys/${id}/sign-in-link`);
  await post(`/keys/${id}/rotate`, {});
  for (const _ of [1, 2]) await post(`/keys/${id}/disable`);
  await post(`/keys/${id}/enable`);
  for (const _ of [1, 2]) await post(`/keys/${id}/revoke`);
  await post("/catalog/rollback", { version: 1 });
}

async function changeVectorStores(admin: TestAdmin): Promise<void> {
  const { post, app, embedding } = admin;
  const { body: { id } } = await post("/vector-stores", { name: "Book", wallet: "team" });
  const path = `/vector-stores/${id}`;
  const added = await app.request(`http://localhost/admin/v1${path}/files?filename=a.txt`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "text/plain" },
    body: "A text",
  });
  const file = `${path}/files/${(await added.json()).id}`;
  const vectors = { kind: "vectors", dimensions: 2, values: new Float32Array([0, 1]) } as const;
  embedding.by = { space: "fake@default", embed: () => Promise.resolve(vectors) };
  for (const _ of [1, 2]) await post(`${file}/embeddings`);
  await remove(admin, file);
  await remove(admin, path);
}

async function changeTheService(admin: TestAdmin): Promise<void> {
  const { deps, post, learning } = admin;
  await post("/pepper/rotate");
  await post("/pepper/drop");
  const { body: { token } } = await post("/admin-token/rotate");
  await post("/admin-token/confirm", {}, { authorization: `Bearer ${token}` });
  const mail = { host: "127.0.0.1", from: "a@b.c", to: ["a@b.c"] };
  const target = await post("/notify/targets", { name: "Call", kind: "email", mail });
  const began: Incident = {
    ...{ id: "inc_1", kind: "wallet_low", subject: "team", text: "Low", facts: {} },
    ...{ beganAtMs: START_MS, targets: [target.body.id], by: "only" },
  };
  const delivery = newDelivery(beginningOf(began), target.body.id);
  await admin.stores.noticeStore.begin(began, [delivery]);
  await admin.stores.noticeStore.record({ ...delivery, state: "dead" });
  for (const _ of [1, 2]) await post(`/notify/deliveries/${delivery.id}/retry`);
  await remove(admin, `/notify/targets/${target.body.id}`);
  await changeVectorStores(admin);
  const actor = { kind: "operator", id: "opr_1", name: "Kim", role: "viewer", rights: [] } as const;
  await deps.sessions.begin({ kind: "emergency", mark: "none" }, { actor });
  const [session] = await deps.sessions.list();
  await remove(admin, `/sessions/${session?.name}`);
  noteTraffic(learning, { atMs: START_MS });
  await learning.take();
  for (const _ of [1, 2]) await post("/routing/freeze", { snapshot: 1 });
  await post("/routing/unfreeze");
  for (const _ of [1, 2]) await post("/routing/reset", { wallet: "team" });
}

/** Changes that have an entry before and one after, each for the reason of docs/operators.md. */
const OUTSIDE: readonly string[] = [
  "callPlayground",
  "reportBackup",
  "testNotificationTarget",
  "verifyKey",
];

Deno.test("every operation that changes the store commits its entry with the change", () => {
  const operations = Object.values(OPERATIONS_BY_NOUN).flatMap((noun) =>
    Object.entries<AdminOperation>(noun)
  );
  const others = operations.filter(([target, { trail = "change" }]) =>
    !target.startsWith("GET ") && trail === "change"
  );
  assertEquals(others.map(([, { id }]) => id).toSorted(), OUTSIDE);
});

Deno.test("each committed change has one entry with what differs, a repeat none", async () => {
  await withAdmin(async (admin) => {
    const start = (await entriesOf(admin)).length;
    await changeTheService(admin);
    await changeMoneyAndAccess(admin);
    const entries = (await entriesOf(admin)).slice(start);
    assertEquals(new Set(entries.map(({ action }) => action)), new Set(COMMITTED));
    // A key is shown once only.
    const refused = entries.filter(({ stage }) => stage !== "done");
    assertEquals(refused.map(({ action, stage }) => [action, stage]), [["createKey", "refused"]]);
    const done = entries.filter(({ stage }) => stage === "done");
    for (const entry of done) {
      const { before, after } = entry;
      assert(JSON.stringify(before) !== JSON.stringify(after), JSON.stringify(entry));
    }
    const times = Map.groupBy(done, ({ action }) => action);
    const repeated = [...times].filter(([, all]) => all.length > 1).map(([action]) => action);
    assertEquals(repeated, ["createWallet"], "It has two commits");
    const of = (action: string) => times.get(action)?.map(({ before, after }) => [before, after]);
    assertEquals(of("creditWallet"), [[
      { credits: "5.000000", available: "5.000000" },
      { credits: "6.000000", available: "6.000000" },
    ]]);
    assertEquals(of("markLowBalance"), [[null, { lowBelow: "2" }]]);
    assertEquals(of("disableKey"), [[{ status: "active" }, { status: "disabled" }]]);
    const [[, link] = []] = of("createSignInLink") ?? [];
    assertEquals(link, { expiresAt: new Date(admin.clock.ms + LINK_MS).toISOString() });
    assertEquals(of("unfreezeRouting"), [[{ frozen: 1 }, null]]);
    assertEquals(of("rotatePepper"), [[
      { current: 1, previous: null },
      { current: 2, previous: 1 },
    ]]);
    assertEquals((await admin.get("/audit/verify")).body.ok, true);
  });
});

Deno.test("the entry of a catalog names the version, however long its changes are", async () => {
  await withAdmin(async (admin) => {
    const models = Array.from({ length: 200 }, (_, at) => ({ ...model, id: `model-${at}` }));
    const { status } = await admin.post("/catalog/apply", { content: { ...CONTENT, models } });
    assertEquals(status, 200);
    const { entries: [entry] } = (await admin.get("/audit?action=applyCatalog")).body;
    assertEquals(entry.before, { version: 1 });
    assertStringIncludes(entry.after.cut, '{"version":2,');
  });
});

Deno.test("only what leaves the gateway keeps two entries, and its result", async () => {
  await withAdmin(async (admin) => {
    const hook = { name: "Call", kind: "webhook", url: "http://127.0.0.1/" };
    const { body: { id } } = await admin.post("/notify/targets", hook);
    await admin.post(`/notify/targets/${id}/test`);
    const answer = await admin.get("/audit?action=testNotificationTarget");
    const { entries: [done, begun] } = answer.body;
    assertEquals([begun.stage, done.stage, done.after], ["begun", "done", {
      ok: true,
      problem: null,
    }]);
  });
});
