import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { InvariantError } from "../invariant.ts";
import { budgetText, leastBudget, ShortBudgets } from "./budgets.ts";
import { type BudgetMicros, type HoldCommand, NAMES_MAX } from "./ledger.ts";
import { type Books, DAY, funded, hold, NOON, release, settle } from "./ledger_fixture.ts";
import { emptyBooks, replayEntry } from "./replay.ts";
import { assertSpend, spendAt } from "./state.ts";

const ANN = "user:ann";
const TEAM = "tag:team=search";
const SHORT = { refusal: "key_budget_exceeded" } as const;

/** A hold under names, all of which have the same budget. */
function namedHold(id: string, amount: bigint, budgets: Readonly<Record<string, BudgetMicros>>) {
  const named = Object.entries(budgets).map(([name, budget]) => ({ name, budget }));
  return hold(id, amount, { named });
}

/** Sums under a name: held, and spent by day, month and in total. */
function sumsOf(books: Books, name: string): readonly unknown[] {
  const { held, daySpent, monthSpent, totalSpent } = books.spend("k")?.named?.[name] ?? {};
  return [held, daySpent, monthSpent, totalSpent];
}

/** The refusal of a command, with what it says besides. */
function refusalOf(books: Books, command: HoldCommand) {
  const decision = books.run(command);
  assert(!decision.ok);
  const { refusal, waitable, short } = decision;
  return { refusal, waitable, short };
}

Deno.test("a call counts under each of its names, and under the key", () => {
  const books = funded(100n);
  books.run(namedHold("h", 20n, { [ANN]: { day: 50n }, [TEAM]: {} }));
  assertEquals([sumsOf(books, ANN), sumsOf(books, TEAM)], [[20n, 0n, 0n, 0n], [20n, 0n, 0n, 0n]]);
  books.run(settle("h", 7n));
  books.run(namedHold("i", 5n, { [ANN]: {} }));
  books.run(hold("j", 9n));
  assertEquals([sumsOf(books, ANN), sumsOf(books, TEAM)], [[5n, 7n, 7n, 7n], [0n, 7n, 7n, 7n]]);
  assertEquals(books.spend("k")?.held, 14n);
  books.run(release("i"));
  assertEquals(sumsOf(books, ANN), [0n, 7n, 7n, 7n]);
});

Deno.test("a used up budget of a name refuses its calls, and no others", () => {
  const books = funded(100n);
  const caps = { [ANN]: { total: 10n }, [TEAM]: { month: 30n } };
  books.run(namedHold("h", 10n, caps));
  const refused = { ...SHORT, waitable: true, short: [ANN] };
  assertEquals(refusalOf(books, namedHold("i", 1n, caps)), refused);
  books.run(settle("h", 10n));
  assertEquals(refusalOf(books, namedHold("i", 1n, caps)), { ...refused, waitable: false });
  assert(books.run(namedHold("i", 20n, { [TEAM]: { month: 30n } })).ok);
  const both = { ...refused, waitable: false, short: [ANN, TEAM] };
  assertEquals(refusalOf(books, namedHold("l", 1n, caps)), both);
  assert(books.run(hold("m", 60n)).ok);
});

Deno.test("a hold takes what the tightest of its budgets leaves", () => {
  const books = funded(100n);
  const rest = { minimum: 1n, budget: { day: 40n } };
  const named = [{ name: ANN, budget: { total: 12n } }, { name: TEAM, budget: {} }];
  const first = books.run(hold("h", 30n, { ...rest, named }));
  assert(first.ok);
  assertEquals(first.value, { held: 12n });
  const second = books.run(hold("i", 50n, rest));
  assert(second.ok);
  assertEquals(second.value, { held: 28n });
  // The key's own budget is used up as well: it stands for all of its names.
  const { short } = refusalOf(books, hold("j", 5n, { ...rest, named }));
  assertEquals(short, undefined);
});

Deno.test("windows of names pass with those of the key", () => {
  const books = funded(100n);
  const caps = { [ANN]: { day: 5n, month: 9n } };
  for (const [id, at] of [["a", 0], ["b", 1], ["c", 10]] as const) {
    const atMs = NOON + at * DAY;
    assert(books.run({ ...namedHold(id, at === 1 ? 4n : 5n, caps), atMs }).ok, id);
    books.run(settle(id, 5n, atMs));
    const refused = books.run({ ...namedHold(`${id} again`, 5n, caps), atMs });
    assertEquals(refused.ok ? "" : refused.refusal, "key_budget_exceeded");
  }
  assertEquals(sumsOf(books, ANN), [0n, 5n, 5n, 14n]);
  const idle = spendAt(books.spend("k"), { keyId: "k", atMs: NOON + 60 * DAY });
  assertEquals(idle.named, { [ANN]: { held: 0n, daySpent: 0n, monthSpent: 0n, totalSpent: 14n } });
});

