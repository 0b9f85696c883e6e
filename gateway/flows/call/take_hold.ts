/**
 * Holds of one request: taken before any paid call, and voided if the call delivers nothing.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import { type KeyRecord, serves } from "../../domain/policy/key.ts";
import type { HoldCommand, VoidCommand } from "../../domain/ledger/ledger.ts";
import { budgetText } from "../../domain/ledger/budgets.ts";
import { summedUser } from "../../domain/requests/attribution.ts";
import { type Micros, minMicros } from "../../domain/ledger/money.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KeyStore } from "../../ports/key_store.ts";
import type { Applied, LedgerStore } from "../../ports/ledger_store.ts";
import type { Rng } from "../../ports/rng.ts";
import { StoreError } from "../../ports/store_error.ts";
import { budgetOf, namedBudgetsOf } from "../plan/spending_cap.ts";
import type { ActiveRequest } from "../request/active_request.ts";

/** Longest wait for open holds of the same wallet to settle, in milliseconds. */
export const HOLD_WAIT_MS = 10_000;

/** Parts of the service that voiding a hold uses. */
export interface VoidDeps {
  readonly clock: Pick<Clock, "nowMs">;
  readonly ledger: Pick<LedgerStore, "voidHold">;
  readonly settlementRetries: { add(ending: VoidCommand, cause: unknown): void };
}

/** Parts of the service that taking a hold uses. */
export type HoldDeps = VoidDeps & {
  /** Store of the keys, which may change while a request waits. */
  readonly keys: Pick<KeyStore, "get">;
  readonly ledger: Pick<LedgerStore, "hold">;
  readonly rng: Pick<Rng, "id">;
};

/** The purpose of a hold, and its bounds. */
export interface HoldPurpose {
  /** Catalog id of the model, or the name of a hosted tool. */
  readonly model: string;
  readonly priceVersion: number;
  readonly amount: Micros;
  /** Minimum useful amount, for a wallet that has less than `amount`. */
  readonly minimum: Micros;
  /** Longest wait for other holds to return, in milliseconds. */
  readonly waitMs: number;
  /** Aborted when the hold is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

/** A hold that is open. */
export interface TakenHold {
  readonly id: string;
  readonly held: Micros;
}

/**
 * Takes a hold, which is durable when the promise resolves; a refusal is a value. Throws if the store
 * fails. Also throws if the key was revoked or narrowed while a request waited that has begun nothing;
 * a request that has begun goes on to its end.
 */
export async function takeHold(
  deps: HoldDeps,
  active: ActiveRequest,
  purpose: HoldPurpose,
): Promise<TakenHold | ServiceFault> {
  const { key, identity: { logId, attribution } } = active;
  const { model, priceVersion, amount, minimum, waitMs, signal } = purpose;
  const id = deps.rng.id("hold");
  const atMs = deps.clock.nowMs();
  const command: HoldCommand = {
    kind: "hold",
    holdId: id,
    walletId: key.walletId,
    keyId: key.id,
    budgetId: key.budgetId,
    logId,
    ...attribution !== undefined && { user: summedUser(attribution), tags: attribution.tags },
    model,
    priceVersion,
    amount,
    minimum: minMicros(minimum, amount),
    budget: budgetOf(key.policy),
    named: namedBudgetsOf(key.policy, attribution),
    atMs,
  };
  let applied: Applied<{ held: Micros }>;
  try {
    applied = await deps.ledger.hold(command, { waitMs, signal });
  } catch (error) {
    // A hold that may have landed has no owner and must not stay open. If it cannot have landed, there
    // is nothing to void: an outage must not leave one retry for each refused request.
    if (!(error instanceof StoreError) || error.mayHaveLanded) {
      const reason = "the store failed";
      deps.settlementRetries.add({ kind: "void", holdId: id, reason, atMs }, error);
    }
    throw error;
  }
  if (!applied.ok) {
    const { refusal, budget } = applied;
    const isOwn = refusal === "key_budget_exceeded" || refusal === "wallet_closed";
    return new ServiceFault(isOwn ? refusal : "insufficient_balance", {
      message: budget === undefined ? undefined : `${budgetText(budget)} cannot cover this request`,
    });
  }
  // A request whose earlier holds were all voided because no lease was free has not begun.
  if (!active.hasBegun) {
    try {
      const now = deps.keys.get(key.id);
      requireKey(now instanceof Promise ? await now : now, key, deps.clock.nowMs());
    } catch (error) {
      voidHold(deps, id, "the key was changed");
      throw error;
    }
  }
  active.report.noteHold(id);
  return { id, held: applied.value.held };
}

/** Throws if a key may no longer begin the request that it was admitted for. */
function requireKey(now: KeyRecord | undefined, key: KeyRecord, nowMs: number): void {
  if (now === undefined || !serves(now, nowMs)) throw new ServiceFault("invalid_api_key");
  if (now.policy === key.policy) return;
  if (JSON.stringify(now.policy) === JSON.stringify(key.policy)) return;
  throw new ServiceFault("conflict", {
    message: "The key's policy was changed while the request waited; send it again",
  });
}

/** Voids a hold. It is not awaited, so that the next hold can join it in one commit. */
export function voidHold(deps: VoidDeps, holdId: string, reason: string): void {
  const ending = { kind: "void", holdId, reason, atMs: deps.clock.nowMs() } as const;
  deps.ledger.voidHold(ending).catch((error) => deps.settlementRetries.add(ending, error));
}
