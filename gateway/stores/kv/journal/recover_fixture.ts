import { assertEquals } from "@std/assert";
import type { HoldCommand, ProgressCommand } from "../../../domain/ledger/ledger.ts";
import type { RequestRecord } from "../../../ports/request_log.ts";
import { type KvStores, openKvStores } from "../open.ts";
import { KILLED_ROWS } from "../rows.ts";

export const NO_WAIT = { waitMs: 0 };
export const RESTARTED_MS = 9_000;

/** Takes a hold for a request of its own. */
export function hold(holdId: string, amount = 10n): HoldCommand {
  const call = { walletId: "w", keyId: "k", logId: `log_${holdId}`, model: "m", priceVersion: 1 };
  return { kind: "hold", holdId, ...call, amount, minimum: amount, budget: {}, atMs: 1_000 };
}

/** The checkpoint of a call. */
export function progress(holdId: string, cost: bigint): ProgressCommand {
  const tokens = { inputTokens: 5, cachedInputTokens: 1, outputTokens: Number(cost) };
  return { kind: "progress", holdId, cost, ...tokens, atMs: 4_000 };
}

/** The row of a request without a charge. */
export function row(holdId: string): RequestRecord {
  return {
    ...{ id: `log_${holdId}`, requestId: `req-${holdId}`, atMs: 500, keyId: "k", walletId: "w" },
    ...{ endpoint: "chat", stream: true, status: 200, outcome: "killed", durationMs: 1 },
    ...{ holdIds: [holdId], charged: "0.000000", estimated: false },
    ...{ inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
  };
}

/** Opens wallet `w` with credits. */
export async function fund({ ledger }: KvStores, amount = 1_000_000n): Promise<void> {
  await ledger.open({ kind: "open", walletId: "w", tier: "standard", atMs: 1 });
  const credit = { kind: "credit", opId: "seed", walletId: "w", note: "", atMs: 1 } as const;
  await ledger.credit({ ...credit, amount });
}

/**
 * A database that outlives the stores on it, as a file does; an abandoned store counts as killed.
 */
export class Disk implements AsyncDisposable {
  readonly #kv: Deno.Kv;
  readonly #close: () => void;
  readonly #stores: KvStores[] = [];
  /** Commits that still succeed. */
  commitsLeft = Infinity;

  private constructor(kv: Deno.Kv) {
    this.#kv = kv;
    this.#close = kv.close.bind(kv);
    kv.close = () => {};
    const atomic = kv.atomic.bind(kv);
    kv.atomic = () => {
      const operation = atomic();
      const commit = operation.commit.bind(operation);
      operation.commit = () => {
        if (this.commitsLeft-- > 0) return commit();
        return Promise.reject(new Error("the power is off"));
      };
      return operation;
    };
  }

  static async make(): Promise<Disk> {
    return new Disk(await Deno.openKv(":memory:"));
  }

  async open(): Promise<KvStores> {
    const openKv = () => Promise.resolve(this.#kv);
    const stores = await openKvStores(":memory:", { openKv, nowMs: () => RESTARTED_MS });
    this.#stores.push(stores);
    return stores;
  }

  /** Returns the number of rows stored for the case that the gateway dies. */
  async killedRows(): Promise<number> {
    let rows = 0;
    for await (const _ of this.#kv.list({ prefix: KILLED_ROWS })) rows++;
    return rows;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stores of this.#stores.reverse()) await stores.close();
    this.#close();
  }
}

/** Asserts that the books verify, without an open hold. */
export async function assertRight(stores: KvStores): Promise<void> {
  const { problems, openHolds } = await stores.verify();
  assertEquals([problems, openHolds], [[], 0]);
}
