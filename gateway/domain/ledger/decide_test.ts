import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { InvariantError } from "../invariant.ts";
import type { BudgetMicros, LedgerCommand } from "./ledger.ts";
import {
  Books,
  credit,
  DAY,
  funded,
  hold,
  NOON,
  open,
  progress,
  release,
  settle,
} from "./ledger_fixture.ts";
import { emptyBooks, replayEntry } from "./replay.ts";
import {
  assertSpend,
  assertWallet,
  type LedgerDecision,
  MAX_WALLET_CREDITS_MICROS,
  spendAt,
} from "./state.ts";

function outcome(decision: LedgerDecision<unknown>): unknown {
  return decision.ok ? decision.value : `${decision.refusal}${decision.waitable ? ", wait" : ""}`;
}

Deno.test("A wallet is opened once", () => {
  const books = funded(5n);
  const again = books.run(open("w"));
  assert(again.ok && again.change === undefined);
  assertEquals(outcome(books.run(open("w", NOON + 1))), "wallet_exists");
});

Deno.test("A credit counts once under its id", () => {
  const books = funded(5n);
  const again = books.run(credit("c", 5n));
  assert(again.ok && again.change === undefined);
  assertEquals(books.wallet("w")?.credits, 5n);
  assertEquals(outcome(books.run(credit("c", 6n))), "id_reused");
  assertEquals(outcome(books.run(credit("c2", 1n, "nobody"))), "wallet_not_found");
  const rest = MAX_WALLET_CREDITS_MICROS - 5n;
  assertEquals(outcome(books.run(credit("c3", rest + 1n))), "credits_overflow");
  assert(books.run(credit("c4", rest)).ok);
  assertThrows(() => books.run(credit("c5", 0n)), InvariantError);
});

Deno.test("A hold takes its amount, or what is free down to its minimum", () => {
  const books = funded(100n);
  assertEquals(outcome(books.run(hold("a", 60n))), { held: 60n });
  assertEquals(outcome(books.run(hold("b", 60n, { minimum: 30n }))), { held: 40n });
  assertEquals(outcome(books.run(hold("c", 1n))), "insufficient_balance, wait");
  assertEquals(outcome(books.run(hold("d", 101n))), "insufficient_balance");
  assertEquals(outcome(books.run(hold("e", 0n))), { held: 0n });
  assertEquals(outcome(books.run(hold("f", 1n, { walletId: "nobody" }))), "wallet_not_found");
  assertEquals(outcome(books.run(hold("a", 60n))), { held: 60n });
  assertEquals(outcome(books.run(hold("a", 60n, { keyId: "other" }))), "id_reused");
  assertEquals(outcome(books.run(hold("a", 59n))), "id_reused");
  assertThrows(() => books.run(hold("g", 1n, { minimum: 2n })), InvariantError);
  assertThrows(() => books.run(hold("g", 1n, { minimum: -1n })), InvariantError);
});

Deno.test("A key's budget limits holds in the day, the month and in total", () => {
  for (const window of ["day", "month", "total"] as const) {
    const books = funded(1_000n);
    const budget = { [window]: 100n };
    assertEquals(outcome(books.run(hold("a", 70n, { budget }))), { held: 70n });
    assertEquals(outcome(books.run(hold("b", 50n, { budget }))), "key_budget_exceeded, wait");
    assertEquals(outcome(books.run(hold("b", 50n, { budget, minimum: 30n }))), { held: 30n });
    books.run(settle("a", 70n));
    books.run(settle("b", 10n));
    assertEquals(outcome(books.run(hold("c", 21n, { budget }))), "key_budget_exceeded");
    assertEquals(outcome(books.run(hold("c", 20n, { budget }))), { held: 20n });
    const other = hold("d", 900n, { budget, keyId: "k2" });
    assertEquals(outcome(books.run(other)), "key_budget_exceeded");
  }
});

Deno.test("A budget lowered below what is spent still lets free calls through", () => {
  const books = funded(100n);
  books.run(hold("a", 50n));
  books.run(settle("a", 50n));
  const budget = { total: 10n };
  assertEquals(outcome(books.run(hold("b", 0n, { budget }))), { held: 0n });
  assertEquals(outcome(books.run(hold("c", 5n, { budget, minimum: 0n }))), { held: 0n });
  assertEquals(outcome(books.run(hold("d", 1n, { budget }))), "key_budget_exceeded");
});

Deno.test("A budget refusal comes before the wallet's, and waiting helps only where both can", () => {
  const books = funded(10n);
  books.run(hold("a", 10n));
  const budget: BudgetMicros = { day: 10n };
  assertEquals(outcome(books.run(hold("b", 5n, { budget }))), "key_budget_exceeded, wait");
  assertEquals(
    outcome(books.run(hold("c", 11n, { budget: { day: 12n } }))),
    "key_budget_exceeded",
  );
});

