import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { Delivery, NoticeMessage } from "../domain/notices/delivery.ts";
import type { NoticeStore } from "../ports/notice_store.ts";
import { TOUCHED_MAX } from "./events.ts";
import { addTarget, keyOf, requestOf, texts, withNotices } from "./notify_test_support.ts";

/** A store that another instance shares: one of them has the lease. */
function shared(store: NoticeStore, leads: () => boolean): NoticeStore {
  const copy: NoticeStore = Object.create(store);
  return Object.assign(copy, { lead: () => Promise.resolve(leads()) });
}

Deno.test("a wallet that runs low is one message, and one when it has credits again", () =>
  withNotices(async (world, store) => {
    const notifier = world.notifier(store);
    await addTarget(notifier, "ops");
    world.setBalance("team", 500n);
    world.setBalance("rich", 900n);
    await world.pass(3, notifier);
    assertEquals(world.received, []);
    world.setBalance("team", 9n);
    for (const _ of [1, 2, 3, 4]) {
      notifier.events.request(requestOf({ walletId: "team", keyId: "key_1" }));
      notifier.events.request(requestOf({ walletId: "rich", keyId: "key_1" }));
      await world.pass(20, notifier);
    }
    assertEquals(texts(world), ["began wallet.low team"]);
    assertStringIncludes(world.received[0]?.message.text ?? "", "0.000009 credits are left");
    world.setBalance("team", 800n);
    await world.pass(60, notifier);
    assertEquals(texts(world), ["began wallet.low team", "ended wallet.low team"]);
    const [first, last] = world.received;
    assertEquals(first?.message.incident, last?.message.incident);
    // The next time is another incident.
    world.setBalance("team", 1n);
    notifier.events.request(requestOf({ walletId: "team", keyId: "key_1" }));
    await world.pass(20, notifier);
    assertEquals(world.received.length, 3);
    assert(world.received[2]?.message.incident !== first?.message.incident);
    await notifier.close();
  }));

Deno.test("a condition that holds when the first target is added is sent, without a request", () =>
  withNotices(async (world, store) => {
    const notifier = world.notifier(store);
    world.setBalance("team", 1n);
    const expiresAt = new Date(world.nowMs + 86_400_000).toISOString();
    world.keys.set("key_1", keyOf("key_1", { expiresAt }));
    world.keys.set("key_2", keyOf("key_2", { expiresAt: "2027-11-21T00:00:00Z" }));
    await notifier.noteBackup("The disk is full");
    await world.pass(10, notifier);
    assertEquals(world.received, []);
    await addTarget(notifier, "ops");
    await world.pass(2, notifier);
    assertEquals(texts(world).toSorted(), [
      "began backup.failed ",
      "began key.expiring key_1",
      "began wallet.low team",
    ]);
    await notifier.noteBackup(undefined);
    world.nowMs += 2 * 86_400_000;
    await world.pass(2, notifier);
    assertEquals(texts(world).slice(3).toSorted(), [
      "ended backup.failed ",
      "ended key.expiring key_1",
    ]);
    await notifier.close();
  }));

Deno.test("a budget notifies at 80 and at 100 %, and ends with its window", () =>
  withNotices(async (world, store) => {
    const notifier = world.notifier(store);
    await addTarget(notifier, "ops");
    await world.pass(1, notifier);
    // The month has more left than the day: a refusal is not its doing.
    world.keys.set("key_1", keyOf("key_1", { budget: { day: "1", month: "1.2" } }));
    const spend = async (micros: bigint, errorCode?: "key_budget_exceeded") => {
      world.spent.set("key_1", micros);
      notifier.events.request(requestOf({ walletId: "team", keyId: "key_1", errorCode }));
      await world.pass(15, notifier);
    };
    await spend(799_999n);
    assertEquals(texts(world), []);
    await spend(800_000n);
    assertEquals(texts(world), ["began key.budget_80 key_1"]);
    assertEquals(world.received[0]?.message.facts["window"], "day");
    // What is left may be too little for a request.
    await spend(990_000n, "key_budget_exceeded");
    await spend(990_000n);
    const later = world.received.slice(1).map(({ message: { type, facts } }) =>
      `${type} ${facts["window"]}`
    );
    assertEquals(later.toSorted(), ["key.budget_100 day", "key.budget_80 month"]);
    world.spent.delete("key_1");
    await world.pass(15, notifier);
    assertEquals(texts(world).slice(3).toSorted(), [
      "ended key.budget_100 key_1",
      "ended key.budget_80 key_1",
      "ended key.budget_80 key_1",
    ]);
    await notifier.close();
  }));

