/**
 * Puts the service together: stores, catalog, pool, listeners; and takes it apart again.
 *
 * @module
 */

import manifest from "../deno.json" with { type: "json" };
import { createAdminApp } from "../admin/app.ts";
import type { Catalog, CatalogContent } from "../domain/catalog.ts";
import { ServiceFault } from "../domain/fault.ts";
import { Admission } from "../flows/admission.ts";
import { BoundedMap } from "../flows/bounded_map.ts";
import type { GatewayContext } from "../flows/context.ts";
import { InFlight } from "../flows/in_flight.ts";
import { KeyRing } from "../flows/key_ring.ts";
import { LateEndings } from "../flows/late_endings.ts";
import { publishFile, SignedLinks } from "../flows/signed_links.ts";
import { SignatureMemory } from "../flows/signature_memory.ts";
import { errorResponse } from "../http/error_response.ts";
import { allowedHosts } from "../http/allowed_hosts.ts";
import { type Answering, listen } from "../http/listen.ts";
import { createPublicApp } from "../http/public_app.ts";
import { RefusalLog } from "../http/refusal_log.ts";
import { missingCredentials, missingCredentialsText } from "../config/missing_credentials.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Rng } from "../ports/rng.ts";
import { type KvStores, openKvStores } from "../stores/kv/open.ts";
import { createTokenCounter } from "../tokens/token_counter.ts";
import { createUpstream } from "../upstreams/factory.ts";
import { UpstreamPool } from "../upstreams/pool.ts";
import { firstStartLines, startLines } from "./banner.ts";
import { credentialsPath, refreshCredentials } from "./credentials.ts";
import { adminTokenDigests, FIRST_TIER, firstStart, firstStartShown } from "./first_start.ts";
import { pepperOf } from "./pepper.ts";
import { readCatalogText, seedCatalog } from "./seed_catalog.ts";
import { explainListen, type ServeSettings } from "./settings.ts";

/** Time that streams under way get to finish during a shutdown, in milliseconds. */
export const SHUTDOWN_GRACE_MS = 30_000;
/** Time that listeners get to close when no request is under way: a client may not read its answer. */
const LISTENER_CLOSE_MS = 2_000;
/** Conversations whose model is remembered. */
const CONVERSATIONS_MAX = 20_000;

/** What the service needs of the process it runs in. */
export interface ServiceDeps {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly logger: Logger;
  /** Looks an environment variable up; one that may not be read is absent. */
  readonly env: (name: string) => string | undefined;
  /** Shows text to the operator. */
  readonly print: (text: string) => void;
}

/** A service that answers. */
export interface RunningService {
  readonly publicUrl: string;
  readonly adminUrl: string;
  readonly gateway: GatewayContext;
  readonly stores: KvStores;
  /** Takes no new request, lets those under way finish and settle, closes everything. */
  stop(options?: { graceMs?: number }): Promise<void>;
}

/** Starts the service. Throws where it cannot, with a sentence for the operator. */
export async function startService(
  settings: ServeSettings,
  deps: ServiceDeps,
): Promise<RunningService> {
  const config = await readCatalogText(settings);
  const stores = await openKvStores(settings.kvPath, {
    nowMs: () => deps.clock.nowMs(),
    logRetention: config?.retention,
  });
  try {
    return await assemble(settings, deps, { stores, config: config?.content });
  } catch (error) {
    await stores.close();
    throw error;
  }
}

