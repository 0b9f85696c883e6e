/**
 * Assembles the service from stores, catalog, pool and listeners, and stops it.
 *
 * @module
 */

import manifest from "../deno.json" with { type: "json" };
import type { Catalog, CatalogContent } from "../domain/catalog/catalog.ts";
import { AdminTokens } from "../flows/keys/admin_tokens.ts";
import { HolderAccess } from "../flows/keys/holder_access.ts";
import { KeyRing } from "../flows/keys/key_ring.ts";
import { Trail } from "../flows/operators/trail.ts";
import { LowBalances } from "../flows/settle/low_balances.ts";
import type { Peppers } from "../flows/keys/peppers.ts";
import { SignedLinks } from "../flows/images/signed_links.ts";
import type { Stores } from "../ports/stores.ts";
import { Telemetry } from "../telemetry/telemetry.ts";
import { firstStartLines, startLines } from "./banner.ts";
import { CredentialsFile, credentialsFileOf } from "../system/credentials.ts";
import { shownPlace } from "../system/store_place.ts";
import {
  FIRST_TIER,
  type FirstSecrets,
  firstStart,
  firstStartShown,
  isStarted,
} from "./first_start.ts";
import { placeSecrets, requirePlaceForSecrets } from "./first_secrets.ts";
import { Gate } from "./gate.ts";
import { START } from "./start_author.ts";
import {
  gatewayOf,
  type GatewayParts,
  learningOf,
  poolOf,
  type Service,
  type ServiceDeps,
  vectorStoresOf,
} from "./assemble.ts";
import { notifierOf } from "./notifications.ts";
import { openStores } from "./open_stores.ts";
import { readSettings } from "./shared_settings.ts";
import { openListeners, type Server, type Servers, urlOf } from "./listeners.ts";
import { PepperBook } from "../flows/keys/pepper_book.ts";
import { unreadableKeys } from "../config/permissions.ts";
import { readCatalogText, seedCatalog } from "./seed_catalog.ts";
import type { ServeSettings } from "../config/settings.ts";
import type { Learning } from "../flows/learn/learning.ts";

export type { ServiceDeps } from "./assemble.ts";

/** Time that streams in flight have to finish during a shutdown, in milliseconds. */
export const SHUTDOWN_GRACE_MS = 30_000;
/**
 * Time that listeners have to close when no request is in flight, in milliseconds: a client may not
 * read its answer.
 */
const LISTENER_CLOSE_MS = 2_000;
/** Time that {@linkcode ServeSettings.drainMs} is where instances share the store. */
const SHARED_DRAIN_MS = 5_000;

/** Options of a stop. */
export interface StopOptions {
  /** Time that streams in flight have to finish, in milliseconds. @default {30 seconds} */
  readonly graceMs?: number;
  /** Time in which `/readyz` fails before the first request is refused. @default {0} */
  readonly drainMs?: number;
  /** Ends that time. @default {nothing does} */
  readonly hurry?: AbortSignal;
}

/** Returns the time in which a stop drains, in milliseconds. */
export function drainMsOf({ drainMs, store }: Pick<ServeSettings, "drainMs" | "store">): number {
  return drainMs ?? (store.kind === "postgres" ? SHARED_DRAIN_MS : 0);
}

/** A running service. */
export interface RunningService {
  readonly publicUrl: string;
  readonly adminUrl: string;
  /** Address of the separate listener for metrics; absent if there is none. */
  readonly metricsUrl: string | undefined;
  readonly gateway: GatewayParts;
  readonly learning: Learning;
  readonly stores: Stores;
  /** Leaves out upstreams whose credentials this process can no longer read, and logs them. */
  recheckUpstreams(): void;
  /** Refuses new requests, lets those in flight finish and settle, and closes everything. */
  stop(options?: StopOptions): Promise<void>;
}

/** Starts the service. Throws an error with a sentence for the operator if it cannot. */
export async function startService(
  settings: ServeSettings,
  deps: ServiceDeps,
): Promise<RunningService> {
  const config = await readCatalogText(settings);
  const telemetry = deps.telemetry ?? new Telemetry();
  const stores = await openStores(settings, deps, { config, telemetry }).catch((error) => {
    telemetry.close();
    throw error;
  });
  try {
    const assemble = () =>
      assembleService(settings, deps, {
        stores,
        telemetry,
        config: config?.content,
        notices: config?.notices ?? [],
      });
    if (await isStarted(stores.settings)) return await assemble();
    requirePlaceForSecrets(settings, { isTerminal: deps.isTerminal ?? false });
    // Of several instances that start together, the others find what the first has made.
    return await stores.exclusively(assemble);
  } catch (error) {
    telemetry.close();
    await stores.close();
    throw error;
  }
}

