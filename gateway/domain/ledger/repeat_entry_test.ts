import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import {
  decideCredit,
  decideHold,
  decideOpen,
  decideProgress,
  decideSettle,
  decideVoid,
} from "./decide.ts";
import type { JournalEntry, SettleCommand, VoidCommand } from "./ledger.ts";
import { decideCorrection, refundId } from "./correction.ts";
import { Books, DAY } from "./ledger_fixture.ts";
import {
  CORRECTION_KINDS,
  type CorrectionCommand,
  type CorrectionKind,
} from "./correction_types.ts";
import { repeatEntry } from "./repeat_entry.ts";
import type { LedgerChange, LedgerDecision } from "./state.ts";

const MODEL = { logId: "l", model: "m", priceVersion: 1, minimum: 0n, budget: {} };
const TOKENS = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };

type Act =
  | ("open" | "credit" | "hold" | "progress" | "settle" | "recover" | "void" | "expire")
  | CorrectionKind;

interface Step {
  readonly act: Act;
  readonly id: number;
  readonly amount: number;
  readonly days: number;
  readonly hasBudget: boolean;
}

function decide(books: Books, step: Step): LedgerDecision<unknown> {
  const { act, id, hasBudget } = step;
  const [atMs, amount, walletId] = [step.days * DAY, BigInt(step.amount), `w${id % 2}`];
  const holdId = `h${id}`;
  const end = { ...TOKENS, kind: "settle", holdId, estimated: false, atMs } as const;
  const progress = books.hold(holdId)?.progress;
  const recovered: SettleCommand = {
    ...{ ...end, cost: amount, ...progress, estimated: true, recovered: true, atMs },
  };
  const ended = (kind: VoidCommand["kind"]): VoidCommand => ({ kind, holdId, reason: "r", atMs });
  switch (act) {
    case "open":
      return decideOpen(books, { kind: "open", walletId, tier: "t", atMs });
    case "credit":
      return decideCredit(books, {
        kind: "credit",
        opId: holdId,
        walletId,
        amount,
        note: "",
        atMs,
      });
    case "debit":
    case "adjust":
    case "tier":
    case "close":
    case "move":
    case "refund":
      return decideCorrection(books, correctionOf(books, step));
    case "hold": {
      const named = ["user:ann", "tag:team=a"].slice(id % 3).map((name) => ({ name, budget: {} }));
      const budget = hasBudget ? { budgetId: "first", ...named.length > 0 && { named } } : {};
      const command = {
        kind: "hold",
        holdId,
        walletId,
        keyId: `k${id % 3}`,
        amount,
        atMs,
      } as const;
      return decideHold(books, { ...MODEL, ...command, ...budget });
    }
    case "progress":
      return decideProgress(books, { kind: "progress", holdId, cost: amount, ...TOKENS, atMs });
    case "settle":
      return decideSettle(books, { ...end, cost: amount });
    case "recover":
      return progress === undefined
        ? decideVoid(books, ended("expire"))
        : decideSettle(books, recovered);
    case "void":
      return decideVoid(books, ended("void"));
    case "expire":
      return progress === undefined
        ? decideVoid(books, ended("expire"))
        : decideVoid(books, ended("void"));
  }
}

/** A correction; its id is taken by a credit at times. */
function correctionOf(books: Books, { act, id, amount, days }: Step): CorrectionCommand {
  const [atMs, walletId] = [days * DAY, `w${id % 2}`];
  const common = { opId: `${act} ${id % 3 === 0 ? amount : `h${id}`}`, walletId, note: "", atMs };
  const { available = 0n, held = 0n } = books.wallet(walletId) ?? {};
  const micros = BigInt(amount);
  switch (act) {
    case "debit":
      return { kind: "debit", amount: micros * 9n, ...common };
    case "adjust":
      return { kind: "adjust", expected: available + held, counted: micros * 40n, ...common };
    case "tier":
      return { kind: "tier", tier: `t${amount}`, ...common };
    case "close":
      return { kind: "close", expected: amount === 20 ? available : 1n, ...common };
    case "move":
      return { kind: "move", keyId: `k${id}`, from: `w${amount % 2}`, ...common };
    default: {
      const logId = `l${id}`;
      const refund = { kind: "refund", charged: 20n, amount: micros, logId } as const;
      return { ...refund, ...common, opId: refundId(logId) };
    }
  }
}

const ACTS: readonly Act[] = [
  ...CORRECTION_KINDS,
  ...["open", "credit", "hold", "progress", "settle", "recover", "void", "expire"] as const,
];

const steps = fc.array(
  fc.record({
    act: fc.constantFrom(...ACTS),
    id: fc.nat(5),
    amount: fc.integer({ min: 1, max: 20 }),
    days: fc.nat(40),
    hasBudget: fc.boolean(),
  }),
  { minLength: 30, maxLength: 90 },
);

Deno.test("a ledger that repeats the entries of another is equal to it after each", () => {
  let ends = 0;
  fc.assert(fc.property(steps, (some) => {
    const [leader, follower] = [new Books(), new Books()];
    for (const walletId of ["w0", "w1"]) {
      for (const act of ["open", "credit"] as const) {
        const id = 10 + Number(walletId[1]);
        const first = decide(leader, { act, id, amount: 2_000, days: 0, hasBudget: false });
        assert(first.ok && first.change !== undefined);
        follow(leader, follower, first.change);
      }
    }
    for (const step of some) {
      const decision = decide(leader, step);
      if (!decision.ok || decision.change === undefined) continue;
      if (decision.change.ended !== undefined) ends++;
      follow(leader, follower, decision.change);
    }
  }));
  assert(ends > 50, `${ends}`);
});

function follow(leader: Books, follower: Books, change: LedgerChange): void {
  leader.apply(change);
  const repeated = repeatEntry(follower, change.entry);
  assert(repeated.ok, repeated.ok ? "" : repeated.problem);
  follower.apply(repeated.change);
  assertEquals(follower.state, leader.state);
}

Deno.test("an entry that contradicts the ledger is a problem, and no change", () => {
  const books = new Books();
  const open: JournalEntry = { op: "open", wallet: "w", tier: "t", at: 1 };
  const hold: JournalEntry = {
    ...{ op: "hold", id: "h", wallet: "w", key: "k", log: "l", model: "m", priceVersion: 1 },
    ...{ amount: 1n, at: 1 },
  };
  const unopened = repeatEntry(books, hold);
  assertStringIncludes(unopened.ok ? "" : unopened.problem, "names no wallet");
  const opened = repeatEntry(books, open);
  assert(opened.ok);
  books.apply(opened.change);
  const tooMuch = repeatEntry(books, hold);
  assertStringIncludes(tooMuch.ok ? "" : tooMuch.problem, 'beyond wallet "w"');
  const credit: JournalEntry = { op: "credit", id: "c", wallet: "w", amount: 5n, note: "", at: 1 };
  const paid = repeatEntry(books, credit);
  assert(paid.ok);
  books.apply(paid.change);
  const twice = repeatEntry(books, credit);
  assertStringIncludes(twice.ok ? "" : twice.problem, "booked twice");
});
