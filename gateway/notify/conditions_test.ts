import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { NoticeStore } from "../ports/notice_store.ts";
import { OPEN_MAX } from "./incidents.ts";
import type { Notifier } from "./notifier.ts";
import {
  addTarget,
  keyOf,
  type NoticeWorld,
  requestOf,
  texts,
  withNotices,
} from "./notify_test_support.ts";

const DAY_MS = 86_400_000;

Deno.test("a closed wallet is not low, and its incident ends with it", () =>
  withNotices(async (world, store) => {
    const notifier = world.notifier(store);
    await addTarget(notifier, "ops");
    await world.pass(1, notifier);
    world.setBalance("open", 1n);
    world.close("closed");
    for (const walletId of ["open", "closed"]) {
      notifier.events.request(requestOf({ walletId, keyId: "key_1" }));
    }
    await world.pass(2, notifier);
    assertEquals(texts(world), ["began wallet.low open"]);
    world.close("open");
    await world.pass(20, notifier);
    assertEquals(texts(world).slice(1), ["ended wallet.low open"]);
    assertEquals(world.received[1]?.message.text, 'Wallet "open" is closed');
    // The hourly look at everything sees them, too.
    await world.pass(3_700, notifier);
    assertEquals(world.received.length, 2);
    await notifier.close();
  }));

Deno.test("a key is about to expire in the last tenth of its life, and a short one never", () =>
  withNotices(async (world, store) => {
    const notifier = world.notifier(store);
    await addTarget(notifier, "ops");
    const add = (id: string, livesMs: number, leftMs: number) => {
      const expiresAt = new Date(world.nowMs + leftMs).toISOString();
      const createdAtMs = world.nowMs + leftMs - livesMs;
      world.keys.set(id, keyOf(id, { expiresAt }, { createdAtMs }));
    };
    add("key_minutes", 600_000, 30_000);
    add("key_hours", DAY_MS - 1, 60_000);
    add("key_month", 30 * DAY_MS, 3 * DAY_MS + 60_000);
    add("key_month_late", 30 * DAY_MS, 3 * DAY_MS);
    add("key_year", 365 * DAY_MS, 7 * DAY_MS + 60_000);
    add("key_year_late", 365 * DAY_MS, 7 * DAY_MS);
    await world.pass(2, notifier);
    assertEquals(texts(world).toSorted(), [
      "began key.expiring key_month_late",
      "began key.expiring key_year_late",
    ]);
    await notifier.close();
  }));

Deno.test("copies of a rotation have one budget, which is one incident", () =>
  withNotices(async (world, store) => {
    const notifier = world.notifier(store);
    await addTarget(notifier, "ops");
    await world.pass(1, notifier);
    const budget = { day: "1" };
    world.keys.set("key_1", keyOf("key_1", { budget }));
    world.keys.set(
      "key_2",
      keyOf("key_2", { budget }, { rotatedFrom: "key_1", budgetId: "key_1" }),
    );
    world.keys.set(
      "key_3",
      keyOf("key_3", { budget }, { rotatedFrom: "key_2", budgetId: "key_1" }),
    );
    world.spent.set("key_1", 900_000n);
    const call = async (keyId: string) => {
      notifier.events.request(requestOf({ walletId: "team", keyId }));
      await world.pass(15, notifier);
    };
    await call("key_2");
    for (const keyId of ["key_1", "key_2", "key_3"]) await call(keyId);
    assertEquals(texts(world), ["began key.budget_80 key_1"]);
    assertStringIncludes(world.received[0]?.message.text ?? "", '"Name of key_2" (key_2)');
    // The copy that was found is gone; others of its line still spend the budget.
    for (const id of ["key_1", "key_2"]) {
      world.keys.set(id, { ...keyOf(id, { budget }), status: "revoked", budgetId: "key_1" });
    }
    world.keys.set("key_2", { ...world.key("key_2"), rotatedFrom: "key_1" });
    await world.pass(60, notifier);
    assertEquals(world.received.length, 1);
    world.keys.set("key_3", { ...world.key("key_3"), status: "revoked" });
    await world.pass(20, notifier);
    assertEquals(texts(world).slice(1), ["ended key.budget_80 key_1"]);
    await notifier.close();
  }));

Deno.test("many low wallets silence no other kind", () =>
  withNotices(async (world, store) => {
    const notifier = world.notifier(store);
    await addTarget(notifier, "ops", ["key_expiring", "upstream_down", "backup_failed"]);
    for (let number = 0; number < OPEN_MAX + 5; number++) {
      world.setBalance(`wallet_${String(number).padStart(5, "0")}`, 0n);
    }
    const expiresAt = new Date(world.nowMs + DAY_MS).toISOString();
    world.keys.set("key_1", keyOf("key_1", { expiresAt }));
    await world.pass(2, notifier);
    for (const _ of [1, 2, 3]) {
      notifier.events.attempt(
        { upstream: "lab", outcome: "timeout", hadBegun: false },
        world.nowMs,
      );
    }
    await notifier.noteBackup("The disk is full");
    const untold = "wallet_01003";
    for (const _ of [1, 2, 3]) {
      notifier.events.request(requestOf({ walletId: untold, keyId: "key_1" }));
      await world.pass(5, notifier);
    }
    assertEquals(texts(world).toSorted(), [
      "began backup.failed ",
      "began key.expiring key_1",
      "began upstream.down lab",
    ]);
    assertEquals((await store.open()).length, OPEN_MAX + 3);
    const lines = () => world.lines.filter((line) => line.startsWith("incident_not_begun"));
    assertEquals(lines().length, 1);
    // When one is over there is room for another.
    world.setBalance("wallet_00000", 900n);
    await world.pass(20, notifier);
    notifier.events.request(requestOf({ walletId: untold, keyId: "key_1" }));
    await world.pass(2, notifier);
    assert((await store.open()).some(({ subject }) => subject === untold));
    await notifier.close();
  }));

