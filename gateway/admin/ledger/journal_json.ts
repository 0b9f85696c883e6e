import type { Answer } from "../../admin_api/answer.ts";
import type { entryAnswer } from "../../admin_api/answers/wallets.ts";
import { correctionChange } from "../../domain/ledger/correction.ts";
import type { JournalEntry } from "../../domain/ledger/ledger.ts";
import { formatCredits, type Micros } from "../../domain/ledger/money.ts";
import { isoTime } from "../json_values.ts";

/** Returns a journal entry with its amounts as text and its effect on the available credits. */
export function entryJson(entry: JournalEntry): Answer<typeof entryAnswer> {
  const { op, at, wallet: _wallet, ...fields } = entry;
  const texts = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "bigint" ? formatCredits(value) : value,
  ]);
  return {
    kind: op,
    at: isoTime(at),
    change: formatCredits(changeOf(entry)),
    ...Object.fromEntries(texts),
  };
}

/** Returns the amount that an entry adds to the available credits. */
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
    case "void":
    case "expire":
      return entry.held;
    default:
      return correctionChange(entry);
  }
}
