import { assert, assertEquals, assertRejects } from "@std/assert";
import { StoreError } from "../../gateway/ports/store_error.ts";
import { type KvStores, openKvStores } from "../../gateway/stores/kv/open.ts";
import { catalogOf } from "./catalog_store_contract.ts";
import { type Faults, faultyKv } from "./faulty_kv.ts";
import { key } from "./key_store_contract.ts";
import {
  credit,
  fund,
  hold,
  outcome,
  progress,
  settle,
  voidCommand,
} from "./ledger_store_contract.ts";
import { record } from "./request_log_contract.ts";

const NO_WAIT = { waitMs: 0 };

function check(what: string, run: (stores: KvStores, faults: Faults) => Promise<void>): void {
  Deno.test(`Failing commits in KV: ${what}`, async () => {
    const { faults, openKv } = faultyKv();
    const stores = await openKvStores(":memory:", { openKv });
    try {
      await run(stores, faults);
      assertEquals((await stores.verify()).problems, []);
    } finally {
      Object.assign(faults, { commit: "none", reads: false });
      await stores.close();
    }
  });
}

check("a full disk refuses all that wait, changes nothing, and passes", async (stores, faults) => {
  const { ledger, log } = stores;
  await fund(ledger, 100n);
  await ledger.hold(hold("h", 50n), NO_WAIT);
  faults.commit = "before";
  const results = await Promise.allSettled([
    ledger.settle(settle("h", 20n)),
    log.append(record(1)),
    ledger.hold(hold("h2", 10n), NO_WAIT),
    ledger.credit(credit("c", 5n)),
  ]);
  for (const result of results) {
    assert(result.status === "rejected" && result.reason instanceof StoreError);
  }
  assertEquals((await ledger.wallet("w"))?.held, 50n);
  assertEquals(stores.health(), "failing");
  faults.commit = "none";
  assertEquals(await log.get(record(1).id), undefined);
  assertEquals(outcome(await ledger.settle(settle("h", 20n))), { charged: 20n, writtenOff: 0n });
  assertEquals((await ledger.wallet("w"))?.available, 80n);
  assertEquals(stores.health(), "ok");
});

check("a commit that landed although it threw counts as done", async (stores, faults) => {
  const { ledger, log } = stores;
  await fund(ledger, 100n);
  faults.commit = "after";
  const [held] = await Promise.all([
    ledger.hold(hold("h", 50n), NO_WAIT),
    log.append(record(1)),
  ]);
  assertEquals(outcome(held), { held: 50n });
  assertEquals(outcome(await ledger.settle(settle("h", 20n))), { charged: 20n, writtenOff: 0n });
  faults.commit = "none";
  assertEquals(await log.get(record(1).id), record(1));
  assertEquals((await ledger.wallet("w"))?.available, 80n);
});

for (const commit of ["before", "after"] as const) {
  check(`a commit in doubt (${commit}) is cleared before the next one`, async (stores, faults) => {
    const { ledger } = stores;
    await fund(ledger, 100n);
    // What a hold is decided on is in memory from then on.
    await ledger.hold(hold("h1", 1n), NO_WAIT);
    await ledger.voidHold(voidCommand("h1"));
    Object.assign(faults, { commit, reads: true });
    const message = "not known yet";
    await assertRejects(() => ledger.hold(hold("h", 50n), NO_WAIT), StoreError, message);
    Object.assign(faults, { commit: "none" });
    const commits = faults.commits;
    await assertRejects(() => ledger.hold(hold("h2", 1n), NO_WAIT), StoreError, "Cannot tell");
    assertEquals(faults.commits, commits);
    faults.reads = false;
    // The same command again gives the same answer, whether or not the first try has landed.
    assertEquals(outcome(await ledger.hold(hold("h", 50n), NO_WAIT)), { held: 50n });
    assertEquals((await ledger.wallet("w"))?.held, 50n);
    assertEquals((await ledger.statement("w", { limit: 9 })).entries.length, 5);
  });
}

for (const commit of ["before", "after"] as const) {
  check(
    `a settlement in doubt (${commit}) and its row are written once`,
    async (stores, faults) => {
      const { ledger, log } = stores;
      await fund(ledger, 100n);
      await ledger.hold(hold("h", 50n), NO_WAIT);
      const ending = () => ledger.settle(settle("h", 20n), { row: record(1) });
      Object.assign(faults, { commit, reads: true });
      assert((await assertRejects(ending, StoreError)).inDoubt);
      // What was not tried is in doubt too: nothing can be told of what was tried before it.
      assert((await assertRejects(ending, StoreError)).inDoubt);
      Object.assign(faults, { commit: "none", reads: false });
      for (const _ of [1, 2]) {
        assertEquals(outcome(await ending()), { charged: 20n, writtenOff: 0n });
      }
      assertEquals((await log.search({ limit: 9 })).records, [record(1)]);
      faults.commit = "before";
      await ledger.voidHold(voidCommand("h"));
      const failing = () => ledger.hold(hold("h2", 1n), NO_WAIT);
      assertEquals((await assertRejects(failing, StoreError)).inDoubt, false);
    },
  );
}

