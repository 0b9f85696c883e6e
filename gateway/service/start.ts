/**
 * Puts the service together: stores, catalog, pool, listeners; and takes it apart again.
 *
 * @module
 */

import manifest from "../deno.json" with { type: "json" };
import type { Catalog, CatalogContent } from "../domain/catalog/catalog.ts";
import type { GatewayContext } from "../flows/context.ts";
import { AdminTokens } from "../flows/keys/admin_tokens.ts";
import { KeyRing } from "../flows/keys/key_ring.ts";
import { LowBalances } from "../flows/settle/low_balances.ts";
import type { Peppers } from "../flows/keys/peppers.ts";
import { SignedLinks } from "../flows/images/signed_links.ts";
import { type KvStores, openKvStores } from "../stores/kv/open.ts";
import { Telemetry } from "../telemetry/telemetry.ts";
import { firstStartLines, migrationTeller, startLines } from "./banner.ts";
import { CredentialsFile, credentialsPath } from "../system/credentials.ts";
import { FIRST_TIER, type FirstSecrets, firstStart, firstStartShown } from "./first_start.ts";
import { placeSecrets } from "./first_secrets.ts";
import { Gate } from "./gate.ts";
import { gatewayOf, type House, poolOf, type ServiceDeps, vectorStoresOf } from "./assemble.ts";
import { openListeners, type Server, type Servers, urlOf } from "./listeners.ts";
import { PepperBook } from "../flows/keys/pepper_book.ts";
import { unreadableKeys } from "../config/permissions.ts";
import { readCatalogText, seedCatalog } from "./seed_catalog.ts";
import type { ServeSettings } from "../config/settings.ts";

export type { ServiceDeps } from "./assemble.ts";

/** Time that streams under way get to finish during a shutdown, in milliseconds. */
export const SHUTDOWN_GRACE_MS = 30_000;
/** Time that listeners get to close when no request is under way: a client may not read its answer. */
const LISTENER_CLOSE_MS = 2_000;
/** A service that answers. */
export interface RunningService {
  readonly publicUrl: string;
  readonly adminUrl: string;
  /** Of the listener for metrics alone; absent where there is none. */
  readonly metricsUrl: string | undefined;
  readonly gateway: GatewayContext;
  readonly stores: KvStores;
  /** Leaves out upstreams whose credentials this process can no longer read, and says so. */
  recheckUpstreams(): void;
  /** Takes no new request, lets those under way finish and settle, closes everything. */
  stop(options?: { graceMs?: number }): Promise<void>;
}

/** Starts the service. Throws where it cannot, with a sentence for the operator. */
export async function startService(
  settings: ServeSettings,
  deps: ServiceDeps,
): Promise<RunningService> {
  const config = await readCatalogText(settings);
  const telemetry = deps.telemetry ?? new Telemetry();
  const stores = await openKvStores(settings.kvPath, {
    nowMs: () => deps.clock.nowMs(),
    logRetention: config?.retention,
    responseRetention: config?.responseRetention,
    program: manifest.version,
    onMigration: migrationTeller(deps.print),
    onGone: (message) => deps.logger.error("store_gone", { message }),
    onDamage: (message) => deps.logger.error("store_damaged", { message }),
    mark: credentialsPath(settings.kvPath),
    onTried: (commit) => telemetry.metrics.committed(commit),
  }).catch((error) => {
    telemetry.close();
    throw error;
  });
  try {
    return await assemble(settings, deps, { stores, telemetry, config: config?.content });
  } catch (error) {
    telemetry.close();
    await stores.close();
    throw error;
  }
}