Deno.test("the result of a check is durable when it is answered", () =>
  withNotices(async (world, store) => {
    const notifier = world.notifier(store);
    await addTarget(notifier, "ops");
    // No round runs: a kill now loses nothing.
    await notifier.noteBackup("The disk is full");
    const steps = (async function* () {
      yield { entries: 0, total: 1 };
      await Promise.reject(new Error("The journal cannot be read"));
    })();
    await assertRejects(() => Array.fromAsync(notifier.checking(steps)), Error, "cannot be read");
    const open = (await store.open()).map(({ kind }) => kind);
    assertEquals(open, ["backup_failed", "ledger_check_failed"]);
    const restarted = world.notifier(store);
    await world.pass(2, restarted);
    assertEquals(texts(world), ["began backup.failed ", "began ledger.check_failed "]);
    await restarted.noteBackup(undefined);
    assertEquals((await store.open()).length, 1);
    await restarted.close();
  }));

/** Two instances that share a store, the first of which sends. */
async function withTwo(
  run: (world: NoticeWorld, one: Notifier, two: Notifier, store: NoticeStore) => Promise<void>,
): Promise<void> {
  await withNotices(async (world, store) => {
    const other: NoticeStore = Object.create(store);
    Object.assign(other, { lead: () => Promise.resolve(false) });
    const [one, two] = [world.notifier(store, "one"), world.notifier(other, "two")];
    await addTarget(one, "ops");
    await world.pass(1, one, two);
    await run(world, one, two, store);
    await one.close();
    await two.close();
  });
}

function attempt({ events }: Notifier, outcome: "ok" | "timeout", { nowMs }: NoticeWorld): void {
  events.attempt({ upstream: "lab", outcome, hadBegun: false }, nowMs);
}

Deno.test("an upstream that one instance does not reach is one incident", () =>
  withTwo(async (world, one, two) => {
    for (let minute = 0; minute < 60; minute++) {
      for (const _ of [1, 2]) attempt(one, "timeout", world);
      attempt(two, "ok", world);
      await world.pass(60, one, two);
    }
    assertEquals(texts(world), ["began upstream.down lab"]);
    attempt(one, "ok", world);
    await world.pass(60, one, two);
    assertEquals(texts(world).slice(1), ["ended upstream.down lab"]);
  }));

Deno.test("an upstream is up again when the last instance that failed reaches it, or is gone", () =>
  withTwo(async (world, one, two) => {
    const fail = async (minutes: number, ...notifiers: readonly Notifier[]) => {
      for (let minute = 0; minute < minutes; minute++) {
        for (const notifier of notifiers) {
          for (const _ of [1, 2, 3]) attempt(notifier, "timeout", world);
        }
        await world.pass(60, one, two);
      }
    };
    await fail(4, one, two);
    attempt(one, "ok", world);
    await fail(8, two);
    assertEquals(texts(world), ["began upstream.down lab"]);
    attempt(two, "ok", world);
    await world.pass(60, one, two);
    assertEquals(texts(world).slice(1), ["ended upstream.down lab"]);
    // The second one is gone with its incident; the first one reaches the upstream.
    await fail(2, two);
    attempt(one, "ok", world);
    await world.pass(240, one);
    assertEquals(world.received.length, 3);
    await world.pass(120, one);
    assertEquals(texts(world).slice(2), ["began upstream.down lab", "ended upstream.down lab"]);
  }));

Deno.test("an instance that nothing calls any more does not keep an upstream down", () =>
  withTwo(async (world, one, two) => {
    for (const _ of [1, 2, 3]) attempt(two, "timeout", world);
    await world.pass(60, one, two);
    attempt(one, "ok", world);
    await world.pass(10 * 60, one, two);
    assertEquals(texts(world), ["began upstream.down lab"]);
    await world.pass(15 * 60, one, two);
    assertEquals(texts(world), ["began upstream.down lab", "ended upstream.down lab"]);
  }));

Deno.test("a beginning is not sent again after the end of its incident has arrived", () =>
  withNotices(async (world, store) => {
    const notifier = world.notifier(store);
    const id = await addTarget(notifier, "ops");
    await world.pass(1, notifier);
    world.answers.set("ops", () => ({ ok: false, problem: "Status 410", gone: true }));
    await notifier.noteBackup("The disk is full");
    await world.pass(2, notifier);
    const [dead] = (await store.deliveries({ state: "dead", limit: 9 })).rows;
    assert(dead !== undefined);
    // An operator sends the beginning again in the moment in which the end is on its way.
    world.answers.set("ops", async () => {
      assert((await notifier.retry(dead.id))?.ok);
      return { ok: true };
    });
    await notifier.noteBackup(undefined);
    await world.pass(60, notifier);
    assertEquals([...world.arrivedAt(id).values()], [[2]]);
    const given = await store.delivery(dead.id);
    assertEquals([given?.state, given?.problem], [
      "dead",
      "The end of its incident has arrived before it",
    ]);
    const retried = await notifier.retry(dead.id);
    assert(retried?.ok === false);
    assertStringIncludes(retried.problem, "The end of the incident");
    await notifier.close();
  }));