check(
  "progress that the store would not take is gone, and the next tells all",
  async (stores, faults) => {
    const { ledger } = stores;
    await fund(ledger, 100n);
    await ledger.hold(hold("h", 50n), NO_WAIT);
    const note = (cost: bigint) => ledger.progress(progress("h", cost), () => record(1));
    faults.commit = "before";
    await assertRejects(() => note(5n), StoreError);
    faults.commit = "none";
    assertEquals((await ledger.openHolds())[0]?.progress, undefined);
    assertEquals((await note(9n)).ok, true);
    assertEquals((await ledger.openHolds())[0]?.progress?.cost, 9n);
  },
);

check("a settlement that failed frees nothing for those that wait", async (stores, faults) => {
  const { ledger } = stores;
  await fund(ledger, 100n);
  await ledger.hold(hold("h", 100n), NO_WAIT);
  const second = ledger.hold(hold("h2", 60n), { waitMs: 60_000 });
  const third = ledger.hold(hold("h3", 60n), { waitMs: 60_000 });
  await stores.settings.set("order", "the holds above are in line when this is done");
  faults.commit = "before";
  const settling = ledger.settle(settle("h", 0n));
  await assertRejects(() => second, StoreError);
  await assertRejects(() => settling, StoreError);
  faults.commit = "none";
  await ledger.settle(settle("h", 0n));
  assertEquals(outcome(await third), { held: 60n });
});

check("keys, catalogs and settings come through a failure", async (stores, faults) => {
  const { keys, catalogs, settings } = stores;
  await keys.create(key("key_1", "d1"));
  faults.commit = "before";
  const disable = () => keys.update("key_1", (now) => ({ ...now, status: "disabled" }));
  await assertRejects(disable, StoreError);
  await assertRejects(() => keys.create(key("key_2", "d2")), StoreError);
  const options = { expected: 0, note: "", atMs: 1 };
  await assertRejects(() => catalogs.apply(catalogOf(2), options), StoreError);
  await assertRejects(() => settings.setOnce("pepper", "a"), StoreError);
  faults.commit = "none";
  assertEquals((await keys.findByDigest("d1"))?.status, "active");
  assertEquals(await keys.findByDigest("d2"), undefined);
  assertEquals((await disable())?.status, "disabled");
  assertEquals(await keys.findByDigest("d1"), undefined);
  assertEquals((await catalogs.apply(catalogOf(1), options))?.version, 1);
  assertEquals(await settings.setOnce("pepper", "b"), "b");
});

check("a catalog version that landed unseen is not written over", async ({ catalogs }, faults) => {
  const options = { expected: 0, note: "", atMs: 1 };
  Object.assign(faults, { commit: "after", reads: true });
  // Its only piece lands and is in doubt; the version itself is not tried.
  await assertRejects(() => catalogs.apply(catalogOf(1), options), StoreError);
  Object.assign(faults, { commit: "none", reads: false });
  assertEquals(await catalogs.history(9), []);
  let commits = 0;
  faults.onCommit = () => {
    if (++commits === 2) Object.assign(faults, { commit: "after", reads: true });
  };
  await assertRejects(() => catalogs.apply(catalogOf(2), options), StoreError);
  Object.assign(faults, { commit: "none", reads: false, onCommit: undefined });
  assertEquals(await catalogs.apply(catalogOf(3), options), undefined);
  assertEquals(catalogs.current().models.length, 2);
});

check("reads that fail are faults of the store", async ({ keys, settings, ledger }, faults) => {
  await fund(ledger, 1n);
  faults.reads = true;
  await assertRejects(() => keys.findByDigest("d"), StoreError);
  await assertRejects(() => settings.get("s"), StoreError);
  await assertRejects(() => ledger.credit(credit("c", 1n)), StoreError);
  faults.reads = false;
});

check("what is settled and logged in one turn is one commit", async (stores, faults) => {
  const { ledger, log } = stores;
  await fund(ledger, 100n);
  await ledger.hold(hold("h", 50n), NO_WAIT);
  const before = faults.commits;
  await Promise.all([ledger.settle(settle("h", 20n)), log.append(record(1))]);
  assertEquals(faults.commits, before + 1);
  assertEquals(outcome(await ledger.settle(settle("h", 20n))), { charged: 20n, writtenOff: 0n });
  assertEquals(faults.commits, before + 1, "a repeat was written");
});

Deno.test("A writer whose store was taken over writes no more", async () => {
  const folder = await Deno.makeTempDir();
  const shared = await Deno.openKv(`${folder}/shared.kv`);
  // Two stores on one database, as two gateways on a remote one.
  const { close } = shared;
  shared.close = () => {};
  const openKv = () => Promise.resolve(shared);
  const older = await openKvStores(":memory:", { openKv });
  await fund(older.ledger, 100n);
  const newer = await openKvStores(":memory:", { openKv });
  const late = () => older.ledger.credit(credit("late", 1n));
  await assertRejects(late, StoreError, "taken it over");
  await assertRejects(() => older.keys.create(key("key_1", "d1")), StoreError, "taken it over");
  assertEquals([older.health(), newer.health()], ["lost", "ok"]);
  assertEquals((await newer.ledger.credit(credit("c", 5n))).ok, true);
  assertEquals((await newer.ledger.wallet("w"))?.credits, 105n);
  assertEquals((await newer.verify()).problems, []);
  await older.close();
  await newer.close();
  close.call(shared);
  await Deno.remove(folder, { recursive: true });
});
