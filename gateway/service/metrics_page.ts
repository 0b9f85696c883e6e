/**
 * The page `/metrics` of a service: its counters and its current state.
 *
 * @module
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type { MetricsPage } from "../admin/deps.ts";
import type { LedgerChecks } from "../telemetry/ledger_checks.ts";
import { StateMetrics } from "../telemetry/state_metrics.ts";
import type { Service } from "./assemble.ts";

/** Returns the page, for the operator and for holders of the token for metrics. */
export function metricsPage(
  { deps, settings, stores, pool, gateway, telemetry, lowBalances }: Service,
  checks: LedgerChecks,
): MetricsPage {
  const { clock } = deps;
  telemetry.state = new StateMetrics({
    nowMs: () => clock.nowMs(),
    startedMs: clock.nowMs(),
    catalog: () => stores.catalogs.current(),
    pool,
    ledger: stores.ledger,
    lowBalances,
    requestsInFlight: () => gateway.inFlight.count,
    settlementRetries: () => gateway.settlementRetries.size,
    store: stores,
    verified: () => checks.last,
  });
  const { metricsToken } = settings;
  const expected = metricsToken === undefined ? undefined : digest(metricsToken);
  return {
    page: () => {
      telemetry.metrics.expect(stores.catalogs.current().models);
      return telemetry.page();
    },
    needsToken: expected !== undefined,
    admits: (secret) => expected !== undefined && timingSafeEqual(digest(secret), expected),
  };
}

/** Returns a digest of fixed length, whatever the length of the token. */
function digest(secret: string): Uint8Array {
  return createHash("sha256").update(secret).digest();
}
