import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  type Correction,
  endingRefusal,
  personOf,
} from "../../domain/ledger/waiting_correction.ts";
import {
  type Actor,
  actorOf,
  EMERGENCY,
  managementRefusal,
  type Operator,
} from "../../domain/operators/operator.ts";
import { ROLE_RIGHTS } from "../../domain/operators/roles.ts";
import {
  assertRefused,
  type TestAdmin,
  type TestAnswer,
  withAdmin,
} from "../admin_test_support.ts";

const DENIED = { status: 403, code: "policy_denied" };
const CONFLICT = { status: 409, code: "conflict" };
const DAY_MS = 86_400_000;

type Post = (path: string, body?: unknown) => Promise<TestAnswer>;

/** Returns the requests of a new operator. */
async function operator(
  { app, post: byAdmin }: TestAdmin,
  { by: post = byAdmin, ...values }: { name: string; role: string; person?: string; by?: Post },
): Promise<Post> {
  const { id } = (await post("/operators", values)).body;
  const { token } = (await post(`/operators/${id}/tokens`, { name: "Test" })).body;
  return async (path, body = {}) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await app.request(`http://localhost/admin/v1${path}`, init);
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
}

/** Ends a request that was charged some credits on wallet `team`. */
async function charged({ stores }: TestAdmin, logId: string, credits = 2): Promise<void> {
  const holdId = `hold ${logId}`;
  const atMs = 1;
  await stores.ledger.hold({
    ...{ kind: "hold", holdId, walletId: "team", keyId: "key_1", logId, model: "m", atMs },
    ...{ priceVersion: 1, amount: BigInt(credits) * 1_000_000n, minimum: 0n, budget: {} },
  }, { waitMs: 0 });
  await stores.ledger.settle({
    ...{ kind: "settle", holdId, cost: BigInt(credits) * 1_000_000n, inputTokens: 1, atMs },
    ...{ cachedInputTokens: 0, outputTokens: 1, estimated: false },
  });
  await stores.log.append({
    ...{ id: logId, requestId: "req_9", atMs, keyId: "key_1", walletId: "team" },
    ...{ endpoint: "chat", stream: false, status: 200, outcome: "ok", durationMs: 1 },
    ...{ holdIds: [holdId], charged: `${credits}.000000`, inputTokens: 1, cachedInputTokens: 0 },
    ...{ outputTokens: 1, estimated: false },
  });
}

Deno.test("a correction below the limit is applied at once, with its entry in the audit log", async () => {
  await withAdmin(async ({ get, post }) => {
    const { body } = await post("/wallets/team/debit", { credits: "10", note: "Twice", opId: "a" });
    assertEquals([body.correction.state, body.wallet.available], ["applied", "90.000000"]);
    const { entries } = (await get("/audit?action=debitWallet")).body;
    assertEquals(entries.length, 1);
    const [entry] = entries;
    assertEquals([entry.stage, entry.subject], ["done", "/wallets/team/debit"]);
    assertEquals([entry.before.available, entry.after.available], ["100.000000", "90.000000"]);
    assertEquals([entry.values.note, entry.values.amount], ["Twice", "10.000000"]);
    const again = await post("/wallets/team/debit", { credits: "10", note: "Twice", opId: "a" });
    assertEquals(again.body.wallet.available, "90.000000");
    assertEquals((await get("/audit?action=debitWallet")).body.entries.length, 1);
    const { entries: [line] } = (await get("/wallets/team/statement?kind=debit")).body;
    assertEquals([line.change, line.note], ["-10.000000", "Twice"]);
    assertRefused(
      await post("/wallets/team/debit", { credits: "11", note: "x", opId: "a" }),
      CONFLICT,
    );
    assertEquals((await post("/wallets/team/debit", { credits: "1", note: " " })).status, 400);
    assertEquals(
      (await post("/wallets/team/debit", { credits: "1", note: "x", opId: "refund:a" })).status,
      400,
    );
  });
});

