import type { OwnAnswer } from "../admin_api/key_holder.ts";
import { embeddingsJson } from "../admin/keys/key_embeddings.ts";
import { budgetsJson, keyJson, remainingJson, spendJson } from "../admin/keys/key_json.ts";
import { isoTime } from "../admin/json_values.ts";
import { formatCredits } from "../domain/ledger/money.ts";
import { spendAt } from "../domain/ledger/state.ts";
import type { KeyRecord } from "../domain/policy/key.ts";
import type { KeyHolderDeps } from "./deps.ts";

type Own = OwnAnswer<"key">;

/** Returns a key as its holder sees it. */
export async function ownKeyJson(record: KeyRecord, deps: KeyHolderDeps): Promise<Own> {
  const { ledger, admission, clock } = deps;
  const keyId = record.budgetId ?? record.id;
  const atMs = clock.nowMs();
  const [stored, limits, wallet, embeddings] = await Promise.all([
    ledger.keySpend(keyId),
    admission.remaining(record, atMs),
    walletJson(record, deps),
    embeddingsJson(deps, record),
  ]);
  const spend = spendAt(stored, { keyId, atMs });
  const { expiresAt } = record.policy;
  return {
    ...keyJson(record),
    embeddings,
    expiresAt: expiresAt === undefined ? null : isoTime(Date.parse(expiresAt)),
    spend: spendJson(spend),
    remaining: remainingJson(spend, record.policy.budget),
    budgets: budgetsJson(record.policy, spend),
    limits: {
      requestsPerMinute: limits.requestsPerMinute ?? null,
      tokensPerMinute: limits.tokensPerMinute ?? null,
      concurrentRequests: limits.concurrentRequests ?? null,
    },
    wallet,
  };
}

async function walletJson(
  { policy, walletId }: KeyRecord,
  { ledger }: KeyHolderDeps,
): Promise<Own["wallet"]> {
  const wallet = policy.wallet === "hidden" ? undefined : await ledger.wallet(walletId);
  if (wallet === undefined) return null;
  const { id, tier, available, held } = wallet;
  return { id, tier, available: formatCredits(available), held: formatCredits(held) };
}
