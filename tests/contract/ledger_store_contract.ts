import { assert, assertEquals } from "@std/assert";
import type {
  CreditCommand,
  HoldCommand,
  JournalEntry,
  ProgressCommand,
  SettleCommand,
  VoidCommand,
} from "../../gateway/domain/ledger/ledger.ts";
import type { Applied, LedgerStore } from "../../gateway/ports/ledger_store.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";
import { record } from "./request_log_contract.ts";

const NOON = Date.UTC(2026, 10, 21, 12);

/** A credit of wallet `w`. */
export function credit(opId: string, amount: bigint, walletId = "w"): CreditCommand {
  return { kind: "credit", opId, walletId, amount, note: "test", atMs: NOON };
}

/** A hold on wallet `w`, all or nothing unless told otherwise. */
export function hold(
  holdId: string,
  amount: bigint,
  rest: Partial<HoldCommand> = {},
): HoldCommand {
  const call = { walletId: "w", keyId: "k", logId: "log_1", model: "m", priceVersion: 1 };
  return {
    kind: "hold",
    holdId,
    ...call,
    amount,
    minimum: amount,
    budget: {},
    atMs: NOON,
    ...rest,
  };
}

/** A settlement. */
export function settle(holdId: string, cost: bigint): SettleCommand {
  const tokens = { inputTokens: 3, cachedInputTokens: 1, outputTokens: 2 };
  return { kind: "settle", holdId, cost, ...tokens, estimated: false, atMs: NOON };
}

/** Returns the checkpoint of a call. */
export function progress(holdId: string, cost: bigint): ProgressCommand {
  const tokens = { inputTokens: 3, cachedInputTokens: 1, outputTokens: Number(cost) };
  return { kind: "progress", holdId, cost, ...tokens, atMs: NOON };
}

const killedRow = () => record(1, { outcome: "killed" });

/** A command that voids a hold. */
export function voidCommand(holdId: string): VoidCommand {
  return { kind: "void", holdId, reason: "test", atMs: NOON };
}

/** Opens wallet `w` with credits. */
export async function fund(ledger: LedgerStore, amount: bigint): Promise<void> {
  assert((await ledger.open({ kind: "open", walletId: "w", tier: "standard", atMs: NOON })).ok);
  if (amount > 0n) assert((await ledger.credit(credit("seed", amount))).ok);
}

/** The value of an answer, or its refusal. */
export function outcome(applied: Applied<unknown>): unknown {
  return applied.ok ? applied.value : applied.refusal;
}

const NO_WAIT = { waitMs: 0 };
const LONG_WAIT = { waitMs: 60_000 };

