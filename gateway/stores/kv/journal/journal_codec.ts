import type { JournalEntry } from "../../../domain/ledger/ledger.ts";

/** Encodes an entry as one line of JSON; amounts become decimal strings. */
export function encodeEntry(entry: JournalEntry): string {
  switch (entry.op) {
    case "open":
    case "tier":
    case "move":
      return JSON.stringify(entry);
    case "credit":
    case "debit":
    case "close":
    case "hold":
      return JSON.stringify({ ...entry, amount: entry.amount.toString() });
    case "progress":
      return JSON.stringify({ ...entry, cost: entry.cost.toString() });
    case "settle":
      return JSON.stringify({
        ...entry,
        held: entry.held.toString(),
        charged: entry.charged.toString(),
        writtenOff: entry.writtenOff.toString(),
      });
    case "adjust":
      return JSON.stringify({
        ...entry,
        expected: entry.expected.toString(),
        counted: entry.counted.toString(),
      });
    case "refund":
      return JSON.stringify({
        ...entry,
        charged: entry.charged.toString(),
        amount: entry.amount.toString(),
      });
    case "void":
    case "expire":
      return JSON.stringify({ ...entry, held: entry.held.toString() });
  }
}

const AMOUNTS = ["amount", "cost", "held", "charged", "writtenOff", "expected", "counted"];

/** Decodes a line of {@linkcode encodeEntry}. */
export function decodeEntry(line: string): JournalEntry {
  const entry = JSON.parse(line) as Record<string, unknown>;
  for (const name of AMOUNTS) {
    const amount = entry[name];
    if (typeof amount === "string") entry[name] = BigInt(amount);
  }
  return entry as JournalEntry;
}
