/**
 * Assembles the service from stores, catalog, pool and listeners, and stops it.
 *
 * @module
 */

import manifest from "../deno.json" with { type: "json" };
import type { Catalog, CatalogContent } from "../domain/catalog/catalog.ts";
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
import {
  gatewayOf,
  type GatewayParts,
  learningOf,
  poolOf,
  type Service,
  type ServiceDeps,
  vectorStoresOf,
} from "./assemble.ts";
import { openListeners, type Server, type Servers, urlOf } from "./listeners.ts";
import { PepperBook } from "../flows/keys/pepper_book.ts";
import { unreadableKeys } from "../config/permissions.ts";
import { readCatalogText, seedCatalog } from "./seed_catalog.ts";
import type { ServeSettings } from "../config/settings.ts";
import { type Learning, SNAPSHOT_INTERVAL_MS } from "../flows/learn/learning.ts";

export type { ServiceDeps } from "./assemble.ts";

/** Time that streams in flight have to finish during a shutdown, in milliseconds. */
export const SHUTDOWN_GRACE_MS = 30_000;
/**
 * Time that listeners have to close when no request is in flight, in milliseconds: a client may not
 * read its answer.
 */
const LISTENER_CLOSE_MS = 2_000;
/** A running service. */
export interface RunningService {
  readonly publicUrl: string;
  readonly adminUrl: string;
  /** Address of the separate listener for metrics; absent if there is none. */
  readonly metricsUrl: string | undefined;
  readonly gateway: GatewayParts;
  readonly learning: Learning;
  readonly stores: KvStores;
  /** Leaves out upstreams whose credentials this process can no longer read, and logs them. */
  recheckUpstreams(): void;
  /** Refuses new requests, lets those in flight finish and settle, and closes everything. */
  stop(options?: { graceMs?: number }): Promise<void>;
}

/** Starts the service. Throws an error with a sentence for the operator if it cannot. */
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
    return await assembleService(settings, deps, {
      stores,
      telemetry,
      config: config?.content,
      notices: config?.notices ?? [],
    });
  } catch (error) {
    telemetry.close();
    await stores.close();
    throw error;
  }
}

/** Parts that are opened before the service is assembled. */
interface OpenedParts {
  readonly stores: KvStores;
  readonly telemetry: Telemetry;
  readonly config: CatalogContent | undefined;
  /** Sentences about settings of an earlier version in the configuration file. */
  readonly notices: readonly string[];
}

async function assembleService(
  settings: ServeSettings,
  deps: ServiceDeps,
  parts: OpenedParts,
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
  // Links are created for later readers: the address is known when the port is.
  let shownUrl = settings.publicUrl ?? "";
  const links = new SignedLinks({ peppers, baseUrl: () => shownUrl });
  const vectorStores = vectorStoresOf(stores, deps);
  const learning = await learningOf(stores, deps, deps.rng.id("routing"));
  const gateway = gatewayOf(stores, { pool, links, vectorStores, deps, telemetry, learning });
  const { adminToken: configuredToken, bootstrapKey } = settings;
  const secrets = await firstStart({
    ...stores,
    ...{ keyRing, peppers, clock, tier: firstTierOf(seeded.catalog), bootstrapKey },
    adminToken: configuredToken,
  });
  const adminTokens = await openAdminTokens(settings, deps, { stores, peppers });
  const gate = new Gate(deps.rng);
  const credentials = new CredentialsFile(credentialsPath(settings.kvPath));
  const service: Service = {
    ...{ settings, deps, stores, pool, keyRing, pepperBook, adminTokens, credentials },
    ...{ links, gateway, vectorStores, gate, telemetry, learning },
    lowBalances: new LowBalances(stores.settings),
    publicUrl: () => shownUrl,
  };
  const servers = await openListeners(service);
  const [adminUrl, metricsUrl] = [urlOf(servers.admin.addr), metricsUrlOf(servers)];
  shownUrl ||= urlOf(servers.public.addr);
  await credentials.refresh({ url: adminUrl, adminToken: secrets?.adminToken ?? configuredToken });
  if (secrets !== undefined) await handOver(secrets, service);
  const notices = [...parts.notices, ...stores.catalogs.notices()];
  sayStarted(service, { publicUrl: shownUrl, adminUrl, metricsUrl, seeded, notices });
  gate.open();
  return runningService(service, servers, { publicUrl: shownUrl, adminUrl, metricsUrl });
}