Deno.test("above the limit another person approves, and the admin token is one person", async () => {
  await withAdmin(async (admin) => {
    const { get, post } = admin;
    const kim = await operator(admin, { name: "Kim", role: "billing" });
    const lee = await operator(admin, { name: "Lee", role: "support" });
    const body = { credits: "60", note: "Twice", opId: "big" };
    const { correction } = (await post("/wallets/team/debit", body)).body;
    assertEquals([correction.state, correction.by.name], ["waiting", "Admin token"]);
    assertEquals((await post("/wallets/team/debit", body)).body.correction, correction, "A repeat");
    const worded = await post("/wallets/team/debit", { ...body, note: "In other words" });
    assertEquals(worded.body.correction, correction, "As for one that was applied");
    assertRefused(await post("/wallets/team/debit", { ...body, credits: "61" }), CONFLICT);
    assertEquals((await get("/wallets/team")).body.available, "100.000000");
    assertRefused(await post("/corrections/big/approve"), DENIED);
    assertRefused(await lee("/corrections/big/approve"), DENIED);
    assertRefused(await kim("/corrections/none/approve"), { status: 404, code: "not_found" });
    const approved = (await kim("/corrections/big/approve")).body;
    assertEquals([approved.correction.state, approved.wallet.available], ["approved", "40.000000"]);
    assertEquals(approved.correction.endedBy.name, "Kim");
    assertRefused(await kim("/corrections/big/approve"), CONFLICT);
    assertRefused(await kim("/corrections/big/refuse", { note: "Late" }), CONFLICT);
    assertEquals((await post("/wallets/team/debit", body)).body.correction.state, "approved");
    assertEquals((await get("/wallets/team")).body.available, "40.000000");
    const [entry] = (await get("/audit?action=approveCorrection")).body.entries;
    assertEquals([entry.who.name, entry.after.available], ["Kim", "40.000000"]);
    assertMatch(entry.remark, /^Asked for by Admin token/);
    // The other way round.
    const raised = { balance: "140", expected: "40", note: "Count", opId: "up" };
    assertEquals((await kim("/wallets/team/adjust", raised)).body.correction.state, "waiting");
    assertRefused(await kim("/corrections/up/approve"), DENIED);
    assertEquals((await post("/corrections/up/approve")).body.wallet.available, "140.000000");
    assertEquals((await get("/ledger/verify")).status, 200);
  });
});

Deno.test("nobody approves by an operator or a token that they made, nor the other way round", async () => {
  await withAdmin(async (admin) => {
    const { post } = admin;
    const anna = await operator(admin, { name: "Anna", role: "admin" });
    const second = await operator(admin, { name: "Second", role: "admin", by: anna });
    const third = await operator(admin, { name: "Third", role: "billing", by: second });
    const kim = await operator(admin, { name: "Kim", role: "billing" });
    const big = { credits: "60", note: "Twice" };
    await anna("/wallets/team/debit", { ...big, opId: "a" });
    for (const made of [second, third]) assertRefused(await made("/corrections/a/approve"), DENIED);
    await third("/wallets/team/debit", { ...big, opId: "b" });
    for (const maker of [anna, second]) {
      assertRefused(await maker("/corrections/b/approve"), DENIED);
    }
    // A token of an operator that somebody else made.
    const { operators } = (await admin.get("/operators")).body;
    const { id } = operators.find(({ name }: { name: string }) => name === "Kim");
    const { token } = (await anna(`/operators/${id}/tokens`, { name: "Mine" })).body;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const asKim = await admin.app.request("http://localhost/admin/v1/corrections/a/approve", {
      ...{ method: "POST", headers, body: "{}" },
    });
    assertEquals(asKim.status, 403);
    assertEquals((await kim("/corrections/a/approve")).body.correction.state, "approved");
    assertEquals(
      Object.keys((await post("/corrections/b/refuse", { note: "No" })).body.correction.by),
      [
        ...["kind", "id", "name"],
      ],
    );
  });
});

Deno.test("an operator and the same person at the identity provider are one", () => {
  const rights = ROLE_RIGHTS.billing;
  const ana = { kind: "sso", id: "sso:7", name: "Ana", role: "billing", rights } as const;
  const made: Operator = {
    ...{ id: "opr_1", name: "Ana's laptop", role: "billing", grants: [], state: "active" },
    ...{ tokens: [], createdAtMs: 0, sessionsSinceMs: 0, version: 1, person: "sso:7" },
    makers: [EMERGENCY.id],
  };
  const laptop = actorOf(made, {});
  const correction = (by: Actor): Correction => ({
    ...{ id: "a", stake: 9n, state: "waiting", by: personOf(by), atMs: 0, expiresAtMs: 2 },
    command: { kind: "debit", opId: "a", walletId: "w", amount: 9n, note: "", atMs: 0 },
    version: 1,
  });
  const refusal = (by: Actor, actor: Actor) => endingRefusal(correction(by), { actor, nowMs: 1 });
  assertEquals([refusal(ana, laptop), refusal(laptop, ana)], ["own", "own"]);
  assertEquals([refusal(EMERGENCY, laptop), refusal(laptop, EMERGENCY)], [undefined, undefined]);
  assertEquals(refusal({ ...ana, id: "sso:8" }, laptop), undefined);
  // Nor does she manage it.
  assertEquals(managementRefusal(ana, { ...made, rights })?.code, "own_record");
});

