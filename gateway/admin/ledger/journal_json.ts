import type { JournalEntry } from "../../domain/ledger/ledger.ts";
import { formatCredits, type Micros } from "../../domain/ledger/money.ts";

/** A journal entry with its effect on what is available. */
export function entryJson(entry: JournalEntry): Record<string, unknown> {
  const { op, at, wallet: _wallet, ...fields } = entry;
  const amounts = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "bigint" ? formatCredits(value) : value,
  ]);
  return {
    kind: op,
    at: new Date(at).toISOString(),
    change: formatCredits(changeOf(entry)),
    ...Object.fromEntries(amounts),
  };
}

/** What an entry adds to what is available. */
export function changeOf(entry: JournalEntry): Micros {
  switch (entry.op) {
    case "open":
    case "progress":
      return 0n;
    case "credit":
      return entry.amount;
    case "hold":
      return -entry.amount;
    case "settle":
      return entry.held - entry.charged;
    default:
      return entry.held;
  }
}