Deno.test("Budget windows open again with a new day and month, UTC, and never twice", () => {
  const books = funded(1_000n);
  const budget = { day: 10n, month: 15n };
  books.run(hold("a", 10n, { budget }));
  books.run(settle("a", 10n));
  assertEquals(outcome(books.run(hold("b", 1n, { budget }))), "key_budget_exceeded");
  const tomorrow = hold("c", 5n, { budget, atMs: NOON + DAY });
  assertEquals(outcome(books.run(tomorrow)), { held: 5n });
  books.run(settle("c", 5n, NOON + DAY));
  const later = { budget, atMs: NOON + 2 * DAY };
  assertEquals(outcome(books.run(hold("d", 1n, later))), "key_budget_exceeded");
  const december = { budget, atMs: Date.UTC(2026, 11, 1) };
  assertEquals(outcome(books.run(hold("e", 10n, december))), { held: 10n });
  books.run(settle("e", 10n, december.atMs));
  assertEquals(outcome(books.run(hold("f", 1n, { budget }))), "key_budget_exceeded");
  assertEquals(books.spend("k")?.totalSpent, 25n);
});

Deno.test("A settlement charges at most the hold and writes the rest off", () => {
  const rows: [bigint, bigint, bigint][] = [[0n, 0n, 0n], [30n, 30n, 0n], [50n, 50n, 0n], [
    51n,
    50n,
    1n,
  ]];
  for (const [cost, charged, writtenOff] of rows) {
    const books = funded(100n);
    books.run(hold("a", 50n));
    assertEquals(outcome(books.run(settle("a", cost))), { charged, writtenOff });
    assertEquals(outcome(books.run(settle("a", cost))), { charged, writtenOff });
    assertEquals(outcome(books.run(settle("a", cost + 1n))), "id_reused");
    assertEquals(outcome(books.run(release("a"))), "id_reused");
    assertEquals(outcome(books.run(hold("a", 50n))), { held: 50n });
    const wallet = books.wallet("w");
    assertEquals([wallet?.available, wallet?.held, wallet?.spent], [100n - charged, 0n, charged]);
    assertEquals(wallet?.writtenOff, writtenOff);
  }
  assertThrows(() => funded(1n).run(settle("a", -1n)), InvariantError);
});

Deno.test("Progress moves no money, never falls, and is kept until the hold ends", () => {
  const books = funded(100n);
  assertEquals(outcome(books.run(progress("a", 1n))), "hold_not_found");
  books.run(hold("a", 50n));
  const { wallets, spends } = structuredClone({ wallets: books.wallets, spends: books.spends });
  assert(books.run(progress("a", 20n)).ok);
  const lines = books.journal.length;
  assert(books.run({ ...progress("a", 20n), atMs: NOON + 9 }).ok, "a repeat");
  assertEquals(outcome(books.run(progress("a", 19n))), "progress_fell");
  assertEquals([books.hold("a")?.progress?.cost, books.journal.length], [20n, lines]);
  // Use beyond the hold is recorded too: it is written off, as in a settlement.
  assert(books.run(progress("a", 51n)).ok);
  assertEquals([books.wallets, books.spends], [wallets, spends]);
  assertThrows(() => books.run(progress("a", -1n)), InvariantError);
  assertEquals(outcome(books.run(settle("a", 30n))), { charged: 30n, writtenOff: 0n });
  assertEquals(outcome(books.run(progress("a", 52n))), "hold_ended");
});

Deno.test("A release returns the hold, once", () => {
  for (const kind of ["void", "expire"] as const) {
    const books = funded(100n);
    assertEquals(outcome(books.run(release("a", kind))), "hold_not_found");
    assertEquals(outcome(books.run(settle("a", 1n))), "hold_not_found");
    books.run(hold("a", 50n));
    assertEquals(outcome(books.run(release("a", kind))), { released: 50n });
    assertEquals(outcome(books.run(release("a", kind))), { released: 50n });
    assertEquals(
      outcome(books.run(settle("a", 0n))),
      kind === "void" ? "id_reused" : "hold_ended",
    );
    assertEquals(books.wallet("w")?.available, 100n);
    assertEquals(books.journal.length, 4);
  }
});

Deno.test("A hold that recovery has settled cannot be settled or released by its owner", () => {
  const books = funded(100n);
  books.run(hold("a", 50n));
  const recovery = { ...settle("a", 20n), recovered: true };
  const settled = { charged: 20n, writtenOff: 0n };
  assertEquals(outcome(books.run(recovery)), settled);
  assertEquals(outcome(books.run(recovery)), settled);
  for (const cost of [20n, 30n]) {
    assertEquals(outcome(books.run(settle("a", cost))), "hold_ended");
  }
  assertEquals(outcome(books.run(release("a"))), "hold_ended");
  assertEquals([books.wallet("w")?.spent, books.journal.length], [20n, 4]);
});

Deno.test("Books that do not add up are a bug", () => {
  const wallet = funded(5n).wallet("w");
  assert(wallet !== undefined);
  assertThrows(() => assertWallet({ ...wallet, credits: 6n }), InvariantError);
  assertThrows(() => assertWallet({ ...wallet, available: -1n, held: 6n }), InvariantError);
  const spend = spendAt(undefined, { keyId: "k", atMs: NOON });
  assertEquals([spend.day, spend.month], ["2026-11-21", "2026-11"]);
  assertThrows(() => assertSpend({ ...spend, held: -1n }), InvariantError);
  assertThrows(() => assertSpend({ ...spend, daySpent: 1n }), InvariantError);
});

