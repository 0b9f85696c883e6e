import { assert, assertEquals } from "@std/assert";
import type { CorrectionCommand } from "../../gateway/domain/ledger/correction_types.ts";
import type { Wallet } from "../../gateway/domain/ledger/ledger.ts";
import type { Correction } from "../../gateway/domain/ledger/waiting_correction.ts";
import type { TrailDraft } from "../../gateway/domain/operators/trail.ts";
import { brokenPlace } from "../../gateway/system/trail_check.ts";
import type { Applied } from "../../gateway/ports/ledger_store.ts";
import type { Stores } from "../../gateway/ports/stores.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

/** Stores that corrections share commits with. */
export type CorrectedStores = Pick<
  Stores,
  "corrections" | "ledger" | "keys" | "trailStore" | "verify"
>;

/** Time of every correction. */
export const NOON = Date.UTC(2026, 10, 24, 12);
const COMMON = { walletId: "w", note: "Test", atMs: NOON };
const KIM = { kind: "operator", id: "opr_1", name: "Kim" } as const;

/** Returns an entry of the audit log. */
export function draft(action = "correct"): TrailDraft {
  return {
    atMs: NOON,
    author: { ...KIM, address: null, requestId: "req_1" },
    ...{ action, stage: "done", subject: "/wallets/w" },
  };
}

const entry = () => draft();

/** Returns a debit of wallet `w`. */
export function debit(opId: string, amount: bigint): CorrectionCommand {
  return { kind: "debit", opId, amount, ...COMMON };
}

/** Returns the record of a correction that waits. */
export function waiting(command: CorrectionCommand, values: Partial<Correction> = {}): Correction {
  return {
    ...{ id: command.opId, command, stake: 9n, state: "waiting", by: KIM, atMs: NOON },
    ...{ expiresAtMs: NOON + 1, version: 1, ...values },
  };
}

/** Opens a wallet, `w` unless told otherwise, with 100 micros. */
export async function funded({ ledger }: CorrectedStores, walletId = "w"): Promise<void> {
  await ledger.open({ kind: "open", walletId, tier: "standard", atMs: NOON });
  const credit = { kind: "credit", opId: `pay ${walletId}`, walletId, note: "" } as const;
  await ledger.credit({ ...credit, amount: 100n, atMs: NOON });
}

/** Holds on wallet `w`. */
export async function hold(
  { ledger }: CorrectedStores,
  holdId: string,
  amount: bigint,
): Promise<void> {
  const held = await ledger.hold({
    ...{ kind: "hold", holdId, walletId: "w", keyId: "key_1", logId: `log ${holdId}` },
    ...{ model: "m", priceVersion: 1, amount, minimum: amount, budget: {}, atMs: NOON },
  }, { waitMs: 0 });
  assert(held.ok);
}

/** Settles a hold. */
export async function settle(
  { ledger }: CorrectedStores,
  holdId: string,
  cost: bigint,
): Promise<void> {
  await ledger.settle({
    ...{ kind: "settle", holdId, cost, inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 },
    ...{ estimated: false, atMs: NOON },
  });
}

/** Describes a wallet, or why it was not corrected. */
export function outcome(applied: Applied<Wallet>): string {
  if (!applied.ok) return applied.refusal;
  const { available, held, spent, credits } = applied.value;
  return `${available} of ${credits}, ${held} held, ${spent} spent`;
}

async function verified(stores: CorrectedStores): Promise<void> {
  assertEquals((await stores.verify()).problems, []);
  assertEquals((await brokenPlace(stores.trailStore)).problem, undefined);
}

async function places({ trailStore }: CorrectedStores): Promise<number> {
  return (await trailStore.head()).place;
}

