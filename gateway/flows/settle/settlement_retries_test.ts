import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Clock } from "../../ports/clock.ts";
import type { LedgerStore } from "../../ports/ledger_store.ts";
import type { LogFields } from "../../ports/logger.ts";
import type { RequestRecord } from "../../ports/request_log.ts";
import { StoreError } from "../../ports/store_error.ts";
import { openKvStores } from "../../stores/kv/open.ts";
import { SettlementRetries } from "./settlement_retries.ts";

const clock: Clock = { nowMs: () => 1, monotonicMs: () => 1 };

async function heldWallet(path = ":memory:") {
  const stores = await openKvStores(path, { nowMs: clock.nowMs });
  const { ledger } = stores;
  await ledger.open({ kind: "open", walletId: "w", tier: "t", atMs: 1 });
  const credit = { kind: "credit", opId: "c", walletId: "w", amount: 100n, note: "", atMs: 1 };
  await ledger.credit({ ...credit, kind: "credit" });
  for (const holdId of ["h1", "h2"]) {
    await ledger.hold({
      kind: "hold",
      holdId,
      walletId: "w",
      keyId: "k",
      logId: "l",
      model: "m",
      priceVersion: 1,
      amount: 40n,
      minimum: 40n,
      budget: {},
      atMs: 1,
    }, { waitMs: 0 });
  }
  return stores;
}

function settle(holdId: string, cost: bigint) {
  const tokens = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false };
  return { kind: "settle", holdId, cost, ...tokens, atMs: 1 } as const;
}

Deno.test("endings that the store would not take are written when it takes them again", async () => {
  const stores = await heldWallet();
  const events: string[] = [];
  const note = (event: string) => void events.push(event);
  const late = new SettlementRetries(stores.ledger, { info: note, warn: note, error: note });
  late.add(settle("h1", 7n), new StoreError("disk full"));
  late.add({ kind: "void", holdId: "h2", reason: "store failed", atMs: 1 }, new StoreError("x"));
  assertEquals(late.size, 2);
  await late.close();
  const wallet = await stores.ledger.wallet("w");
  assertEquals([late.size, wallet?.held, wallet?.spent, wallet?.available], [0, 0n, 7n, 93n]);
  assertEquals(events.filter((event) => event === "hold_ended_late").length, 2);
  await stores.close();
});

Deno.test("an ending that was written after all is written once", async () => {
  const stores = await heldWallet();
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const late = new SettlementRetries(stores.ledger, silent);
  await stores.ledger.settle(settle("h1", 7n));
  late.add(settle("h1", 7n), new StoreError("the answer was lost"));
  late.add({ kind: "void", holdId: "never", reason: "", atMs: 1 }, new StoreError("x"));
  await late.close();
  assertEquals((await stores.ledger.wallet("w"))?.spent, 7n);
  await stores.close();
});

Deno.test("a failing store is retried, and no more after the close", async () => {
  const stores = await heldWallet();
  let tries = 0;
  const failing = Object.create(stores.ledger, {
    settle: {
      value: () => {
        tries += 1;
        return Promise.reject(new StoreError("still full"));
      },
    },
  });
  const warnings: string[] = [];
  const silent = { info: () => {}, warn: (event: string) => void warnings.push(event) };
  const late = new SettlementRetries(failing, { ...silent, error: () => {} });
  late.add(settle("h1", 7n), new StoreError("full"));
  await late.close();
  assertEquals([tries, late.size], [1, 1]);
  assert(warnings.includes("hold_still_open"));
  await stores.close();
});

/** The row of the request that a hold was taken for. */
function row(holdId: string): RequestRecord {
  return {
    ...{ id: `log_${holdId}`, requestId: "r", atMs: 1, keyId: "k", walletId: "w" },
    ...{ endpoint: "chat", stream: true, status: 200, outcome: "cut", durationMs: 1 },
    ...{ holdIds: [holdId], charged: "0.000007", estimated: false },
    ...{ inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 },
  };
}

Deno.test("a request's row comes with its late settlement, once", async () => {
  const stores = await heldWallet();
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const late = new SettlementRetries(stores.ledger, silent);
  // The second had landed with its row, but the store could not confirm it.
  await stores.ledger.settle(settle("h2", 9n), { row: row("h2") });
  late.add(settle("h1", 7n), new StoreError("disk full"), { row: row("h1") });
  late.add(settle("h2", 9n), new StoreError("in doubt"), { row: row("h2") });
  await late.close();
  const { records } = await stores.log.search({ limit: 9 });
  assertEquals(records.map(({ id }) => id), ["log_h1", "log_h2"]);
  assertEquals((await stores.ledger.wallet("w"))?.spent, 16n);
  await stores.close();
});

Deno.test("a row that comes after its request's last settlement waits with it", async () => {
  const stores = await heldWallet();
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const late = new SettlementRetries(stores.ledger, silent);
  late.add({ kind: "void", holdId: "h1", reason: "", atMs: 1 }, new StoreError("disk full"));
  assertEquals(late.addRow(row("h1")), false);
  late.add(settle("h2", 9n), new StoreError("disk full"));
  assertEquals(late.addRow({ ...row("h1"), holdIds: ["h0", "h2", "h1"] }), true);
  await late.close();
  assertEquals(late.addRow(row("h2")), false);
  const { records } = await stores.log.search({ limit: 9 });
  assertEquals(records.map(({ holdIds }) => holdIds), [["h0", "h2", "h1"]]);
  await stores.close();
});

