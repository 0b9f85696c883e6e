import {
  type OwnAnswer,
  type OwnQuery,
  USAGE_DAYS,
  USAGE_DAYS_MAX,
} from "../admin_api/key_holder.ts";
import { pageOf } from "../admin/paging.ts";
import { usageRowJson, UsageSums } from "../admin/requests/usage_sums.ts";
import { ServiceFault } from "../domain/fault.ts";
import type { KeyRecord } from "../domain/policy/key.ts";
import { CallerDisconnected } from "../flows/request/caller_disconnected.ts";
import type { LedgerStore } from "../ports/ledger_store.ts";
import type { KeyHolderDeps } from "./deps.ts";

const DAY_MS = 86_400_000;
/** Maximum number of sums that wait for the one that is made. */
const WAITING_MAX = 16;
/** Maximum number of sums of one key, of those that wait and the one that is made. */
const SUMS_OF_ONE = 2;
/**
 * A call in flight while its key moves is charged to the former wallet, at most so much later, in
 * milliseconds.
 */
const FLIGHT_MS = 3_600_000;
/** Time after which a refused sum may be asked for again, in milliseconds. */
const RETRY_MS = 2_000;

/** Parts of the service that usage is summed from. */
type UsageDeps = Pick<KeyHolderDeps, "clock"> & { readonly ledger: Pick<LedgerStore, "entries"> };

/** One request for usage. */
export interface UsageRequest {
  readonly query: OwnQuery<"usage">;
  /** Aborted when the caller disconnects, which ends the work. */
  readonly signal: AbortSignal;
}

/**
 * Sums the usage of keys from the journal. One sum is made at a time and few wait, of each key the
 * fewest: a sum reads the journal of its whole time, and key holders must not slow down each other's
 * calls, or shut each other out.
 */
export class OwnUsage {
  readonly #deps: UsageDeps;
  #last: Promise<unknown> = Promise.resolve();
  /** Sums that wait or are made, by key. */
  readonly #open = new Map<string, number>();

  constructor(deps: UsageDeps) {
    this.#deps = deps;
  }

  /** Returns the usage of a key. Throws a {@linkcode ServiceFault} if too many sums are waiting. */
  async json(key: KeyRecord, request: UsageRequest): Promise<OwnAnswer<"usage">> {
    const range = this.#rangeOf(request.query);
    this.#enter(key);
    const summed = this.#last.then(() => this.#sum(key, { ...request, ...range }))
      .finally(() => this.#leave(key));
    // A sum that fails must not end those after it.
    this.#last = summed.catch(() => undefined);
    const sums = await summed;
    const { by, limit, cursor } = request.query;
    const page = pageOf(sums.rows(), { limit, cursor });
    const usage = page.rows.map((row) => usageRowJson(by, row));
    return { by, usage, cursor: page.cursor };
  }

  #enter({ id }: KeyRecord): void {
    const own = this.#open.get(id) ?? 0;
    const all = [...this.#open.values()].reduce((sum, count) => sum + count, 0);
    if (own >= SUMS_OF_ONE || all > WAITING_MAX) {
      const who = own >= SUMS_OF_ONE ? "This key asks too often" : "Many keys ask";
      throw new ServiceFault("rate_limit_exceeded", {
        message: `${who} for usage at the same time; wait as long as Retry-After says`,
        retryAfterMs: RETRY_MS,
      });
    }
    this.#open.set(id, own + 1);
  }

  #leave({ id }: KeyRecord): void {
    const remaining = (this.#open.get(id) ?? 1) - 1;
    if (remaining === 0) this.#open.delete(id);
    else this.#open.set(id, remaining);
  }

  async #sum(
    { id: keyId, walletId }: KeyRecord,
    { query, signal, sinceMs, untilMs }: UsageRequest & {
      readonly sinceMs: number;
      readonly untilMs: number;
    },
  ): Promise<UsageSums> {
    const sums = new UsageSums(query.by, { tag: query.tag, user: query.user });
    // A move is in the journal of the wallet that the key came to; it may be later than what is
    // summed. The set grows while it is gone through.
    const wallets = new Set([walletId]);
    for (const wallet of wallets) {
      if (signal.aborted) throw new CallerDisconnected();
      const range = { sinceMs: sinceMs - FLIGHT_MS, walletId: wallet };
      for await (const entry of this.#deps.ledger.entries(range)) {
        if (signal.aborted) throw new CallerDisconnected();
        if (entry.op === "move" && entry.moved === keyId) wallets.add(entry.from);
        if (entry.op !== "settle" || entry.key !== keyId) continue;
        if (entry.at >= sinceMs && entry.at <= untilMs) sums.add(entry);
      }
    }
    return sums;
  }

  #rangeOf({ since, until }: OwnQuery<"usage">): { sinceMs: number; untilMs: number } {
    const nowMs = this.#deps.clock.nowMs();
    const { sinceMs, untilMs } = {
      sinceMs: since ?? nowMs - USAGE_DAYS * DAY_MS,
      untilMs: until ?? nowMs,
    };
    if (sinceMs >= nowMs - USAGE_DAYS_MAX * DAY_MS) return { sinceMs, untilMs };
    throw new ServiceFault("invalid_request", {
      message: `Usage is summed for the last ${USAGE_DAYS_MAX} days; give a later time`,
      param: "since",
    });
  }
}