async function assemble(
  settings: ServeSettings,
  deps: ServiceDeps,
  parts: { stores: KvStores; config: CatalogContent | undefined },
): Promise<RunningService> {
  const { clock, logger } = deps;
  const { stores } = parts;
  const pepper = await pepperOf(stores.settings, settings.keyPepper);
  const keyRing = new KeyRing(pepper, { keys: stores.keys, clock, logger });
  const seeded = await seedCatalog(stores.catalogs, { config: parts.config, env: deps.env, clock });
  const pool = poolOf(seeded.catalog, deps);
  // Links are made for whoever reads them later: the address is known when the port is.
  let shownUrl = settings.publicUrl ?? "";
  const links = new SignedLinks({ secret: pepper, baseUrl: () => shownUrl });
  const gateway = gatewayOf(stores, { pool, links, deps });
  const tiers = seeded.catalog.tiers;
  const secrets = await firstStart({
    ...stores,
    keyRing,
    clock,
    tier: (tiers.find((tier) => tier.id === FIRST_TIER) ?? tiers[0])?.id ?? FIRST_TIER,
    adminToken: settings.adminToken,
    bootstrapKey: settings.bootstrapKey,
  });
  const gate = new Gate(deps.rng);
  const house: House = { settings, deps, stores, pool, keyRing, links, gateway, gate };
  const servers = await openListeners(house);
  const [publicUrl = "", adminUrl = ""] = servers.map(({ addr }) => urlOf(addr));
  shownUrl ||= publicUrl;
  const path = credentialsPath(settings.kvPath);
  if (path !== undefined) {
    const adminToken = secrets?.adminToken ?? settings.adminToken;
    await refreshCredentials(path, { url: adminUrl, adminToken });
  }
  if (secrets !== undefined) {
    deps.print(firstStartLines(secrets, shownUrl));
    await firstStartShown(stores.settings, clock);
  }
  deps.print(startLines({
    version: manifest.version,
    publicUrl: shownUrl,
    adminUrl,
    store: settings.kvPath,
    upstreams: seeded.sentence,
    catalogVersion: seeded.catalog.version,
  }));
  gate.open();
  let stopping: Promise<void> | undefined;
  return {
    publicUrl: shownUrl,
    adminUrl,
    gateway,
    stores,
    stop: ({ graceMs = SHUTDOWN_GRACE_MS } = {}) => stopping ??= stop(house, servers, graceMs),
  };
}

/** The upstreams of a catalog; those that cannot be called for want of a key are told of. */
function poolOf(catalog: Catalog, deps: ServiceDeps): UpstreamPool {
  const { clock, env, logger } = deps;
  for (const missing of missingCredentials(catalog.upstreams, env)) {
    const message = missingCredentialsText(missing);
    logger.warn("upstream_without_credentials", { ...missing, message });
  }
  return new UpstreamPool(catalog, {
    clock,
    create: (config) => createUpstream(config, deps),
    onOperatorTrouble: (event) => logger.error("upstream_refuses_credentials", { ...event }),
  });
}

/** The parts of a running service. */
interface House {
  readonly settings: ServeSettings;
  readonly deps: ServiceDeps;
  readonly stores: KvStores;
  readonly pool: UpstreamPool;
  readonly keyRing: KeyRing;
  readonly links: SignedLinks;
  readonly gateway: GatewayContext;
  readonly gate: Gate;
}

type Server = Deno.HttpServer<Deno.NetAddr>;

function gatewayOf(
  stores: KvStores,
  parts: Pick<House, "pool" | "links" | "deps">,
): GatewayContext {
  const { blobs, catalogs, ledger, log } = stores;
  const { pool, links } = parts;
  const { clock, rng, logger } = parts.deps;
  return {
    catalogs,
    ledger,
    log,
    pool,
    clock,
    rng,
    logger,
    tokens: createTokenCounter(),
    admission: new Admission(),
    conversations: new BoundedMap(CONVERSATIONS_MAX),
    signatures: new SignatureMemory(),
    inFlight: new InFlight(),
    lateEndings: new LateEndings(ledger, logger),
    publishFile: (file) => publishFile({ blobs, links, clock, rng }, file),
  };
}

/** The public and the admin listener, in this order. */
async function openListeners(house: House): Promise<[Server, Server]> {
  const { settings, deps, stores, pool, keyRing, links, gateway, gate } = house;
  const { clock, rng, logger } = deps;
  const publicApp = createPublicApp({
    gateway,
    findKey: (presented) => keyRing.authenticate(presented),
    readiness: { unready: () => gate.unready(stores) },
    files: { blobs: stores.blobs, links },
  });
  const adminApp = createAdminApp({
    ...stores,
    keyRing,
    pool,
    clock,
    rng,
    logger,
    adminTokenDigests: await adminTokenDigests(stores.settings, {
      keyRing,
      adminToken: settings.adminToken,
    }),
    env: deps.env,
    connect: (config) => createUpstream(config, deps),
    applyCatalog: (content, options) => applyCatalog(stores, pool, { content, ...options, clock }),
    verifyLedger: () => stores.verify(),
  });
  const { host, port, adminHost, adminPort } = settings;
  const publicServer = openListener(house, publicApp, { name: "public", flag: "port", host, port });
  try {
    const admin = { name: "admin", flag: "admin-port", host: adminHost, port: adminPort } as const;
    return [publicServer, openListener(house, adminApp, admin)];
  } catch (error) {
    gate.close();
    await publicServer.shutdown();
    throw error;
  }
}