/** Returns a service whose listeners are open, and takes its snapshots until it stops. */
function runningService(
  service: Service,
  servers: Servers,
  urls: Pick<RunningService, "publicUrl" | "adminUrl" | "metricsUrl">,
): RunningService {
  const { gateway, learning, stores } = service;
  const stopSnapshots = takeSnapshots(service);
  let stopping: Promise<void> | undefined;
  return {
    ...urls,
    ...{ gateway, learning, stores },
    recheckUpstreams: () => recheckUpstreams(service),
    stop: ({ graceMs = SHUTDOWN_GRACE_MS } = {}) => {
      stopSnapshots();
      return stopping ??= stop(service, Object.values(servers), graceMs);
    },
  };
}

/** Takes the next snapshot at intervals; returns a function that ends that. */
function takeSnapshots({ learning }: Pick<Service, "learning">): () => void {
  const timer = setInterval(() => void learning.take(), SNAPSHOT_INTERVAL_MS);
  Deno.unrefTimer(timer);
  return () => clearInterval(timer);
}

/** Returns the tier of the wallet that a first start creates. */
function firstTierOf({ tiers }: Catalog): string {
  return (tiers.find((tier) => tier.id === FIRST_TIER) ?? tiers[0])?.id ?? FIRST_TIER;
}

function recheckUpstreams({ pool, stores, deps: { env, logger } }: Service): void {
  const catalog = stores.catalogs.current();
  for (const { upstream, variable } of unreadableKeys(catalog.upstreams, env)) {
    const message =
      `Upstream "${upstream}" has no credentials: their file cannot be read once the ` +
      `service has started; start with --allow-read of the file that ${variable} names, besides`;
    logger.warn("upstream_without_credentials", { upstream, variable, message });
  }
  pool.apply(catalog);
}

/** Throws if the admin token of this start is also an API key: the two classes are separate. */
async function openAdminTokens(
  { adminToken: startToken }: ServeSettings,
  { logger }: ServiceDeps,
  { stores, peppers }: { stores: KvStores; peppers: Peppers },
): Promise<AdminTokens> {
  const { keys, settings } = stores;
  if (startToken !== undefined) {
    // A disabled key counts as well: it may be enabled again.
    if (await keys.hasDigest(...peppers.digests(startToken))) {
      throw new Error("Cannot use this SERVICE_ADMIN_TOKEN: it is an API key; choose another");
    }
  }
  return await AdminTokens.open({ settings, peppers, logger, startToken });
}

/** Delivers the secrets of a first start to the operator, before any request is answered. */
async function handOver(secrets: FirstSecrets, service: Service): Promise<void> {
  const { deps, settings, stores, publicUrl } = service;
  const isTerminal = deps.isTerminal ?? false;
  const places = await placeSecrets(secrets, settings, { isTerminal });
  deps.print(firstStartLines(places, publicUrl()));
  await firstStartShown(stores.settings, deps.clock);
}

function metricsUrlOf({ metrics }: Servers): string | undefined {
  return metrics && `${urlOf(metrics.addr)}/metrics`;
}

function sayStarted(
  { deps, settings }: Service,
  started: {
    readonly publicUrl: string;
    readonly adminUrl: string;
    readonly metricsUrl: string | undefined;
    readonly seeded: { readonly catalog: Catalog; readonly sentence: string };
    readonly notices: readonly string[];
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

async function stop(service: Service, servers: readonly Server[], graceMs: number): Promise<void> {
  const { adminTokens, gate, gateway, keyRing, pool, stores, vectorStores } = service;
  // The listeners stay open meanwhile, so that new requests and probes receive the reason.
  gate.close();
  const audits = gateway.audits.close();
  const grace = setTimeout(() => gateway.inFlight.abortAll(), graceMs);
  await gateway.inFlight.idle();
  clearTimeout(grace);
  await within(Promise.all(servers.map((server) => server.shutdown())), LISTENER_CLOSE_MS);
  await audits;
  await gateway.settlementRetries.close();
  await Promise.all([keyRing.idle(), adminTokens.idle()]);
  service.credentials.close();
  pool.close();
  await service.learning.take();
  await vectorStores.close();
  await stores.close();
  service.telemetry.close();
}

/** Waits for a promise, but at most so many milliseconds. */
async function within(promise: Promise<unknown>, ms: number): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise, over]);
  clearTimeout(timer);
}
