import type { AttemptOutcome } from "@svc/sdk/protocol";
import type { Condition, Incident } from "../../domain/notices/incident.ts";
import { BREAKER_FAILURES, refusesAccount } from "../../domain/routing/health.ts";

/** Time for which all attempts fail before an upstream counts as down, in milliseconds. */
export const DOWN_AFTER_MS = 10_000;
/** Time without a failure after which an upstream is up again, in milliseconds. */
export const UP_AFTER_MS = 30_000;
/**
 * Age of the last failure at which an instance no longer says that an upstream fails: nothing has
 * called it since, while other instances may reach it.
 */
const QUIET_MS = 15 * 60_000;

/** A reported attempt. */
export interface UpstreamAttempt {
  readonly upstream: string;
  readonly outcome: AttemptOutcome;
  readonly status?: number | undefined;
  readonly hadBegun: boolean;
}

interface Seen {
  /** Failures since the last success. */
  failures: number;
  firstFailureMs: number;
  lastFailureMs: number;
  lastOkMs: number;
  last: AttemptOutcome;
  /** True when the upstream refused the account since the last success. */
  isRefused: boolean;
}

/**
 * Outcomes of the attempts of this instance, one small record for each upstream.
 * Rate limits and what concerns one request only show nothing.
 */
export class UpstreamWatch {
  readonly #seen = new Map<string, Seen>();

  /** Notes an attempt. */
  note({ upstream, outcome, status }: UpstreamAttempt, nowMs: number): void {
    if (outcome === "cancelled" || outcome === "refused_input" || outcome === "rate_limited") {
      return;
    }
    let seen = this.#seen.get(upstream);
    if (seen === undefined) this.#seen.set(upstream, seen = unseen());
    if (outcome === "ok") {
      seen.failures = 0;
      seen.isRefused = false;
      seen.lastOkMs = nowMs;
      return;
    }
    if (seen.failures++ === 0) seen.firstFailureMs = nowMs;
    seen.lastFailureMs = nowMs;
    seen.last = outcome;
    if (refusesAccount({ outcome, status, ms: 0 })) seen.isRefused = true;
  }

  /** Returns the conditions of the upstreams of the catalog, and forgets all others. */
  conditions(upstreams: ReadonlySet<string>, nowMs: number): Condition[] {
    const conditions: Condition[] = [];
    for (const [id, seen] of this.#seen) {
      if (!upstreams.has(id)) this.#seen.delete(id);
      else conditions.push(...conditionsOf(id, seen, nowMs));
    }
    return conditions;
  }

  /** Returns a sentence when an incident of an upstream is over for this instance. */
  endOf(
    { subject, beganAtMs }: Incident,
    { upstreams, nowMs }: {
      readonly upstreams: ReadonlySet<string>;
      readonly nowMs: number;
    },
  ): string | undefined {
    if (!upstreams.has(subject)) return `Upstream "${subject}" is no longer in the catalog`;
    const seen = this.#seen.get(subject);
    if (seen === undefined || seen.failures > 0 || seen.lastOkMs < beganAtMs) return;
    if (nowMs - seen.lastFailureMs < UP_AFTER_MS) return;
    return `Upstream "${subject}" answers again`;
  }
}

function conditionsOf(id: string, seen: Seen, nowMs: number): Condition[] {
  const { failures, firstFailureMs, lastFailureMs, last, isRefused } = seen;
  if (nowMs - lastFailureMs > QUIET_MS) return [];
  const facts = { upstream: id, failures: String(failures), last };
  if (isRefused) {
    const text = `Upstream "${id}" refuses the gateway's credentials: check its API key`;
    return [{ kind: "upstream_refused", subject: id, text, facts }];
  }
  if (failures < BREAKER_FAILURES || nowMs - firstFailureMs < DOWN_AFTER_MS) return [];
  const text = `Upstream "${id}" is down: the last ${failures} attempts failed, the last with ` +
    last.replaceAll("_", " ");
  return [{ kind: "upstream_down", subject: id, text, facts }];
}

function unseen(): Seen {
  return {
    ...{ failures: 0, firstFailureMs: 0, lastFailureMs: 0, lastOkMs: 0 },
    ...{ last: "ok", isRefused: false },
  };
}