function openListener(
  { settings, deps, gate }: House,
  app: Answering,
  at: {
    readonly name: "public" | "admin";
    readonly flag: "port" | "admin-port";
    readonly host: string;
    readonly port: number;
  },
): Server {
  const { name, flag, host, port } = at;
  const { publicUrl, trustedProxies } = settings;
  try {
    return listen(gate.guard(app), {
      hostname: host,
      port,
      trustedProxies,
      rng: deps.rng,
      allowedHosts: allowedHosts({ listener: name, host, publicUrl }),
      refusals: new RefusalLog(name, deps),
    });
  } catch (error) {
    throw explainListen(error, { flag, address: `${host}:${port}` });
  }
}

async function stop(house: House, servers: readonly Server[], graceMs: number): Promise<void> {
  const { gate, gateway, keyRing, pool, stores } = house;
  // The listeners stay open meanwhile, so that new requests and probes are told why not.
  gate.close();
  const grace = setTimeout(() => gateway.inFlight.abortAll(), graceMs);
  await gateway.inFlight.idle();
  clearTimeout(grace);
  await within(Promise.all(servers.map((server) => server.shutdown())), LISTENER_CLOSE_MS);
  await gateway.lateEndings.close();
  await keyRing.idle();
  pool.close();
  await stores.close();
}

/** Brings a catalog into force: the pool first, which may refuse it, then for good. */
async function applyCatalog(
  stores: KvStores,
  pool: UpstreamPool,
  change: { content: CatalogContent; expected: number; note: string; clock: Clock },
): Promise<Catalog | undefined> {
  const { content, expected, note, clock } = change;
  const atMs = clock.nowMs();
  try {
    pool.apply({ ...content, version: expected + 1, updatedAtMs: atMs });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ServiceFault("invalid_request", { message, param: "upstreams", cause: error });
  }
  let applied: Catalog | undefined;
  try {
    applied = await stores.catalogs.apply(content, { expected, note, atMs });
    return applied;
  } finally {
    if (applied === undefined) pool.apply(stores.catalogs.current());
  }
}

/** Waits for a promise, but no longer than so many milliseconds. */
async function within(promise: Promise<unknown>, ms: number): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise, over]);
  clearTimeout(timer);
}

function urlOf({ hostname, port }: Deno.NetAddr): string {
  const host = hostname === "0.0.0.0" ? "127.0.0.1" : hostname === "::" ? "[::1]" : hostname;
  return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}

/** Holds requests back until the operator has been told, and refuses them once it is closed. */
class Gate {
  readonly #rng: Rng;
  #opened: Promise<void>;
  #open: () => void = () => {};
  #state: "waiting" | "open" | "closed" = "waiting";

  constructor(rng: Rng) {
    this.#rng = rng;
    this.#opened = new Promise((resolve) => this.#open = resolve);
  }

  open(): void {
    this.#state = "open";
    this.#open();
  }

  close(): void {
    this.#state = "closed";
    this.#open();
  }

  guard(app: Answering): Answering {
    return {
      fetch: (request, connection) => {
        if (this.#state === "open") return app.fetch(request, connection);
        return this.#opened.then(() =>
          this.#state === "open" ? app.fetch(request, connection) : this.#refuse(request)
        );
      },
    };
  }

  /** Why requests cannot be taken now; `undefined` where they can. */
  async unready(stores: KvStores): Promise<ServiceFault | undefined> {
    if (this.#state === "closed") return new ServiceFault("shutting_down");
    if (stores.health() === "lost") return new ServiceFault("store_unavailable");
    try {
      await stores.settings.get("key_pepper_check");
      return undefined;
    } catch (cause) {
      return new ServiceFault("store_unavailable", { cause });
    }
  }

  #refuse(request: Request): Response {
    // A probe of the process itself is answered as long as it lives.
    if (new URL(request.url).pathname === "/healthz") return Response.json({ status: "ok" });
    return errorResponse(new ServiceFault("shutting_down"), this.#rng.id("req"));
  }
}