/** Parts that are opened before the service is assembled. */
interface OpenedParts {
  readonly stores: Stores;
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
  const { clock } = deps;
  const { stores, telemetry } = parts;
  const pepperBook = await PepperBook.open({ ...stores, clock }, {
    current: settings.keyPepper,
    previous: settings.keyPepperPrevious,
  });
  const { peppers } = pepperBook;
  const { keyRing, holderAccess } = keyRingOf(settings, deps, { stores, pepperBook });
  const trail = new Trail({ ...stores, clock, logger: deps.logger });
  const seeded = await seedCatalog(stores.catalogs, { ...deps, config: parts.config, trail });
  const lowBalances = new LowBalances(stores.settings);
  const notifier = notifierOf({ settings, deps, stores, lowBalances });
  const pool = poolOf(seeded.catalog, deps, { telemetry, notifier });
  // Links are created for later readers: the address is known when the port is.
  let shownUrl = settings.publicUrl ?? "";
  const links = new SignedLinks({ peppers, baseUrl: () => shownUrl });
  const vectorStores = vectorStoresOf(stores, deps);
  const learning = await learningOf(stores, deps, deps.rng.id("routing"));
  const gateway = gatewayOf(stores, {
    ...{ pool, links, vectorStores, deps, telemetry, learning, notifier },
    ...{ holderAccess, publicUrl: () => shownUrl },
  });
  const { adminToken, bootstrapKey } = settings;
  const first = { adminToken, bootstrapKey, tier: firstTierOf(seeded.catalog) };
  const secrets = await firstStart({ ...stores, ...first, keyRing, peppers, clock, trail });
  const adminTokens = await openAdminTokens(settings, deps, { stores, peppers, trail });
  const gate = new Gate(deps.rng);
  const credentials = new CredentialsFile(
    credentialsFileOf(settings.store, settings.credentialsFile),
  );
  const service: Service = {
    ...{ settings, deps, stores, pool, keyRing, pepperBook, adminTokens, credentials },
    ...{ links, gateway, vectorStores, gate, telemetry, learning },
    ...{ lowBalances, notifier, holderAccess },
    publicUrl: () => shownUrl,
  };
  stores.watchCatalog((catalog) => pool.apply(catalog));
  stores.watchLoss(() => {
    deps.logger.warn("instance_lost", { message: "Another instance has ended this one's calls" });
    gateway.inFlight.cutAll();
  });
  stores.watchSettings(() => readSettings(service));
  const servers = await openListeners(service);
  const [adminUrl, metricsUrl] = [urlOf(servers.admin.addr), metricsUrlOf(servers)];
  shownUrl ||= urlOf(servers.public.addr);
  await credentials.refresh({ url: adminUrl, adminToken: secrets?.adminToken ?? adminToken });
  if (secrets !== undefined) await handOver(secrets, service);
  const notices = [...parts.notices, ...stores.notices()];
  sayStarted(service, { publicUrl: shownUrl, adminUrl, metricsUrl, seeded, notices });
  gate.open();
  notifier.start();
  return runningService(service, servers, { publicUrl: shownUrl, adminUrl, metricsUrl });
}

/** Returns the key ring, and the access of key holders, which ends with their keys. */
function keyRingOf(
  { keyPages = true }: ServeSettings,
  { clock, logger }: ServiceDeps,
  { stores, pepperBook }: { readonly stores: Stores; readonly pepperBook: PepperBook },
): Pick<Service, "keyRing" | "holderAccess"> {
  const access = new HolderAccess({ ...stores, clock, logger });
  const keyRing = new KeyRing(pepperBook.peppers, {
    ...{ keys: stores.keys, clock, logger },
    refreshPeppers: stores.shared && (() => pepperBook.refresh()),
    // Also where the pages are off: they may be on at another instance.
    onEnded: (id) => access.endAll(id),
    onEnabling: (id) => stores.passes.removeAll(id),
  });
  return { keyRing, holderAccess: keyPages ? access : undefined };
}

