/**
 * The change that a journal entry made, for a ledger that follows another one entry by entry.
 *
 * @module
 */

import { operationOf } from "./correction.ts";
import type { EndedHold, Hold, JournalEntry } from "./ledger.ts";
import { emptyBooks, holdOfEntry, type ReplayedBooks, replayEntry } from "./replay.ts";
import { budgetOwner, type LedgerChange, type LedgerView } from "./state.ts";

/** The change of an entry, or a sentence that says how the entry contradicts the ledger. */
export type RepeatedEntry =
  | { readonly ok: true; readonly change: LedgerChange }
  | { readonly ok: false; readonly problem: string };

/** Returns the change of an entry on top of a ledger, by the rules that verify a journal. */
export function repeatEntry(view: LedgerView, entry: JournalEntry): RepeatedEntry {
  const problems: string[] = [];
  const hold = "key" in entry ? view.hold(entry.id) : undefined;
  const budget = budgetOf(entry, hold);
  const books = booksOf(view, { entry, hold, budget, problems });
  replayEntry(books, entry);
  const [problem] = problems;
  if (problem !== undefined) return { ok: false, problem };
  const wallet = entry.op === "progress" ? undefined : books.wallets.get(entry.wallet);
  const spend = budget === undefined || entry.op === "progress"
    ? undefined
    : books.spends.get(budget);
  const opened = "key" in entry ? books.holds.get(entry.id) : undefined;
  const ended = hold === undefined || opened !== undefined ? undefined : endOf(hold, entry);
  return { ok: true, change: { entry, wallet, spend, opened, ended } };
}

/** Returns the key whose budget an entry concerns; `undefined` for one of a wallet alone. */
function budgetOf(entry: JournalEntry, hold: Hold | undefined): string | undefined {
  if (entry.op === "hold") return budgetOwner(holdOfEntry(entry));
  return hold === undefined ? undefined : budgetOwner(hold);
}

/** Returns the part of a ledger that one entry can change. */
function booksOf(
  view: LedgerView,
  { entry, hold, budget, problems }: {
    readonly entry: JournalEntry;
    readonly hold: Hold | undefined;
    readonly budget: string | undefined;
    readonly problems: string[];
  },
): ReplayedBooks {
  const books = emptyBooks(problems);
  const wallet = view.wallet(entry.wallet);
  if (wallet !== undefined) books.wallets.set(wallet.id, wallet);
  const spend = budget === undefined ? undefined : view.spend(budget);
  if (spend !== undefined) books.spends.set(spend.keyId, spend);
  if (hold !== undefined) books.holds.set(hold.id, hold);
  if ("key" in entry && view.ended(entry.id) !== undefined) books.ended.add(entry.id);
  if (operationOf(entry) !== undefined && "id" in entry && view.credit(entry.id) !== undefined) {
    books.credits.add(entry.id);
  }
  return books;
}

function endOf(hold: Hold, entry: JournalEntry): EndedHold {
  if (entry.op === "settle") {
    const { charged, writtenOff, recovered } = entry;
    const settled = { charged, writtenOff };
    return { hold, settled, ...(recovered === true ? { recovered } : {}) };
  }
  return entry.op === "expire" ? { hold, recovered: true } : { hold };
}
