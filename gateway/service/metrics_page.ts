/**
 * `/metrics` of a service: what was counted, and the state that it is in.
 *
 * @module
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type { MetricsPage } from "../admin/deps.ts";
import type { LedgerChecks } from "../telemetry/ledger_checks.ts";
import { StateMetrics } from "../telemetry/state_metrics.ts";
import type { House } from "./assemble.ts";

/** The page, for the operator and for who has the token that opens nothing else. */
export function metricsPage(
  { deps, settings, stores, pool, gateway, telemetry, lowBalances }: House,
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

/** Of one length, whatever was presented. */
function digest(secret: string): Uint8Array {
  return createHash("sha256").update(secret).digest();
}