Deno.test("a request's row comes also where its late settlement had landed before it", async () => {
  const stores = await heldWallet();
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const late = new SettlementRetries(stores.ledger, silent);
  const killedRow: RequestRecord = { ...row("h1"), outcome: "killed" };
  await stores.ledger.settle(settle("h1", 7n), { killedRow });
  late.add(settle("h1", 7n), new StoreError("in doubt"));
  assert(late.addRow(row("h1")));
  await late.close();
  // Asked for again it is there already.
  await stores.ledger.settle(settle("h1", 7n), { row: row("h1") });
  const { records } = await stores.log.search({ limit: 9 });
  assertEquals(records.map(({ id, outcome }) => [id, outcome]), [["log_h1", "cut"]]);
  await stores.close();
});

for (const hasEnded of [false, true]) {
  const how = hasEnded ? "has ended" : "goes on";
  Deno.test(`late settlements of a request that ${how} are in one row after a crash`, async () => {
    const path = await Deno.makeTempFile({ suffix: ".kv" });
    const stores = await heldWallet(path);
    const silent = { info: () => {}, warn: () => {}, error: () => {} };
    const late = new SettlementRetries(stores.ledger, silent);
    const whole: RequestRecord = { ...row("h1"), charged: "0.000016", holdIds: ["h1", "h2"] };
    const killedRow: RequestRecord = { ...whole, outcome: "killed" };
    late.add(settle("h1", 7n), new StoreError("disk full"), { killedRow });
    late.add(settle("h2", 9n), new StoreError("disk full"), { killedRow });
    if (hasEnded) assert(late.addRow(whole));
    await late.close();
    await stores.close();
    const next = await openKvStores(path, { nowMs: clock.nowMs });
    const { records } = await next.log.search({ limit: 9 });
    const rows = records.map(({ holdIds, charged, outcome }) => [holdIds, charged, outcome]);
    assertEquals(rows, [[["h1", "h2"], "0.000016", hasEnded ? "cut" : "killed"]]);
    await next.close();
    await Deno.remove(path);
  });
}

/** A ledger that refuses to settle some holds while they are in `failing`, and its calls. */
function unreliable(ledger: LedgerStore, failing: Set<string>) {
  const calls: string[] = [];
  const value: LedgerStore["settle"] = (command, rows) => {
    calls.push(`${command.holdId}${rows?.row === undefined ? "" : " with the row"}`);
    if (failing.has(command.holdId)) return Promise.reject(new StoreError("disk full"));
    return ledger.settle(command, rows);
  };
  return { calls, ledger: Object.create(ledger, { settle: { value } }) as LedgerStore };
}

Deno.test("a row is not written before the other settlements that it counts", async () => {
  const stores = await heldWallet();
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const failing = new Set(["h1"]);
  const { ledger, calls } = unreliable(stores.ledger, failing);
  const late = new SettlementRetries(ledger, silent);
  for (const id of ["h1", "h2"]) late.add(settle(id, 7n), new StoreError("disk full"));
  assert(late.addRow({ ...row("h1"), holdIds: ["h1", "h2"] }));
  await late.close();
  assertEquals([late.size, (await stores.log.search({ limit: 9 })).records.length], [2, 0]);
  failing.clear();
  await late.close();
  assertEquals([late.size, (await stores.log.search({ limit: 9 })).records.length], [0, 1]);
  assertEquals(calls, ["h1", "h1", "h2 with the row"]);
  await stores.close();
});

Deno.test("a row that comes while its settlement is written is written by a repetition", async () => {
  const stores = await heldWallet();
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const { ledger, calls } = unreliable(stores.ledger, new Set());
  const late = new SettlementRetries(ledger, silent);
  const killedRow: RequestRecord = { ...row("h1"), outcome: "killed" };
  late.add(settle("h1", 7n), new StoreError("disk full"), { killedRow });
  const trying = late.close();
  assert(late.addRow(row("h1")));
  await trying;
  await late.close();
  const { records } = await stores.log.search({ limit: 9 });
  assertEquals(records.map(({ id, outcome }) => [id, outcome]), [["log_h1", "cut"]]);
  assertEquals([calls, late.size], [["h1", "h1 with the row"], 0]);
  await stores.close();
});

Deno.test("earlier settlements of a request are durable before its end is settled", async () => {
  const stores = await heldWallet();
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const failing = new Set(["h1"]);
  const { ledger, calls } = unreliable(stores.ledger, failing);
  const late = new SettlementRetries(ledger, silent);
  assertEquals(late.settleEarlier(["h1"]), undefined);
  late.add(settle("h1", 7n), new StoreError("disk full"));
  assertEquals(late.settleEarlier(["h2"]), undefined);
  await assertRejects(async () => await late.settleEarlier(["h1", "h2"]), StoreError);
  failing.clear();
  await late.settleEarlier(["h1", "h2"]);
  assertEquals([calls, late.size], [["h1", "h1"], 0]);
  assertEquals((await stores.ledger.wallet("w"))?.spent, 7n);
  await late.close();
  await stores.close();
});

Deno.test("a charge without an answer is logged as an error", async () => {
  const stores = await heldWallet();
  const errors: unknown[] = [];
  const error = (event: string, fields?: LogFields) => void errors.push([event, fields?.holdId]);
  const late = new SettlementRetries(stores.ledger, { info: () => {}, warn: () => {}, error });
  await stores.ledger.settle(settle("h1", 7n));
  for (const holdId of ["h1", "h2"]) {
    late.add({ kind: "void", holdId, reason: "", atMs: 1 }, new StoreError("in doubt"));
  }
  await late.close();
  assertEquals(errors.slice(2), [["charged_without_answer", "h1"]]);
  await stores.close();
});