Deno.test("a budget of a user notifies by its name, at 80 and at 100 %", () =>
  withNotices(async (world, store) => {
    const notifier = world.notifier(store);
    await addTarget(notifier, "ops");
    await world.pass(1, notifier);
    const budgets = [{ user: "ann", day: "1" }, { tag: "a=b", day: "1" }];
    world.keys.set("key_1", keyOf("key_1", { budget: { day: "1.1" }, budgets }));
    const spend = async (
      micros: bigint,
      refused?: { readonly user?: string; readonly tags?: string },
    ) => {
      world.spent.set("key_1", micros);
      world.named.set("user:ann", micros);
      const row = requestOf({ walletId: "team", keyId: "key_1", attribution: refused });
      notifier.events.request(refused ? { ...row, errorCode: "key_budget_exceeded" } : row);
      await world.pass(15, notifier);
    };
    await spend(800_000n);
    assertEquals(texts(world), ["began key.budget_80 key_1"]);
    const { text, facts } = world.received[0]?.message ?? {};
    assertEquals([facts?.["window"], facts?.["of"]], ["day", "user:ann"]);
    assert(text?.includes("80 % of its budget of 1.000000 credits (a day) for user:ann"), text);
    await spend(990_000n, { user: "ann" });
    const later = world.received.slice(1).map(({ message: { type, facts } }) =>
      `${type} ${facts["window"]} ${facts["of"]}`
    );
    assertEquals(later.toSorted(), [
      "key.budget_100 day user:ann",
      "key.budget_80 day undefined",
    ]);
    await notifier.close();
  }));

Deno.test("an upstream is down when all attempts fail for a while, and up when it answers", () =>
  withNotices(async (world, store) => {
    const notifier = world.notifier(store);
    await addTarget(notifier, "ops");
    await world.pass(1, notifier);
    const attempt = (outcome: "ok" | "timeout" | "rate_limited") =>
      notifier.events.attempt({ upstream: "lab", outcome, hadBegun: false }, world.nowMs);
    for (const outcome of ["timeout", "timeout", "ok", "rate_limited"] as const) attempt(outcome);
    await world.pass(60, notifier);
    for (const _ of [1, 2, 3]) attempt("timeout");
    await world.pass(5, notifier);
    assertEquals(texts(world), []);
    await world.pass(15, notifier);
    assertEquals(texts(world), ["began upstream.down lab"]);
    attempt("ok");
    await world.pass(60, notifier);
    assertEquals(texts(world), ["began upstream.down lab", "ended upstream.down lab"]);
    notifier.events.attempt(
      { upstream: "lab", outcome: "refused_credentials", status: 401, hadBegun: false },
      world.nowMs,
    );
    await world.pass(2, notifier);
    world.upstreams.clear();
    await world.pass(20, notifier);
    assertEquals(texts(world).slice(2), [
      "began upstream.credentials_refused lab",
      "ended upstream.credentials_refused lab",
    ]);
    await notifier.close();
  }));

Deno.test("a check of the ledger notifies of a problem, and of the next check without one", () =>
  withNotices(async (world, store) => {
    const notifier = world.notifier(store);
    await addTarget(notifier, "ops");
    await world.pass(1, notifier);
    const sums = { entries: 1, segments: 1, head: "", wallets: 1, keys: 1, openHolds: 0 };
    const check = async (problems: readonly string[]) => {
      const result = { ...sums, problems, moreProblems: 0 };
      const steps = (async function* () {
        yield { entries: 1, total: 1, result };
      })();
      await Array.fromAsync(notifier.checking(steps));
      await world.pass(2, notifier);
    };
    await check([]);
    await check(['Wallet "team" is wrong']);
    await check(['Wallet "team" is wrong']);
    await check([]);
    assertEquals(texts(world), ["began ledger.check_failed ", "ended ledger.check_failed "]);
    await notifier.close();
  }));

Deno.test("a message whose acceptance was lost is repeated under the same id, across instances", () =>
  withNotices(async (world, store) => {
    let leader = 0;
    const notifiers = [0, 1].map((number) =>
      world.notifier(shared(store, () => leader === number), `instance_${number}`)
    );
    const [one, two] = notifiers;
    assert(one !== undefined && two !== undefined);
    const id = await addTarget(one, "ops");
    await world.pass(2, one, two);
    const got: NoticeMessage[] = [];
    // The receiver takes the message, and the answer is lost; then the other instance takes over.
    world.answers.set("ops", (message) => {
      got.push(message);
      return got.length < 3 ? { ok: false, problem: "Connection reset" } : { ok: true };
    });
    world.setBalance("team", 1n);
    for (const notifier of notifiers) {
      notifier.events.request(requestOf({ walletId: "team", keyId: "key_1" }));
    }
    await world.pass(10, one, two);
    leader = 1;
    world.setBalance("team", 900n);
    await world.pass(300, one, two);
    assertEquals([...new Set(got.slice(0, 3).map((message) => message.id))].length, 1);
    assertEquals([...world.arrivedAt(id).values()], [[1, 2]]);
    for (const notifier of notifiers) await notifier.close();
  }));