Deno.test("spendAt: a clock that went back by more than a day takes what was spent with it", () => {
  const spend = {
    ...spendAt(undefined, { keyId: "k", atMs: NOON + 365 * DAY }),
    daySpent: 5n,
    monthSpent: 7n,
    totalSpent: 9n,
  };
  const back = spendAt(spend, { keyId: "k", atMs: NOON });
  assertEquals(back, { ...spend, day: "2026-11-21", month: "2026-11" });
  const next = spendAt(back, { keyId: "k", atMs: NOON + DAY });
  assertEquals([next.day, next.daySpent, next.monthSpent], ["2026-11-22", 0n, 7n]);
  assertEquals(spendAt(next, { keyId: "k", atMs: NOON }), next, "a day back opens none twice");
});

Deno.test("a budget is that of the key's line, whichever of its keys spends it", () => {
  const books = new Books();
  books.run(open("w"));
  books.run(credit("c", 100n));
  const line = { budget: { total: 10n }, budgetId: "k" };
  assert(books.run({ ...hold("h1", 10n), ...line }).ok);
  books.run(settle("h1", 10n));
  const rotated = books.run({ ...hold("h2", 1n), ...line, keyId: "k2" });
  assertEquals(rotated.ok ? "" : rotated.refusal, "key_budget_exceeded");
  assert(books.run({ ...hold("h3", 2n), keyId: "k2", budgetId: "k" }).ok);
  const repeated = books.run({ ...hold("h3", 2n), keyId: "k2" });
  assertEquals(repeated.ok ? "" : repeated.refusal, "id_reused");
  books.run(settle("h3", 2n));
  const [spend] = [...books.spends.values()];
  assertEquals([books.spends.size, spend?.keyId, spend?.totalSpent], [1, "k", 12n]);
  assertEquals(books.journal.filter((entry) => "key" in entry).map((entry) => entry.key), [
    "k",
    "k",
    "k2",
    "k2",
  ]);
  const replayed = emptyBooks();
  for (const entry of books.journal) replayEntry(replayed, entry);
  assertEquals(replayed.problems, []);
  assertEquals(replayed.spends, books.spends);
});

const ids = fc.constantFrom("a", "b", "c", "d", "e");
const wallets = fc.constantFrom("w", "v", "nobody");
const amounts = fc.bigInt(0n, 60n);
const times = fc.nat(40).map((days) => NOON + days * DAY);
const budgets = fc.record({ day: amounts, month: amounts, total: amounts }, { requiredKeys: [] });
const named = fc.uniqueArray(
  fc.record({ name: fc.constantFrom("user:ann", "user:ben", "tag:team=a"), budget: budgets }),
  { minLength: 1, maxLength: 3, selector: ({ name }) => name },
);
const commands: fc.Arbitrary<LedgerCommand> = fc.oneof(
  fc.tuple(wallets, times).filter(([id]) => id !== "nobody").map(([id, at]) => open(id, at)),
  fc.tuple(ids, amounts, wallets).map(([id, amount, w]) => credit(id, amount + 1n, w)),
  fc.record({
    id: ids,
    amount: amounts,
    minimum: amounts,
    walletId: wallets,
    keyId: ids,
    budgetId: fc.option(ids, { nil: undefined }),
    budgets,
    named: fc.option(named, { nil: undefined }),
    times,
  })
    .map(({ id, amount, minimum, budgets: budget, times: atMs, ...of }) =>
      hold(id, amount + minimum, { minimum, budget, atMs, ...of })
    ),
  fc.tuple(ids, amounts, times).map(([id, cost, at]) => settle(id, cost, at)),
  fc.tuple(ids, amounts).map(([id, cost]) => progress(id, cost)),
  ids.map((id) => release(id)),
);

Deno.test("Any sequence of commands keeps the books, and their journal recomputes them", () => {
  fc.assert(
    fc.property(fc.array(commands, { maxLength: 60 }), (sequence) => {
      const books = new Books();
      for (const command of sequence) {
        const lines = books.journal.length;
        const first = books.run(command);
        assert(books.journal.length <= lines + 1);
        for (const wallet of books.wallets.values()) assertWallet(wallet);
        for (const spend of books.spends.values()) assertSpend(spend);
        const before = books.journal.length;
        const again = books.run(command);
        assertEquals(books.journal.length, before, "a repeat changed the books");
        if (first.ok) assertEquals(again.ok, true);
      }
      const replayed = emptyBooks();
      for (const entry of books.journal) replayEntry(replayed, entry);
      assertEquals(replayed.problems, []);
      assertEquals(replayed.wallets, books.wallets);
      assertEquals(replayed.spends, books.spends);
      assertEquals(replayed.holds, books.holds);
    }),
    { numRuns: 300 },
  );
});