async function assemble(
  settings: ServeSettings,
  deps: ServiceDeps,
  parts: { stores: KvStores; telemetry: Telemetry; config: CatalogContent | undefined },
): Promise<RunningService> {
  const { clock, logger } = deps;
  const { stores, telemetry } = parts;
  const pepperBook = await PepperBook.open({ ...stores, clock }, {
    current: settings.keyPepper,
    previous: settings.keyPepperPrevious,
  });
  const { peppers } = pepperBook;
  const keyRing = new KeyRing(peppers, { keys: stores.keys, clock, logger });
  const seeded = await seedCatalog(stores.catalogs, { config: parts.config, env: deps.env, clock });
  const pool = poolOf(seeded.catalog, deps, telemetry);
  // Links are made for whoever reads them later: the address is known when the port is.
  let shownUrl = settings.publicUrl ?? "";
  const links = new SignedLinks({ peppers, baseUrl: () => shownUrl });
  const vectorStores = vectorStoresOf(stores, deps);
  const gateway = gatewayOf(stores, { pool, links, vectorStores, deps, telemetry });
  const tiers = seeded.catalog.tiers;
  const secrets = await firstStart({
    ...stores,
    ...{ keyRing, peppers, clock },
    tier: (tiers.find((tier) => tier.id === FIRST_TIER) ?? tiers[0])?.id ?? FIRST_TIER,
    adminToken: settings.adminToken,
    bootstrapKey: settings.bootstrapKey,
  });
  const adminTokens = await openAdminTokens(settings, deps, { stores, peppers });
  const gate = new Gate(deps.rng);
  const credentials = new CredentialsFile(credentialsPath(settings.kvPath));
  const house: House = {
    ...{ settings, deps, stores, pool, keyRing, pepperBook, adminTokens, credentials },
    ...{ links, gateway, vectorStores, gate, telemetry },
    lowBalances: new LowBalances(stores.settings),
    publicUrl: () => shownUrl,
  };
  const servers = await openListeners(house);
  const [adminUrl, metricsUrl] = [urlOf(servers.admin.addr), metricsUrlOf(servers)];
  shownUrl ||= urlOf(servers.public.addr);
  const adminToken = secrets?.adminToken ?? settings.adminToken;
  await credentials.refresh({ url: adminUrl, adminToken });
  if (secrets !== undefined) await handOver(secrets, house);
  sayStarted(house, { publicUrl: shownUrl, adminUrl, metricsUrl, seeded });
  gate.open();
  let stopping: Promise<void> | undefined;
  return {
    publicUrl: shownUrl,
    adminUrl,
    metricsUrl,
    gateway,
    stores,
    recheckUpstreams: () => recheckUpstreams(house),
    stop: ({ graceMs = SHUTDOWN_GRACE_MS } = {}) =>
      stopping ??= stop(house, Object.values(servers), graceMs),
  };
}

function recheckUpstreams({ pool, stores, deps: { env, logger } }: House): void {
  const catalog = stores.catalogs.current();
  for (const { upstream, variable } of unreadableKeys(catalog.upstreams, env)) {
    const message =
      `Upstream "${upstream}" has no credentials: their file cannot be read once the ` +
      `service has started; start with --allow-read of the file that ${variable} names, besides`;
    logger.warn("upstream_without_credentials", { upstream, variable, message });
  }
  pool.apply(catalog);
}

/** Throws where the token given to this start opens the public API: the classes never mix. */
async function openAdminTokens(
  { adminToken: given }: ServeSettings,
  { logger }: ServiceDeps,
  { stores, peppers }: { stores: KvStores; peppers: Peppers },
): Promise<AdminTokens> {
  const { keys, settings } = stores;
  if (given !== undefined) {
    const digests = peppers.digests(given);
    // One that is disabled counts as well: it may be enabled.
    if ((await keys.listStored()).some(({ digest }) => digests.includes(digest))) {
      throw new Error("Cannot use this SERVICE_ADMIN_TOKEN: it is an API key; choose another");
    }
  }
  return await AdminTokens.open({ settings, peppers, logger, given });
}

/** Hands the secrets of a first start to the operator, before anybody is answered. */
async function handOver(secrets: FirstSecrets, house: House): Promise<void> {
  const { deps, settings, stores, publicUrl } = house;
  const isTerminal = deps.isTerminal ?? false;
  const places = await placeSecrets(secrets, settings, { isTerminal });
  deps.print(firstStartLines(places, publicUrl()));
  await firstStartShown(stores.settings, deps.clock);
}

function metricsUrlOf({ metrics }: Servers): string | undefined {
  return metrics && `${urlOf(metrics.addr)}/metrics`;
}

function sayStarted(
  { deps, settings }: House,
  started: {
    readonly publicUrl: string;
    readonly adminUrl: string;
    readonly metricsUrl: string | undefined;
    readonly seeded: { readonly catalog: Catalog; readonly sentence: string };
  },
): void {
  const { seeded, ...urls } = started;
  deps.print(startLines({
    version: manifest.version,
    ...urls,
    adminUrls: settings.adminUrls,
    store: settings.kvPath,
    upstreams: seeded.sentence,
    catalogVersion: seeded.catalog.version,
  }));
}

async function stop(house: House, servers: readonly Server[], graceMs: number): Promise<void> {
  const { adminTokens, gate, gateway, keyRing, pool, stores, vectorStores } = house;
  // The listeners stay open meanwhile, so that new requests and probes are told why not.
  gate.close();
  const grace = setTimeout(() => gateway.inFlight.abortAll(), graceMs);
  await gateway.inFlight.idle();
  clearTimeout(grace);
  await within(Promise.all(servers.map((server) => server.shutdown())), LISTENER_CLOSE_MS);
  await gateway.settlementRetries.close();
  await Promise.all([keyRing.idle(), adminTokens.idle()]);
  house.credentials.close();
  pool.close();
  await vectorStores.close();
  await stores.close();
  house.telemetry.close();
}

/** Waits for a promise, but no longer than so many milliseconds. */
async function within(promise: Promise<unknown>, ms: number): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise, over]);
  clearTimeout(timer);
}