Deno.test("a receiver that is away for days leaves dead letters, which can be sent again", () =>
  withNotices(async (world, store) => {
    const notifier = world.notifier(store);
    const id = await addTarget(notifier, "ops");
    await world.pass(1, notifier);
    world.answers.set("ops", () => ({ ok: false, problem: "Connection refused" }));
    world.setBalance("team", 1n);
    notifier.events.request(requestOf({ walletId: "team", keyId: "key_1" }));
    for (let hour = 0; hour < 60; hour++) {
      world.nowMs += 3_598_000;
      await world.pass(2, notifier);
    }
    const [dead] = (await store.deliveries({ state: "dead", limit: 9 })).rows;
    assertEquals([dead?.attempts, dead?.problem], [14, "Connection refused"]);
    assert(world.lines.some((line) => line.startsWith("notification_given_up")));
    world.answers.delete("ops");
    assertEquals((await notifier.retry(dead?.id ?? ""))?.ok, true);
    await world.pass(2, notifier);
    assertEquals([...world.arrivedAt(id).values()], [[1]]);
    assertEquals((await notifier.retry(dead?.id ?? ""))?.ok, false);
    assertEquals(await notifier.retry("nothing"), undefined);
    await notifier.close();
  }));

Deno.test("a receiver that wants no more is given up at once; Retry-After is kept to", () =>
  withNotices(async (world, store) => {
    const notifier = world.notifier(store);
    await addTarget(notifier, "gone");
    await addTarget(notifier, "busy");
    await world.pass(1, notifier);
    world.answers.set("gone", () => ({ ok: false, problem: "Status 410", gone: true }));
    world.answers.set(
      "busy",
      () => ({ ok: false, problem: "Status 429", retryAfterMs: 600_000 }),
    );
    await notifier.noteBackup("The disk is full");
    await world.pass(590, notifier);
    const { rows } = await store.deliveries({ limit: 9 });
    const states = rows.map(({ state, attempts }) => `${state} ${attempts}`);
    assertEquals(states.toSorted(), ["dead 1", "pending 1"]);
    await notifier.close();
  }));

Deno.test("too much to remember is looked at whole, and nothing is remembered without a target", () =>
  withNotices(async (world, store) => {
    const notifier = world.notifier(store);
    notifier.events.request(requestOf({ walletId: "team", keyId: "key_1" }));
    assertEquals(notifier.events.take().wallets.size, 0);
    await addTarget(notifier, "ops");
    await world.pass(1, notifier);
    world.setBalance("untouched", 1n);
    for (let number = 0; number <= TOUCHED_MAX; number++) {
      notifier.events.request(requestOf({ walletId: `wallet_${number}`, keyId: "key_1" }));
    }
    await world.pass(2, notifier);
    assertEquals(texts(world), ["began wallet.low untouched"]);
    await notifier.close();
  }));

Deno.test("a store that cannot note an arrival does not flood the receiver", () =>
  withNotices(async (world, store) => {
    let isFull = true;
    const failing: NoticeStore = Object.assign(Object.create(store), {
      record: (delivery: Delivery) =>
        isFull ? Promise.reject(new Error("The disk is full")) : store.record(delivery),
    });
    const notifier = world.notifier(failing);
    await addTarget(notifier, "ops");
    await world.pass(1, notifier);
    await notifier.noteBackup("The disk is full");
    await world.pass(100, notifier);
    assertEquals(world.received.length, 2);
    isFull = false;
    await world.pass(100, notifier);
    assertEquals(world.received.length, 3);
    assertEquals(new Set(world.received.map(({ message }) => message.id)).size, 1);
    await notifier.close();
  }));

Deno.test("a store that fails loses nothing of what was to be looked at", () =>
  withNotices(async (world, store) => {
    let isAway = false;
    const failing: NoticeStore = Object.assign(Object.create(store), {
      open: () => isAway ? Promise.reject(new Error("Away")) : store.open(),
    });
    const notifier = world.notifier(failing);
    await addTarget(notifier, "ops");
    await world.pass(1, notifier);
    isAway = true;
    world.setBalance("team", 1n);
    notifier.events.request(requestOf({ walletId: "team", keyId: "key_1" }));
    await assertRejects(() => notifier.noteBackup("The disk is full"), Error, "Away");
    await world.pass(5, notifier);
    const failures = world.lines.filter((line) => line.startsWith("notifications_failed"));
    assertEquals(failures, ['notifications_failed {"message":"Away"}']);
    isAway = false;
    await world.pass(2, notifier);
    assertEquals(texts(world).toSorted(), ["began backup.failed ", "began wallet.low team"]);
    await notifier.close();
  }));
