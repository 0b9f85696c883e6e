import { ServiceFault } from "../domain/fault.ts";
import type { Peppers } from "../flows/keys/peppers.ts";
import type { Stores } from "../ports/stores.ts";
import { afterMs } from "../system/deadlines.ts";
import type { UpstreamPool } from "../upstreams/pool.ts";
import type { Gate } from "./gate.ts";

/**
 * Time that a successful probe counts for all callers, in milliseconds: each probe writes to the
 * store.
 */
const PROBE_VALID_MS = 1_000;
/** Maximum wait for the store, in milliseconds. */
const STORE_PATIENCE_MS = 5_000;

/** The parts that readiness depends on. */
export interface ReadinessParts {
  readonly gate: Pick<Gate, "closing">;
  readonly stores: Pick<Stores, "health" | "trouble" | "probe">;
  readonly pool: Pick<UpstreamPool, "isUsable">;
  readonly peppers: Pick<Peppers, "isIncomplete">;
}

/** Checks, by writing to the store, that requests can be served. */
export class ServiceReadiness {
  readonly #parts: ReadinessParts;
  #probedAtMs = -Infinity;
  #probing: Promise<ServiceFault | undefined> | undefined;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  /** Returns the reason why requests cannot be served now; `undefined` if they can. */
  async unready(): Promise<ServiceFault | undefined> {
    const { gate, peppers, pool, stores } = this.#parts;
    if (gate.closing.aborted) return new ServiceFault("shutting_down");
    if (stores.health() === "lost") return unwritable("Another process has taken over the store");
    const trouble = await stores.trouble();
    if (trouble !== undefined) return unwritable(trouble);
    if (peppers.isIncomplete) return unwritable("A pepper of the keys was not given");
    if (!pool.isUsable) {
      return new ServiceFault("no_model_available", { message: "No upstream has credentials" });
    }
    const isFresh = stores.health() === "ok" &&
      performance.now() - this.#probedAtMs < PROBE_VALID_MS;
    if (this.#probing === undefined && isFresh) return undefined;
    this.#probing ??= probed(stores).finally(() => this.#probing = undefined);
    const fault = await this.#probing;
    if (fault === undefined) this.#probedAtMs = performance.now();
    return fault;
  }
}

function probed(stores: Pick<Stores, "probe">): Promise<ServiceFault | undefined> {
  return new Promise((resolve) => {
    const message = "The store does not answer";
    const callOff = afterMs(STORE_PATIENCE_MS, () => resolve(unwritable(message)));
    stores.probe().then(
      () => resolve(undefined),
      (cause) => resolve(unwritable("Nothing can be written to the store", cause)),
    ).finally(callOff);
  });
}

function unwritable(message: string, cause?: unknown): ServiceFault {
  return new ServiceFault("store_unavailable", { message, cause });
}