/** Returns a service whose listeners are open, and takes its snapshots until it stops. */
function runningService(
  service: Service,
  servers: Servers,
  urls: Pick<RunningService, "publicUrl" | "adminUrl" | "metricsUrl">,
): RunningService {
  const { gateway, learning, stores } = service;
  const stopSnapshots = takeSnapshots(service);
  const stopSweeps = sweepFiles(service);
  let stopping: Promise<void> | undefined;
  return {
    ...urls,
    ...{ gateway, learning, stores },
    recheckUpstreams: () => recheckUpstreams(service),
    stop: (options = {}) => {
      stopSnapshots();
      stopSweeps();
      return stopping ??= stop(service, Object.values(servers), options);
    },
  };
}

/** Takes the next snapshot at intervals; returns a function that ends that. */
function takeSnapshots({ learning }: Pick<Service, "learning">): () => void {
  const timer = setInterval(() => void learning.tick(), learning.tickMs);
  Deno.unrefTimer(timer);
  return () => clearInterval(timer);
}

/** Time between two removals of expired files and vector stores, in milliseconds. */
const FILE_SWEEP_MS = 60_000;

/** Removes what has expired at intervals, on one instance at a time; returns a function that ends that. */
function sweepFiles({ deps: { logger }, gateway, stores }: Service): () => void {
  let isSweeping = false;
  const sweep = async () => {
    if (isSweeping) return;
    isSweeping = true;
    try {
      await stores.exclusively(() => gateway.callerFiles.sweep());
    } catch (error) {
      logger.warn("files_not_swept", { message: String(error) });
    } finally {
      isSweeping = false;
    }
  };
  const timer = setInterval(() => void sweep(), FILE_SWEEP_MS);
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
  { stores, peppers, trail }: { stores: Stores; peppers: Peppers; trail: Trail },
): Promise<AdminTokens> {
  const { keys, settings } = stores;
  if (startToken !== undefined) {
    // A disabled key counts as well: it may be enabled again.
    if (await keys.hasDigest(...peppers.digests(startToken))) {
      throw new Error("Cannot use this SERVICE_ADMIN_TOKEN: it is an API key; choose another");
    }
  }
  const tokens = await AdminTokens.open({ settings, peppers, logger, startToken });
  if (tokens.hasAnother) {
    const remark =
      "SERVICE_ADMIN_TOKEN is accepted beside the stored token while this process runs";
    const action = { author: START, action: "acceptAdminToken", subject: "/admin-token" };
    await trail.note({ ...action, remark });
  }
  return tokens;
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
    store: shownPlace(settings.store),
    upstreams: seeded.sentence,
    catalogVersion: seeded.catalog.version,
  }));
}

async function stop(
  service: Service,
  servers: readonly Server[],
  { graceMs = SHUTDOWN_GRACE_MS, drainMs = 0, hurry }: StopOptions,
): Promise<void> {
  const { adminTokens, gate, gateway, keyRing, pool, stores, vectorStores } = service;
  gate.announce();
  if (drainMs > 0) await passed(drainMs, hurry);
  // The listeners stay open meanwhile, so that new requests and probes receive the reason.
  gate.close();
  const audits = gateway.audits.close();
  const grace = setTimeout(() => gateway.inFlight.abortAll(), graceMs);
  await gateway.inFlight.idle();
  clearTimeout(grace);
  await within(Promise.all(servers.map((server) => server.shutdown())), LISTENER_CLOSE_MS);
  await audits;
  await service.notifier.close();
  await gateway.settlementRetries.close();
  await Promise.all([keyRing.idle(), adminTokens.idle()]);
  service.credentials.close();
  pool.close();
  await service.learning.take();
  await vectorStores.close();
  await stores.close();
  service.telemetry.close();
}

/** Waits for a time, or until the signal is aborted. */
async function passed(ms: number, hurry: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (hurry?.aborted === true) resolve();
  hurry?.addEventListener("abort", () => resolve(), { once: true });
  await within(promise, ms);
}

/** Waits for a promise, but at most so many milliseconds. */
async function within(promise: Promise<unknown>, ms: number): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise, over]);
  clearTimeout(timer);
}