const CLAUSES: Clauses<CorrectedStores> = {
  "a correction that was refused waits again, as the newest": async ({ corrections }) => {
    const [old, other] = [debit("old", 1n), debit("other", 1n)];
    assert(await corrections.put(waiting(old), draft()));
    assert(await corrections.put(waiting(other, { atMs: NOON + 1 }), draft()));
    assert(await corrections.put(waiting(old, { state: "refused", version: 2 }), draft()));
    const again = waiting(old, { atMs: NOON + 2, version: 3 });
    assert(await corrections.put(again, draft()));
    assert(!await corrections.put(again, draft()));
    assertEquals((await corrections.all()).map(({ id, state }) => `${id} ${state}`), [
      "old waiting",
      "other waiting",
    ]);
  },

  "each kind has its effect, an entry of its own and one in the audit log": async (stores) => {
    const { corrections, ledger } = stores;
    await funded(stores);
    await hold(stores, "h", 30n);
    await settle(stores, "h", 20n);
    const apply = async (command: CorrectionCommand) =>
      outcome(await corrections.apply(command, { entry }));
    assertEquals(await apply(debit("a", 5n)), "75 of 95, 0 held, 20 spent");
    const adjust = { kind: "adjust", opId: "b", expected: 75n, counted: 80n, ...COMMON } as const;
    assertEquals(await apply(adjust), "80 of 100, 0 held, 20 spent");
    const refund = { kind: "refund", opId: "refund:log h", logId: "log h", ...COMMON } as const;
    const part = { ...refund, charged: 20n, amount: 15n };
    assertEquals(await apply(part), "95 of 100, 0 held, 5 spent");
    const tier = { kind: "tier", opId: "t", tier: "premium", ...COMMON } as const;
    await apply(tier);
    assertEquals((await ledger.wallet("w"))?.tier, "premium");
    const close = { kind: "close", opId: "c", expected: 95n, ...COMMON } as const;
    assertEquals(await apply(close), "0 of 5, 0 held, 5 spent");
    assertEquals((await ledger.wallet("w"))?.closedAtMs, NOON);
    const { entries } = await ledger.statement("w", { limit: 5 });
    assertEquals(entries.map(({ op }) => op), ["close", "tier", "refund", "adjust", "debit"]);
    assertEquals(await places(stores), 5);
    await verified(stores);
  },
  "a repeat changes nothing, and another correction under its id is refused": async (stores) => {
    const { corrections, ledger } = stores;
    await funded(stores);
    const apply = async (command: CorrectionCommand) =>
      outcome(await corrections.apply(command, { entry }));
    for (let times = 0; times < 3; times++) {
      assertEquals(await apply(debit("a", 5n)), "95 of 95, 0 held, 0 spent");
    }
    assertEquals(await apply(debit("a", 6n)), "id_reused");
    const adjust = { kind: "adjust", opId: "a", expected: 95n, counted: 90n, ...COMMON } as const;
    assertEquals(await apply(adjust), "id_reused", "An equal change by another kind");
    const pay = { kind: "credit", opId: "a", walletId: "w", amount: 5n, note: "" } as const;
    const paid = await ledger.credit({ ...pay, atMs: NOON });
    assert(!paid.ok && paid.refusal === "id_reused");
    const many = await Promise.all(Array.from({ length: 8 }, () => apply(debit("b", 10n))));
    assertEquals(new Set(many), new Set(["85 of 85, 0 held, 0 spent"]));
    assertEquals(await places(stores), 2);
    assertEquals(await corrections.operation("b"), {
      ...{ walletId: "w", amount: -10n, correction: "debit" },
    });
    assertEquals(await corrections.operation("none"), undefined);
    await verified(stores);
  },
  "a refusal changes nothing, and is in no log": async (stores) => {
    const { corrections, ledger } = stores;
    await funded(stores);
    await hold(stores, "h", 30n);
    const apply = async (command: CorrectionCommand) =>
      outcome(await corrections.apply(command, { entry }));
    assertEquals(await apply(debit("a", 71n)), "insufficient_balance");
    const adjust = { kind: "adjust", opId: "b", ...COMMON } as const;
    assertEquals(await apply({ ...adjust, expected: 70n, counted: 90n }), "balance_changed");
    assertEquals(await apply({ ...adjust, expected: 100n, counted: 29n }), "funds_held");
    assertEquals(await apply({ ...adjust, expected: 100n, counted: 100n }), "unchanged");
    const close = { kind: "close", opId: "c", ...COMMON } as const;
    assertEquals(await apply({ ...close, expected: 70n }), "funds_held");
    const refund = { kind: "refund", opId: "refund:x", logId: "x", ...COMMON } as const;
    assertEquals(await apply({ ...refund, charged: 1n, amount: 1n }), "not_charged");
    assertEquals(await apply({ ...debit("d", 1n), walletId: "none" }), "wallet_not_found");
    await settle(stores, "h", 0n);
    assertEquals(await apply({ ...close, expected: 99n }), "balance_changed");
    assertEquals(await places(stores), 0);
    const wallet = await ledger.wallet("w");
    assertEquals([wallet?.available, wallet?.closedAtMs], [100n, undefined]);
    await verified(stores);
  },
  "a closed wallet takes no credits, holds or corrections": async (stores) => {
    const { corrections, ledger } = stores;
    await funded(stores);
    const close = { kind: "close", opId: "c", expected: 100n, ...COMMON } as const;
    await corrections.apply(close, { entry });
    const pay = { kind: "credit", opId: "p", walletId: "w", amount: 5n, note: "" } as const;
    const paid = await ledger.credit({ ...pay, atMs: NOON });
    assertEquals(paid, { ok: false, refusal: "wallet_closed" });
    const held = await ledger.hold({
      ...{ kind: "hold", holdId: "h", walletId: "w", keyId: "key_1", logId: "log", model: "m" },
      ...{ priceVersion: 1, amount: 0n, minimum: 0n, budget: {}, atMs: NOON },
    }, { waitMs: 0 });
    assertEquals(held, { ok: false, refusal: "wallet_closed" });
    assertEquals(outcome(await corrections.apply(debit("d", 1n), { entry })), "wallet_closed");
    assertEquals(outcome(await corrections.apply(close, { entry })), "0 of 0, 0 held, 0 spent");
    await verified(stores);
  },
  "a correction lets holds go on that waited for its credits": async (stores) => {
    const { corrections, ledger } = stores;
    await funded(stores);
    await hold(stores, "h", 90n);
    const second = ledger.hold({
      ...{ kind: "hold", holdId: "i", walletId: "w", keyId: "key_1", logId: "log", model: "m" },
      ...{ priceVersion: 1, amount: 50n, minimum: 50n, budget: {}, atMs: NOON },
    }, { waitMs: 20_000 });
    const adjust = { kind: "adjust", opId: "a", expected: 100n, counted: 200n } as const;
    await new Promise((resolve) => setTimeout(resolve, 50));
    await corrections.apply({ ...adjust, ...COMMON }, { entry });
    assertEquals(await second, { ok: true, value: { held: 50n } });
    await verified(stores);
  },
  "a key moves with its entries, and only from where it is": async (stores) => {
    const { corrections, keys, ledger } = stores;
    await funded(stores);
    await funded(stores, "v");
    const record = {
      ...{ id: "key_1", name: "Shop", walletId: "w", status: "active", policy: {} } as const,
      ...{ hint: "svc_live_a", createdAtMs: NOON },
    };
    assert(await keys.create({ record, digest: "1.ab" }));
    await keys.findByDigest("1.ab");
    const move = { kind: "move", keyId: "key_1", note: "Test", atMs: NOON } as const;
    const there = { ...move, opId: "m", walletId: "v", from: "w" };
    assert((await corrections.apply(there, { entry })).ok);
    assertEquals((await keys.get("key_1"))?.walletId, "v");
    assertEquals((await keys.findByDigest("1.ab"))?.walletId, "v");
    assertEquals((await Array.fromAsync(keys.ofWallet("v"))).length, 1);
    assertEquals((await Array.fromAsync(keys.ofWallet("w"))).length, 0);
    const late = await corrections.apply({ ...there, opId: "n" }, { entry });
    assertEquals(outcome(late), "overtaken");
    assert((await corrections.apply({ ...there, from: "v" }, { entry })).ok, "A repeat");
    const back = { ...move, opId: "b", walletId: "w", from: "v" };
    assert((await corrections.apply(back, { entry })).ok);
    assert((await corrections.apply({ ...there, from: "w" }, { entry })).ok, "A late repeat");
    assertEquals((await keys.get("key_1"))?.walletId, "w");
    const missing = { ...there, opId: "x", keyId: "key_2" };
    assertEquals(outcome(await corrections.apply(missing, { entry })), "overtaken");
    const { entries: [entered] } = await ledger.statement("v", { limit: 1 });
    assert(entered?.op === "move");
    assertEquals([entered.moved, entered.from, await places(stores)], ["key_1", "w", 2]);
    await verified(stores);
  },
  "a correction that waits is stored with its entry, and ends once": async (stores) => {
    const { corrections } = stores;
    await funded(stores);
    const first = waiting(debit("a", 5n));
    assertEquals(await corrections.all(), []);
    assert(await corrections.put(first, draft()));
    assert(!await corrections.put(first, draft()), "There is one already");
    assertEquals(await corrections.all(), [first]);
    const ended: Correction = { ...first, state: "approved", endedBy: KIM, version: 2 };
    const ends = await Promise.all([
      corrections.apply(first.command, { entry, ended }).then(({ ok }) => ok),
      corrections.put({ ...ended, state: "refused" }, draft()),
      corrections.apply(first.command, { entry, ended }).then(({ ok }) => ok),
    ]);
    assertEquals(ends.filter(Boolean).length, 1);
    const [stored] = await corrections.all();
    const isApplied = await corrections.operation("a") !== undefined;
    assertEquals(isApplied, stored?.state === "approved");
    assertEquals(await places(stores), 2);
    await verified(stores);
  },
  "an approval that the ledger refuses leaves the correction waiting": async (stores) => {
    const { corrections } = stores;
    await funded(stores);
    const first = waiting(debit("a", 500n));
    await corrections.put(first, draft());
    const ended: Correction = { ...first, state: "approved", version: 2 };
    const applied = await corrections.apply(first.command, { entry, ended });
    assertEquals(outcome(applied), "insufficient_balance");
    assertEquals(await corrections.all(), [first]);
    assertEquals(await places(stores), 1);
  },
  "corrections are listed newest first, and forgotten ones are gone": async (stores) => {
    const { corrections } = stores;
    await corrections.put(waiting(debit("a", 5n)), draft());
    await corrections.put(waiting(debit("\u0000 b", 5n), { atMs: NOON + 1 }), draft());
    assertEquals((await corrections.all()).map(({ id }) => id), ["\u0000 b", "a"]);
    const third = waiting(debit("c", 5n), { atMs: NOON + 2 });
    assert(await corrections.put(third, draft(), ["a"]));
    assertEquals((await corrections.all()).map(({ id }) => id), ["c", "\u0000 b"]);
  },
};

/** Runs the contract of corrections on a kind of store. */
export function correctionStoreContract(name: string, open: Open<CorrectedStores>): void {
  runContract(name, { open, clauses: CLAUSES });
}
