import { ServiceFault } from "../../domain/fault.ts";
import { fileQuotaOf } from "../../domain/policy/file_quota.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KeyLimits } from "../admit/admission.ts";

/** Parts of the service that the rate of files uses. */
export interface FileRateDeps {
  readonly admission: Pick<KeyLimits, "admit" | "headers">;
  readonly clock: Pick<Clock, "nowMs">;
}

/**
 * The requests a minute that a key may make to files and vector stores. They are counted as the
 * limits of keys are, at all instances together, and apart from them: a client that polls takes
 * nothing from the key's model calls.
 */
export class FileRate {
  readonly #deps: FileRateDeps;

  constructor(deps: FileRateDeps) {
    this.#deps = deps;
  }

  /** Counts a request. Throws the fault `rate_limit_exceeded`, and counts nothing, beyond the limit. */
  async admit(key: KeyRecord): Promise<void> {
    const { admission, clock } = this.#deps;
    try {
      await admission.admit(countedApart(key), clock.nowMs());
    } catch (error) {
      if (!(error instanceof ServiceFault) || error.code !== "rate_limit_exceeded") throw error;
      const { requestsPerMinute } = fileQuotaOf(key.policy);
      throw new ServiceFault("rate_limit_exceeded", {
        message: `The key may make ${requestsPerMinute} requests a minute to files and vector ` +
          "stores; wait as long as Retry-After says",
        retryAfterMs: error.retryAfterMs,
        headers: this.headers(key),
      });
    }
  }

  /** Returns what is left of the rate, as OpenAI's `x-ratelimit-*` headers. */
  headers(key: KeyRecord): Readonly<Record<string, string>> {
    const { admission, clock } = this.#deps;
    return admission.headers(countedApart(key), clock.nowMs());
  }
}

/** Returns the key under the name and with the one limit that its requests to files count to. */
function countedApart(key: KeyRecord): KeyRecord {
  const { requestsPerMinute } = fileQuotaOf(key.policy);
  return { ...key, id: `files ${key.id}`, policy: { requestsPerMinute } };
}
