import manifest from "../deno.json" with { type: "json" };
import type { ServeSettings } from "../config/settings.ts";
import { readCopyMark } from "../ports/store_copying.ts";
import { StoreError } from "../ports/store_error.ts";
import type { Stores } from "../ports/stores.ts";
import { openKvStores } from "../stores/kv/open.ts";
import { credentialsFileOf } from "../system/credentials.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { ServiceDeps } from "./assemble.ts";
import { migrationTeller } from "./banner.ts";
import type { ReadConfig } from "./seed_catalog.ts";

/**
 * Opens the stores that the settings name.
 *
 * @throws {StoreError} When they cannot be used, or are an unfinished copy.
 */
export async function openStores(...args: Parameters<typeof open>): Promise<Stores> {
  const stores = await open(...args);
  try {
    const mark = await readCopyMark(stores.settings);
    if (mark === undefined || mark.finished !== undefined) return stores;
    throw new StoreError(
      "The store is an unfinished copy: give the same `svc store copy` again, which goes on",
    );
  } catch (error) {
    await stores.close();
    throw error;
  }
}

async function open(
  { store, credentialsFile }: Pick<ServeSettings, "store" | "credentialsFile">,
  { clock, logger, print }: Pick<ServiceDeps, "clock" | "logger" | "print">,
  { config, telemetry }: {
    readonly config: ReadConfig | undefined;
    readonly telemetry: Telemetry;
  },
): Promise<Stores> {
  const retention = {
    logRetention: config?.retention,
    responseRetention: config?.responseRetention,
  };
  const onTried = telemetry.metrics.committed.bind(telemetry.metrics);
  if (store.kind === "postgres") {
    // Its driver is loaded only where it is used.
    const { openPostgresStores } = await import("../stores/postgres/open.ts");
    return await openPostgresStores(store.url, {
      ...{ clock, onTried, ...retention },
      onStatement: telemetry.metrics.statementEnded.bind(telemetry.metrics),
      onError: (error) => logger.warn("store_failing", { error: String(error) }),
      onApart: (aheadMs) => logger.warn("clock_apart", { aheadSeconds: aheadMs / 1_000 }),
    });
  }
  return await openKvStores(store.path, {
    ...{ nowMs: () => clock.nowMs(), onTried, ...retention },
    program: manifest.version,
    onMigration: migrationTeller(print),
    onGone: (message) => logger.error("store_gone", { message }),
    onDamage: (message) => logger.error("store_damaged", { message }),
    mark: credentialsFileOf(store, credentialsFile),
  });
}