const CLAUSES: Clauses<LedgerStore> = {
  "a call is held, settled and on the statement": async (ledger) => {
    await fund(ledger, 100n);
    assertEquals(outcome(await ledger.hold(hold("h", 60n), NO_WAIT)), { held: 60n });
    const open = (await ledger.openHolds()).map(({ id, amount }) => [id, amount]);
    assertEquals(open, [["h", 60n]]);
    assertEquals(outcome(await ledger.settle(settle("h", 70n))), { charged: 60n, writtenOff: 10n });
    assertEquals(await ledger.openHolds(), []);
    assertEquals(await ledger.wallet("w"), {
      id: "w",
      tier: "standard",
      credits: 100n,
      available: 40n,
      held: 0n,
      spent: 60n,
      writtenOff: 10n,
      createdAtMs: NOON,
    });
    assertEquals((await ledger.keySpend("k"))?.totalSpent, 60n);
    const { entries, cursor } = await ledger.statement("w", { limit: 10 });
    assertEquals([entries.map((entry) => entry.op), cursor], [[
      "settle",
      "hold",
      "credit",
      "open",
    ], undefined]);
  },

  "a settlement has the user and the tags of its hold, a call without them has none": async (
    ledger,
  ) => {
    await fund(ledger, 100n);
    const names = { user: 'ann "\u00e9"', tags: "env=prod,team=a" };
    await ledger.hold(hold("h1", 10n, names), NO_WAIT);
    await ledger.hold(hold("h2", 10n, { tags: "team=b" }), NO_WAIT);
    await ledger.hold(hold("h3", 10n), NO_WAIT);
    const { user, tags } = (await ledger.openHolds())[0] ?? {};
    assertEquals({ user, tags }, names);
    for (const id of ["h1", "h2", "h3"]) {
      assertEquals(outcome(await ledger.settle(settle(id, 5n))), { charged: 5n, writtenOff: 0n });
    }
    const { entries } = await ledger.statement("w", { limit: 3 });
    const named = entries.map((entry) =>
      entry.op === "settle" ? [entry.id, entry.user, entry.tags] : []
    );
    assertEquals(named, [
      ["h3", undefined, undefined],
      ["h2", undefined, "team=b"],
      ["h1", names.user, names.tags],
    ]);
    // Repeated, they change nothing.
    assertEquals(outcome(await ledger.hold(hold("h1", 10n, names), NO_WAIT)), { held: 10n });
  },

  "what does not exist is absent or refused": async (ledger) => {
    assertEquals(await ledger.wallet("w"), undefined);
    assertEquals(await Array.fromAsync(ledger.allWallets()), []);
    assertEquals(await ledger.keySpend("k"), undefined);
    assertEquals((await ledger.statement("w", { limit: 10 })).entries, []);
    assertEquals(outcome(await ledger.credit(credit("c", 1n))), "wallet_not_found");
    assertEquals(outcome(await ledger.hold(hold("h", 1n), LONG_WAIT)), "wallet_not_found");
    assertEquals(outcome(await ledger.settle(settle("h", 1n))), "hold_not_found");
    assertEquals(outcome(await ledger.voidHold(voidCommand("h"))), "hold_not_found");
  },

  "a repeat is answered alike and changes nothing": async (ledger) => {
    await fund(ledger, 100n);
    for (const again of [1, 2, 3]) {
      assertEquals(outcome(await ledger.hold(hold("h", 60n), NO_WAIT)), { held: 60n }, `${again}`);
    }
    const answers = await Promise.all([1, 2, 3].map(() => ledger.settle(settle("h", 5n))));
    assertEquals(answers.map(outcome), [1, 2, 3].map(() => ({ charged: 5n, writtenOff: 0n })));
    assertEquals(outcome(await ledger.hold(hold("h", 60n), NO_WAIT)), { held: 60n });
    await ledger.hold(hold("h2", 10n), NO_WAIT);
    for (const _ of [1, 2]) {
      assertEquals(outcome(await ledger.voidHold(voidCommand("h2"))), { released: 10n });
    }
    const credits = await Promise.all([1, 2].map(() => ledger.credit(credit("c", 7n))));
    assert(credits.every((answer) => answer.ok));
    assertEquals(outcome(await ledger.credit(credit("c", 8n))), "id_reused");
    assertEquals((await ledger.wallet("w"))?.credits, 107n);
    assertEquals((await ledger.statement("w", { limit: 99 })).entries.length, 7);
  },

  "progress moves no money, never falls, and is not on the statement": async (ledger) => {
    await fund(ledger, 100n);
    assertEquals(outcome(await ledger.progress(progress("h", 1n), killedRow)), "hold_not_found");
    await ledger.hold(hold("h", 60n), NO_WAIT);
    const before = await ledger.wallet("w");
    for (const cost of [20n, 20n, 30n]) {
      const noted = await ledger.progress(progress("h", cost), killedRow);
      assertEquals(noted.ok && noted.value.cost, cost);
    }
    assertEquals(outcome(await ledger.progress(progress("h", 29n), killedRow)), "progress_fell");
    assertEquals((await ledger.openHolds())[0]?.progress?.cost, 30n);
    assertEquals(await ledger.wallet("w"), before);
    assertEquals(outcome(await ledger.settle(settle("h", 25n))), { charged: 25n, writtenOff: 0n });
    assertEquals(outcome(await ledger.progress(progress("h", 31n), killedRow)), "hold_ended");
    const { entries } = await ledger.statement("w", { limit: 9 });
    assertEquals(entries.map(({ op }) => op), ["settle", "hold", "credit", "open"]);
    const all: string[] = [];
    for await (const { op } of ledger.entries()) all.push(op);
    assertEquals(all.filter((op) => op === "progress").length, 2);
  },

  "concurrent holds never take more than there is": async (ledger) => {
    await fund(ledger, 1_000n);
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, i) => ledger.hold(hold(`h${i}`, 7n), NO_WAIT)),
    );
    assertEquals(answers.filter((answer) => answer.ok).length, 142);
    assertEquals((await ledger.wallet("w"))?.available, 6n);
    assertEquals((await ledger.openHolds()).length, 142);
  },

  "operations apply in the order of the calls": async (ledger) => {
    await fund(ledger, 10n);
    const answers = await Promise.all([
      ledger.hold(hold("a", 10n), NO_WAIT),
      ledger.hold(hold("b", 10n), NO_WAIT),
      ledger.settle(settle("a", 4n)),
      ledger.hold(hold("c", 6n), NO_WAIT),
      ledger.voidHold(voidCommand("c")),
    ]);
    assertEquals(answers.map(outcome), [
      { held: 10n },
      "insufficient_balance",
      { charged: 4n, writtenOff: 0n },
      { held: 6n },
      { released: 6n },
    ]);
  },

  "a hold waits for open ones to end, first come first served": async (ledger) => {
    await fund(ledger, 100n);
    await ledger.hold(hold("first", 40n), NO_WAIT);
    await ledger.hold(hold("second", 60n), NO_WAIT);
    const order: string[] = [];
    const wait = async (id: string, amount: bigint) => {
      const answer = await ledger.hold(hold(id, amount), LONG_WAIT);
      order.push(id);
      return outcome(answer);
    };
    const large = wait("large", 80n);
    const small = wait("small", 10n);
    await ledger.settle(settle("first", 0n));
    assertEquals(order, [], "the small hold overtook the large one");
    assertEquals(outcome(await ledger.hold(hold("late", 1n), NO_WAIT)), "insufficient_balance");
    await ledger.credit(credit("more", 50n));
    assertEquals(await large, { held: 80n });
    assertEquals(await small, { held: 10n });
    assertEquals(order, ["large", "small"]);
  },

  "a waiting hold takes what is free from its minimum on": async (ledger) => {
    await fund(ledger, 100n);
    await ledger.hold(hold("first", 100n), NO_WAIT);
    const waiting = ledger.hold(hold("next", 100n, { minimum: 20n }), LONG_WAIT);
    await ledger.settle(settle("first", 70n));
    assertEquals(outcome(await waiting), { held: 30n });
  },

  "waiting ends with a refusal, and those behind have their turn": async (ledger) => {
    await fund(ledger, 100n);
    await ledger.hold(hold("first", 60n), NO_WAIT);
    const [large, small] = await Promise.all([
      ledger.hold(hold("large", 50n), { waitMs: 20 }),
      ledger.hold(hold("small", 40n), LONG_WAIT),
    ]);
    assertEquals([outcome(large), outcome(small)], ["insufficient_balance", { held: 40n }]);
  },

  "no hold waits for what cannot come": async (ledger) => {
    await fund(ledger, 100n);
    await ledger.hold(hold("first", 60n, { keyId: "k2" }), NO_WAIT);
    const budget = { total: 30n };
    const answers = await Promise.all([
      ledger.hold(hold("a", 101n), LONG_WAIT),
      ledger.hold(hold("b", 31n, { budget }), LONG_WAIT),
    ]);
    assertEquals(answers.map(outcome), ["insufficient_balance", "key_budget_exceeded"]);
  },

  "a hold that waits for its key's budget does not stop other keys": async (ledger) => {
    await fund(ledger, 100n);
    const budget = { day: 30n };
    await ledger.hold(hold("a", 30n, { budget }), NO_WAIT);
    const waiting = ledger.hold(hold("b", 20n, { budget }), LONG_WAIT);
    const behind = ledger.hold(hold("c", 5n, { budget }), LONG_WAIT);
    const other = await ledger.hold(hold("d", 50n, { keyId: "k2" }), LONG_WAIT);
    assertEquals(outcome(other), { held: 50n });
    await ledger.voidHold(voidCommand("a"));
    assertEquals([outcome(await waiting), outcome(await behind)], [{ held: 20n }, { held: 5n }]);
  },

  "a call counts under its names, and a used up budget of a name refuses": async (ledger) => {
    await fund(ledger, 100n);
    const [ann, team] = ["user:ann 灯", "tag:team=a"];
    const named = [{ name: ann, budget: { day: 30n } }, { name: team, budget: { total: 90n } }];
    assert((await ledger.hold(hold("a", 25n, { named }), NO_WAIT)).ok);
    assertEquals((await ledger.openHolds())[0]?.budgets, [ann, team]);
    const sums = { held: 25n, daySpent: 0n, monthSpent: 0n, totalSpent: 0n };
    assertEquals((await ledger.keySpend("k"))?.named, { [ann]: sums, [team]: sums });
    const refused = { ok: false, refusal: "key_budget_exceeded", budget: ann } as const;
    assertEquals(await ledger.hold(hold("b", 6n, { named }), NO_WAIT), refused);
    await ledger.settle(settle("a", 20n));
    const late = { atMs: NOON + 86_400_000 };
    assert((await ledger.hold(hold("c", 30n, { named, ...late }), NO_WAIT)).ok);
    await ledger.voidHold({ ...voidCommand("c"), ...late });
    assert((await ledger.hold(hold("d", 4n, late), NO_WAIT)).ok);
    const spent = { held: 0n, daySpent: 0n, monthSpent: 20n, totalSpent: 20n };
    const spend = await ledger.keySpend("k");
    assertEquals(spend?.named, { [ann]: spent, [team]: spent });
    assertEquals([spend?.held, spend?.totalSpent], [4n, 20n]);
  },

  "a hold that waits for a name's budget stops the holds with this name only": async (ledger) => {
    await fund(ledger, 100n);
    const ann = { named: [{ name: "user:ann", budget: { day: 30n } }] };
    const ben = { named: [{ name: "user:ben", budget: { day: 30n } }] };
    await ledger.hold(hold("a", 30n, ann), NO_WAIT);
    const waiting = ledger.hold(hold("b", 20n, ann), LONG_WAIT);
    const behind = ledger.hold(hold("c", 5n, ann), LONG_WAIT);
    assertEquals(outcome(await ledger.hold(hold("d", 30n, ben), LONG_WAIT)), { held: 30n });
    assertEquals(outcome(await ledger.hold(hold("e", 10n), LONG_WAIT)), { held: 10n });
    const tired = await ledger.hold(hold("f", 1n, ann), { waitMs: 20 });
    assertEquals(tired, { ok: false, refusal: "key_budget_exceeded", budget: "user:ann" });
    await ledger.voidHold(voidCommand("a"));
    assertEquals([outcome(await waiting), outcome(await behind)], [{ held: 20n }, { held: 5n }]);
  },

  "a statement pages and keeps to its wallet and time": async (ledger) => {
    await fund(ledger, 100n);
    await ledger.open({ kind: "open", walletId: "other", tier: "standard", atMs: NOON });
    for (let at = 1; at <= 20; at++) {
      const walletId = at % 2 === 0 ? "w" : "other";
      await ledger.credit({ ...credit(`c${at}`, 1n, walletId), atMs: NOON + at });
    }
    const seen: JournalEntry[] = [];
    let cursor: string | undefined;
    do {
      const page = await ledger.statement("w", { limit: 5, cursor });
      assert(page.entries.length <= 5);
      seen.push(...page.entries);
      cursor = page.cursor;
    } while (cursor !== undefined);
    const ids = seen.map((entry) => entry.op === "credit" ? entry.id : entry.op);
    const evens = [20, 18, 16, 14, 12, 10, 8, 6, 4, 2].map((at) => `c${at}`);
    assertEquals(ids, [...evens, "seed", "open"]);
    const range = { limit: 99, sinceMs: NOON + 5, untilMs: NOON + 8 };
    const within = (await ledger.statement("w", range)).entries.map((entry) => entry.at - NOON);
    assertEquals(within, [8, 6]);
    assertEquals((await ledger.statement("w", { limit: 5, cursor: "no cursor" })).entries, []);
  },

  "entries come oldest first, from a time on": async (ledger) => {
    await fund(ledger, 100n);
    for (let at = 1; at <= 9; at++) {
      await ledger.credit({ ...credit(`c${at}`, 1n), atMs: NOON + at });
    }
    const times: number[] = [];
    for await (const { at } of ledger.entries()) times.push(at - NOON);
    assertEquals(times, [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const late: number[] = [];
    for await (const { at } of ledger.entries({ sinceMs: NOON + 7 })) late.push(at - NOON);
    assertEquals(late, [7, 8, 9]);
  },

  "entries of one wallet and a time leave all others out": async (ledger) => {
    await fund(ledger, 100n);
    await ledger.open({ kind: "open", walletId: "w2", tier: "standard", atMs: NOON });
    for (let at = 1; at <= 9; at++) {
      const walletId = at % 2 === 0 ? "w" : "w2";
      await ledger.credit({ ...credit(`c${at}`, 1n), walletId, atMs: NOON + at });
    }
    const times: number[] = [];
    const range = { walletId: "w2", sinceMs: NOON + 2, untilMs: NOON + 7 };
    for await (const { at } of ledger.entries(range)) times.push(at - NOON);
    assertEquals(times, [3, 5, 7]);
  },

  "ids that differ in a lone surrogate only are different ids": async (ledger) => {
    const ids = ["\ud800", "\ud801", "\ufffd", "#x"];
    for (const walletId of ids) {
      await ledger.open({ kind: "open", walletId, tier: "standard", atMs: NOON });
      await ledger.credit(credit(`op ${walletId}`, 5n, walletId));
      const keyId = `key ${walletId}`;
      await ledger.hold(hold(`h ${walletId}`, 1n, { walletId, keyId }), NO_WAIT);
    }
    const wallets = await Array.fromAsync(ledger.allWallets());
    const available = new Map(wallets.map(({ id, available }) => [id, available]));
    assertEquals(available, new Map(ids.map((id) => [id, 4n])));
    assertEquals(ledger.walletCount(), ids.length);
    assertEquals((await ledger.statement("\ud800", { limit: 9 })).entries.length, 3);
  },
};

/** Contract of every ledger store. */
export function ledgerStoreContract(name: string, open: Open<LedgerStore>): void {
  runContract(name, { open, clauses: CLAUSES });
}