Deno.test("a correction that waits expires, is refused or withdrawn, and may come too late", async () => {
  await withAdmin(async (admin) => {
    const { get, post, clock } = admin;
    const kim = await operator(admin, { name: "Kim", role: "billing" });
    const close = (opId: string) =>
      post("/wallets/team/close", { expected: "100", note: "End", opId });
    await close("one");
    await kim("/corrections/one/refuse", { note: "It is in use" });
    await close("two");
    await post("/corrections/two/refuse", { note: "Withdrawn" });
    await close("three");
    await post("/wallets/team/credit", { credits: "1" });
    assertRefused(await kim("/corrections/three/approve"), CONFLICT);
    const states = async () =>
      (await get("/corrections")).body.corrections.map((
        { id, state }: { id: string; state: string },
      ) => `${id} ${state}`).toSorted();
    assertEquals(await states(), ["one refused", "three waiting", "two refused"]);
    clock.ms += 7 * DAY_MS;
    assertEquals(await states(), ["one refused", "three expired", "two refused"]);
    assertRefused(await kim("/corrections/three/approve"), CONFLICT);
    assertRefused(await close("four"), CONFLICT);
    assertEquals((await get("/corrections")).body.approvalAbove, "50.000000");
    assertEquals((await get("/wallets/team")).body.closedAt, null);
  });
});

Deno.test("a request is refunded once, at most what it was charged", async () => {
  await withAdmin(async (admin) => {
    const { get, post } = admin;
    await charged(admin, "log_1");
    assertEquals((await get("/wallets/team")).body.available, "98.000000");
    const refund = (body: object) => post("/requests/log_1/refund", { note: "Empty", ...body });
    assertRefused(await refund({ credits: "2.000001" }), {
      ...{ status: 400, code: "invalid_request", param: "credits" },
    });
    const { body } = await refund({ credits: "1.5" });
    assertEquals([body.wallet.available, body.wallet.spent], ["99.500000", "0.500000"]);
    assertEquals((await refund({ credits: "1.5" })).body.wallet.available, "99.500000", "A repeat");
    assertRefused(await refund({ credits: "0.5" }), CONFLICT);
    assertRefused(await refund({}), CONFLICT);
    const missing = await post("/requests/req_9/refund", { note: "By another id" });
    assertRefused(missing, { status: 404, code: "not_found" });
    const [line] = (await get("/wallets/team/statement?kind=refund")).body.entries;
    assertEquals([line.log, line.charged, line.change], ["log_1", "2.000000", "1.500000"]);
  });
});

Deno.test("a refund that was refused or has expired is asked for anew, and made once", async () => {
  await withAdmin(async (admin) => {
    const { get, post, clock } = admin;
    const kim = await operator(admin, { name: "Kim", role: "billing" });
    await charged(admin, "log_1", 60);
    const refund = async () =>
      (await post("/requests/log_1/refund", { note: "Empty" })).body.correction;
    const { id, state } = await refund();
    assertEquals(state, "waiting");
    await kim(`/corrections/${id}/refuse`, { note: "Not yet" });
    assertEquals((await refund()).state, "waiting");
    assertEquals((await refund()).state, "waiting", "A repeat");
    clock.ms += 7 * DAY_MS;
    assertEquals((await refund()).state, "waiting", "After it had expired");
    assertEquals((await get("/corrections")).body.corrections.length, 1);
    const { status, body } = await kim(`/corrections/${id}/approve`);
    assertEquals([status, body.wallet.available], [200, "100.000000"]);
    assertEquals((await refund()).state, "approved");
    assertEquals((await get("/wallets/team")).body.available, "100.000000");
    assertEquals((await get("/ledger/verify")).body.ok, true);
  });
});

Deno.test("a key moves to another wallet, with its spend", async () => {
  await withAdmin(async (admin) => {
    const { get, post } = admin;
    await post("/wallets", { id: "other", credits: "5" });
    const { id } = (await post("/keys", { name: "Shop", wallet: "team" })).body;
    const moved = await post(`/keys/${id}/move`, { wallet: "other", note: "Team" });
    assertEquals([moved.body.correction.key, moved.body.wallet.id], [id, "other"]);
    assertEquals((await get(`/keys/${id}`)).body.wallet, "other");
    assertRefused(await post(`/keys/${id}/move`, { wallet: "other", note: "Again" }), CONFLICT);
    const [entry] = (await get("/audit?action=moveKey")).body.entries;
    assertEquals([entry.subject, entry.values.from], [`/keys/${id}/move`, "team"]);
    assertEquals(entry.values.movedKey, id);
    const wrong = await post(`/keys/${id}/move`, { wallet: "othr", note: "Team" });
    assertRefused(wrong, { status: 400, code: "invalid_request", param: "wallet" });
    assertRefused(await post("/keys/none/move", { wallet: "other", note: "x" }), {
      ...{ status: 404, code: "not_found" },
    });
    await post("/wallets/other/close", { expected: "5", note: "End" });
    assert((await get("/wallets/other")).body.closedAt !== null);
    assertRefused(await post("/wallets/other/credit", { credits: "1" }), CONFLICT);
    assertEquals(
      (await post(`/keys/${id}/move`, { wallet: "team", note: "Back" })).body.correction.state,
      "waiting",
    );
  });
});
