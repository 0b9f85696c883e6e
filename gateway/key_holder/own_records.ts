import { OWN_READS_PER_MINUTE, type OwnAnswer, type OwnQuery } from "../admin_api/key_holder.ts";
import type { KeyRecord } from "../domain/policy/key.ts";
import { MinuteQuota } from "../flows/admit/minute_quota.ts";
import type { KeyHolderDeps } from "./deps.ts";
import { ownKeyJson } from "./own_key.ts";
import { ownRequestJson, ownRequestsJson } from "./own_requests.ts";
import { OwnUsage, type UsageRequest } from "./own_usage.ts";

/**
 * The records of a key for its holder, by whatever way the holder comes. Reads only, and never shows
 * text of a call.
 */
export class OwnRecords {
  readonly #deps: KeyHolderDeps;
  readonly #usage: OwnUsage;
  readonly #quota: MinuteQuota;

  constructor(deps: KeyHolderDeps) {
    this.#deps = deps;
    this.#usage = new OwnUsage(deps);
    this.#quota = new MinuteQuota({
      ...{ clock: deps.clock, limit: OWN_READS_PER_MINUTE },
      message: `A key may ask for its records ${OWN_READS_PER_MINUTE} times a minute`,
    });
  }

  /** The present time, in Unix milliseconds. */
  get nowMs(): number {
    return this.#deps.clock.nowMs();
  }

  /**
   * Counts a request for records, whatever the key's policy says. Throws a {@linkcode ServiceFault}
   * if there are too many.
   */
  count(key: KeyRecord): void {
    this.#quota.take(key);
  }

  /** Returns the key itself. */
  key(key: KeyRecord): Promise<OwnAnswer<"key">> {
    return ownKeyJson(key, this.#deps);
  }

  /** Returns sums of the usage. */
  usage(key: KeyRecord, request: UsageRequest): Promise<OwnAnswer<"usage">> {
    return this.#usage.json(key, request);
  }

  /** Returns a page of the requests. */
  requests(key: KeyRecord, query: OwnQuery<"requests">): Promise<OwnAnswer<"requests">> {
    return ownRequestsJson(key, query, this.#deps);
  }

  /** Returns one request, by the id of its row or as the caller named it. */
  request(key: KeyRecord, id: string): Promise<OwnAnswer<"request">> {
    return ownRequestJson(key, id, this.#deps);
  }
}
