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
import type { KeyHolderDeps } from "./deps.ts";

const DAY_MS = 86_400_000;
/** Maximum number of sums that wait for the one that is made. */
const WAITING_MAX = 16;
/** Time after which a refused sum may be asked for again, in milliseconds. */
const RETRY_MS = 2_000;

/** One request for usage. */
export interface UsageRequest {
  readonly query: OwnQuery<"usage">;
  /** Aborted when the caller disconnects, which ends the work. */
  readonly signal: AbortSignal;
}

/**
 * Sums the usage of keys from the journal. One sum is made at a time and few wait: a sum reads the
 * journal of its whole time, and key holders must not slow down each other's calls.
 */
export class OwnUsage {
  readonly #deps: Pick<KeyHolderDeps, "clock" | "ledger">;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(deps: Pick<KeyHolderDeps, "clock" | "ledger">) {
    this.#deps = deps;
  }

  /** Returns the usage of a key. Throws a {@linkcode ServiceFault} if too many sums are waiting. */
  async json(key: KeyRecord, request: UsageRequest): Promise<OwnAnswer<"usage">> {
    const range = this.#rangeOf(request.query);
    if (this.#waiting > WAITING_MAX) {
      throw new ServiceFault("rate_limit_exceeded", {
        message: "Many keys ask for their usage now; wait as long as Retry-After says",
        retryAfterMs: RETRY_MS,
      });
    }
    this.#waiting++;
    const summed = this.#last.then(() => this.#sum(key, { ...request, ...range }))
      .finally(() => void this.#waiting--);
    // A sum that fails must not end those after it.
    this.#last = summed.catch(() => undefined);
    const sums = await summed;
    const { by, limit, cursor } = request.query;
    const page = pageOf(sums.rows(), { limit, cursor });
    const usage = page.rows.map((row) => usageRowJson(by, row));
    return { by, usage, cursor: page.cursor };
  }

  async #sum(
    { id: keyId, walletId }: KeyRecord,
    { query, signal, ...range }: UsageRequest & {
      readonly sinceMs: number;
      readonly untilMs: number;
    },
  ): Promise<UsageSums> {
    const sums = new UsageSums(query.by, { tag: query.tag, user: query.user });
    if (signal.aborted) throw new CallerDisconnected();
    for await (const entry of this.#deps.ledger.entries({ ...range, walletId })) {
      if (signal.aborted) throw new CallerDisconnected();
      if (entry.op === "settle" && entry.key === keyId) sums.add(entry);
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
