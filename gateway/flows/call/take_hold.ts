/**
 * Holds of one request: taken before anything that costs, let go of where nothing came of it.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import { type KeyRecord, serves } from "../../domain/policy/key.ts";
import type { BudgetMicros, HoldCommand } from "../../domain/ledger/ledger.ts";
import { type Micros, minMicros, parseCredits } from "../../domain/ledger/money.ts";
import type { KeyPolicy } from "../../domain/policy/policy.ts";
import type { Applied } from "../../ports/ledger_store.ts";
import { StoreError } from "../../ports/store_error.ts";
import { microsOf } from "../settle/add_billing.ts";
import type { GatewayContext } from "../context.ts";
import type { RequestTrace } from "../request_trace.ts";

/** Longest wait for open holds of the same wallet to settle, in milliseconds. */
export const HOLD_WAIT_MS = 10_000;

/** What a hold is taken for. */
export interface HoldPurpose {
  /** Catalog id of the model, or the name of a hosted tool. */
  readonly model: string;
  readonly priceVersion: number;
  readonly amount: Micros;
  /** Where the wallet has less than the amount: at the least this. */
  readonly minimum: Micros;
  /** How long to wait for other holds to return, in milliseconds. */
  readonly waitMs: number;
  /** Aborted when nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
}

/** A hold that is open. */
export interface TakenHold {
  readonly id: string;
  readonly held: Micros;
}

/** The key's budget in micro-credits. */
export function budgetOf(policy: KeyPolicy): BudgetMicros {
  const { day, month, total } = policy.budget ?? {};
  return {
    day: day === undefined ? undefined : parseCredits(day),
    month: month === undefined ? undefined : parseCredits(month),
    total: total === undefined ? undefined : parseCredits(total),
  };
}

/** What is left for the rest of a request, or of a part of it; `undefined` where there is no cap. */
export function capLeft({ allowance, caller, billed }: RequestTrace): Micros | undefined {
  const { maxChargePerRequest } = caller.key.policy;
  if (allowance === undefined && maxChargePerRequest === undefined) return undefined;
  // A cap that cannot be read allows nothing.
  const cap = allowance ?? parseCredits(maxChargePerRequest ?? "") ?? 0n;
  const spent = billed === undefined ? 0n : microsOf(billed);
  return cap > spent ? cap - spent : 0n;
}

/**
 * Takes a hold, durable when it resolves; a refusal is a value. Throws where the store fails, and
 * where the key was revoked or narrowed while its request waited: it begins nothing. A request that
 * has begun goes on to its end.
 */
export async function takeHold(
  gateway: GatewayContext,
  trace: RequestTrace,
  purpose: HoldPurpose,
): Promise<TakenHold | ServiceFault> {
  const { key, logId } = trace.caller;
  const { model, priceVersion, amount, minimum, waitMs, signal } = purpose;
  const id = gateway.rng.id("hold");
  const atMs = gateway.clock.nowMs();
  const command: HoldCommand = {
    kind: "hold",
    holdId: id,
    walletId: key.walletId,
    keyId: key.id,
    budgetId: key.budgetId,
    logId,
    model,
    priceVersion,
    amount,
    minimum: minMicros(minimum, amount),
    budget: budgetOf(key.policy),
    atMs,
  };
  let taken: Applied<{ held: Micros }>;
  try {
    taken = await gateway.ledger.hold(command, { waitMs, signal });
  } catch (error) {
    // Where it may have landed all the same nobody knows of it, and it must not stay open. Where it
    // has not there is nothing to end: an outage must leave nothing behind for each who is refused.
    if (!(error instanceof StoreError) || error.mayHaveLanded) {
      const reason = "the store failed";
      gateway.settlementRetries.add({ kind: "void", holdId: id, reason, atMs }, error);
    }
    throw error;
  }
  if (!taken.ok) {
    return new ServiceFault(
      taken.refusal === "key_budget_exceeded" ? "key_budget_exceeded" : "insufficient_balance",
    );
  }
  // A hold that was given back for want of a place has begun nothing.
  if (!trace.hasBegun) {
    try {
      await requireKey(gateway, key);
    } catch (error) {
      letGo(gateway, id, "the key was changed");
      throw error;
    }
  }
  trace.holdIds.push(id);
  return { id, held: taken.value.held };
}

/** Throws where a key may not begin any more what it was let in for. */
async function requireKey({ keys, clock }: GatewayContext, key: KeyRecord): Promise<void> {
  const now = await keys.get(key.id);
  if (now === undefined || !serves(now, clock.nowMs())) throw new ServiceFault("invalid_api_key");
  if (now.policy === key.policy) return;
  if (JSON.stringify(now.policy) === JSON.stringify(key.policy)) return;
  throw new ServiceFault("conflict", {
    message: "The key's policy was changed while the request waited; send it again",
  });
}

/** Voids a hold. Not awaited: the next hold joins it in one commit. */
export function letGo(gateway: GatewayContext, holdId: string, reason: string): void {
  const ending = { kind: "void", holdId, reason, atMs: gateway.clock.nowMs() } as const;
  gateway.ledger.release(ending).catch((error) => gateway.settlementRetries.add(ending, error));
}
