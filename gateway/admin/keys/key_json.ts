import type { AnswerOf } from "../../admin_api/operations.ts";
import type { KeySpend } from "../../domain/ledger/ledger.ts";
import { formatCredits } from "../../domain/ledger/money.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import { isoTime, isoTimeOrNull } from "../json_values.ts";

/** Returns a key without its secret. */
export function keyJson(record: KeyRecord): AnswerOf<"POST /keys/{id}/disable"> {
  return {
    id: record.id,
    name: record.name,
    wallet: record.walletId,
    status: record.status,
    policy: record.policy,
    hint: record.hint,
    createdAt: isoTime(record.createdAtMs),
    lastUsedAt: isoTimeOrNull(record.lastUsedAtMs),
    rotatedFrom: record.rotatedFrom ?? null,
    logContent: record.logContent === true,
  };
}

/** Returns what a key has spent. */
export function spendJson(
  { held, daySpent, monthSpent, totalSpent }: KeySpend,
): AnswerOf<"GET /keys/{id}">["spend"] {
  return {
    held: formatCredits(held),
    day: formatCredits(daySpent),
    month: formatCredits(monthSpent),
    total: formatCredits(totalSpent),
  };
}
