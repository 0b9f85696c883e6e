import { ServiceFault } from "../../domain/fault.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import { type HoldDeps, takeHold, voidHold } from "../call/take_hold.ts";
import type { ActiveRequest } from "../request/active_request.ts";

/**
 * Holds for calls that may follow, so that no other request can take their credits meanwhile. One
 * is given back immediately before its call takes a hold of its own.
 */
export class AdvanceHolds {
  readonly #deps: HoldDeps;
  readonly #active: ActiveRequest;
  /** Open holds by model. */
  readonly #holds = new Map<string, string>();

  constructor(deps: HoldDeps, active: ActiveRequest) {
    this.#deps = deps;
    this.#active = active;
  }

  /**
   * Takes the full price of a call of each model; returns false, and holds nothing, if the
   * wallet or the key's budget lacks it. Throws if the store fails, or the key may no longer be used.
   */
  async take(candidates: readonly Candidate[]): Promise<boolean> {
    const holds = await Promise.allSettled(
      candidates.map(async ({ model, price, holdAmount }) => {
        const hold = await takeHold(this.#deps, this.#active, {
          model: model.id,
          priceVersion: price.version,
          amount: holdAmount,
          minimum: holdAmount,
          waitMs: 0,
        });
        if (hold instanceof ServiceFault) return false;
        this.#holds.set(model.id, hold.id);
        return true;
      }),
    );
    const failure = holds.find((hold) => hold.status === "rejected");
    const isWhole = holds.every((hold) => hold.status === "fulfilled" && hold.value);
    if (!isWhole) this.releaseAll();
    if (failure !== undefined) throw failure.reason;
    return isWhole;
  }

  /** Voids the hold for a model, if there is one. */
  release({ model: { id } }: Candidate): void {
    const holdId = this.#holds.get(id);
    if (holdId === undefined) return;
    this.#holds.delete(id);
    voidHold(this.#deps, holdId, "held for a call that is not needed or begins now");
  }

  /** Voids all holds. */
  releaseAll(): void {
    for (const holdId of this.#holds.values()) {
      voidHold(this.#deps, holdId, "held for a call that is not needed");
    }
    this.#holds.clear();
  }
}