Deno.test("a repeat under other names is another command", () => {
  const books = funded(100n);
  const command = namedHold("h", 5n, { [ANN]: { day: 50n } });
  assert(books.run(command).ok);
  assert(books.run({ ...command, named: [{ name: ANN, budget: { day: 1n } }] }).ok);
  assertEquals(refusalOf(books, hold("h", 5n)).refusal, "id_reused");
  books.run(settle("h", 5n));
  assertEquals(refusalOf(books, namedHold("h", 5n, { [TEAM]: {} })).refusal, "id_reused");
});

Deno.test("the names of a key are bounded, and those it has go on", () => {
  const books = funded(1_000n);
  for (let n = 0; n < NAMES_MAX; n++) {
    assert(books.run(namedHold(`h${n}`, 1n, { [`user:${n}`]: {} })).ok);
  }
  const refused = { ...SHORT, waitable: false, short: [ANN] };
  assertEquals(refusalOf(books, namedHold("more", 1n, { "user:1": {}, [ANN]: {} })), refused);
  assert(books.run(namedHold("again", 1n, { "user:1": {} })).ok);
  assert(books.run(hold("other", 1n, { keyId: "k2", named: [{ name: ANN, budget: {} }] })).ok);
});

Deno.test("no name has more than its key", () => {
  const spend = spendAt(undefined, { keyId: "k", atMs: NOON });
  const part = { held: 0n, daySpent: 0n, monthSpent: 0n, totalSpent: 0n };
  assertSpend({ ...spend, named: { [ANN]: part } });
  for (const change of [{ held: 1n }, { totalSpent: 1n }, { held: -1n }]) {
    assertThrows(
      () => assertSpend({ ...spend, named: { [ANN]: { ...part, ...change } } }),
      InvariantError,
    );
  }
});

Deno.test("holds behind one that waits for a name pass, unless they have it", () => {
  const short = new ShortBudgets();
  const [ann, ben] = [namedHold("a", 1n, { [ANN]: {} }), namedHold("b", 1n, { "user:ben": {} })];
  short.add(ann, [ANN]);
  assertEquals([ann, ben, hold("c", 1n)].map((each) => short.has(each)), [true, false, false]);
  assertEquals(short.has({ ...ann, keyId: "k2" }), false);
  assertEquals(short.has({ ...ann, keyId: "k2", budgetId: "k" }), true);
  short.add(hold("c", 1n), undefined);
  assertEquals(short.has(ben), true);
});

Deno.test("budgets are named in sentences", () => {
  assertEquals(
    [undefined, ANN, TEAM, "user:a:b"].map(budgetText),
    [
      "The key's budget",
      `The key's budget of user "ann"`,
      `The key's budget of tag "team=search"`,
      `The key's budget of user "a:b"`,
    ],
  );
});

const amounts = fc.bigInt(0n, 40n);
const caps = fc.record({ day: amounts, month: amounts, total: amounts }, { requiredKeys: [] });
const calls = fc.array(
  fc.record({
    names: fc.subarray([ANN, "user:ben", TEAM]),
    amount: amounts,
    minimum: amounts,
    cost: fc.option(amounts, { nil: undefined }),
    days: fc.nat(3),
    stays: fc.boolean(),
  }),
  { maxLength: 40 },
);

Deno.test("no budget of a name is overspent, and none refuses what it can pay for", () => {
  const policy = fc.record({ [ANN]: caps, "user:ben": caps, [TEAM]: caps });
  fc.assert(fc.property(policy, calls, (budgets, sequence) => {
    const books = funded(100_000n);
    let day = 0;
    for (const [at, { names, amount, minimum, cost, days, stays }] of sequence.entries()) {
      const atMs = NOON + (day += days) * DAY;
      const named = names.map((name) => ({ name, budget: budgets[name as typeof ANN] ?? {} }));
      const command = hold(`h${at}`, amount + minimum, {
        ...{ minimum, atMs },
        ...named.length > 0 && { named },
      });
      const before = spendAt(books.spend("k"), { keyId: "k", atMs });
      const least = leastBudget(before, command);
      const decision = books.run(command);
      assertEquals(decision.ok, minimum === 0n || (least?.free ?? minimum) >= minimum);
      if (!decision.ok || stays) continue;
      books.run(cost === undefined ? { ...release(`h${at}`), atMs } : settle(`h${at}`, cost, atMs));
      for (const [name, budget] of Object.entries(budgets)) {
        const { held = 0n, daySpent = 0n, monthSpent = 0n, totalSpent = 0n } =
          books.spend("k")?.named?.[name] ?? {};
        assert(totalSpent + held <= (budget.total ?? totalSpent + held));
        assert(monthSpent <= (budget.month ?? monthSpent));
        assert(daySpent <= (budget.day ?? daySpent));
      }
    }
    const replayed = emptyBooks();
    for (const entry of books.journal) replayEntry(replayed, entry);
    assertEquals(replayed.problems, []);
    assertEquals([replayed.spends, replayed.holds], [books.spends, books.holds]);
  }));
});
