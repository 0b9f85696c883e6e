import type { JournalEntry } from "../ledger/ledger.ts";
import { formatCredits, parseCredits } from "../ledger/money.ts";
import type { RequestRecord } from "./record.ts";

/** The charge and the tokens of a log row. */
export type RequestSum = Pick<
  RequestRecord,
  "charged" | "inputTokens" | "cachedInputTokens" | "outputTokens" | "estimated"
>;

/**
 * A log row for the case that the gateway dies, without its sum. Only the store knows which
 * settlements of the request have landed, so the store adds them up.
 */
export type KilledRow = Omit<RequestRecord, keyof RequestSum>;

const NOTHING: RequestSum = {
  charged: formatCredits(0n),
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  estimated: false,
};

/** Returns the sum of a row alone. */
export function sumOfRow(row: RequestSum): RequestSum {
  const { charged, inputTokens, cachedInputTokens, outputTokens, estimated } = row;
  return { charged, inputTokens, cachedInputTokens, outputTokens, estimated };
}

/** Adds a journal entry to the sum of its request; only settlements change it. */
export function addToSum(sum: RequestSum = NOTHING, entry?: JournalEntry): RequestSum {
  if (entry?.op !== "settle") return sum;
  return {
    charged: formatCredits((parseCredits(sum.charged) ?? 0n) + entry.charged),
    inputTokens: sum.inputTokens + entry.inputTokens,
    cachedInputTokens: sum.cachedInputTokens + entry.cachedInputTokens,
    outputTokens: sum.outputTokens + entry.outputTokens,
    estimated: sum.estimated || entry.estimated,
  };
}
