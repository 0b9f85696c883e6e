import { createAdminApp, createMetricsApp } from "../admin/app.ts";
import type { AdminDeps } from "../admin/deps.ts";
import { mountConsole } from "../console/mount.ts";
import type { Catalog, CatalogContent } from "../domain/catalog/catalog.ts";
import { ServiceFault } from "../domain/fault.ts";
import { allowedHosts, type ListenerName } from "../http/allowed_hosts.ts";
import { type Answering, listen } from "../http/listen.ts";
import { createPublicApp } from "../http/public_app.ts";
import { RefusalLog } from "../http/refusal_log.ts";
import { Description } from "../openapi/description.ts";
import type { Clock } from "../ports/clock.ts";
import type { KvStores } from "../stores/kv/open.ts";
import { LedgerChecks } from "../telemetry/ledger_checks.ts";
import { createUpstream } from "../upstreams/factory.ts";
import type { UpstreamPool } from "../upstreams/pool.ts";
import type { House } from "./assemble.ts";
import { metricsPage } from "./metrics_page.ts";
import { ServiceReadiness } from "./readiness.ts";
import { explainListen, type PortFlag } from "../config/settings.ts";

/** A listener in use. */
export type Server = Deno.HttpServer<Deno.NetAddr>;

/** The listeners that are open: that of metrics where the operator asked for one. */
export interface Servers {
  readonly public: Server;
  readonly admin: Server;
  readonly metrics?: Server;
}

/** Opens every listener, or none: throws where one cannot be opened. */
export async function openListeners(house: House): Promise<Servers> {
  const { deps, stores, pool, keyRing, links, gateway, gate, telemetry } = house;
  const { clock, rng, logger } = deps;
  const books = new LedgerChecks(clock);
  const publicApp = createPublicApp({
    gateway,
    findKey: (presented) => keyRing.authenticate(presented),
    onRefusal: (code) => telemetry.metrics.refused("public", code),
    readiness: new ServiceReadiness({ gate, stores, pool }),
    description: new Description("public"),
    files: { blobs: stores.blobs, links },
    publicUrl: house.publicUrl,
  });
  const adminDeps: AdminDeps = {
    ...stores,
    vectorStores: house.vectorStores,
    keyRing,
    pool,
    clock,
    rng,
    logger,
    adminTokens: house.adminTokens,
    description: new Description("admin"),
    mountConsole,
    lowBalances: house.lowBalances,
    metrics: metricsPage(house, books),
    onRefusal: (code) => telemetry.metrics.refused("admin", code),
    // The command line on this machine goes on working with the new token.
    onAdminToken: (token) => house.credentials.replaceFirstToken(token),
    pepperBook: house.pepperBook,
    closing: gate.closing,
    callPublic: async (request) =>
      await gate.guard(publicApp).fetch(request, { remoteAddress: "" }),
    publicUrl: house.publicUrl,
    env: deps.env,
    connect: (config) => createUpstream(config, deps),
    applyCatalog: (content, options) => applyCatalog(stores, pool, { content, ...options, clock }),
    verifyLedger: () => books.check(stores.verification()),
  };
  return await openEach(house, {
    public: publicApp,
    admin: createAdminApp(adminDeps),
    metrics: createMetricsApp(adminDeps),
  });
}

async function openEach(
  house: House,
  apps: Readonly<Record<ListenerName, Answering>>,
): Promise<Servers> {
  const { host, port, adminHost, adminPort, metrics } = house.settings;
  const opened: Server[] = [];
  const open = (at: Listener) => {
    const server = openListener(house, apps[at.name], at);
    opened.push(server);
    return server;
  };
  try {
    return {
      public: open({ name: "public", flag: "port", host, port }),
      admin: open({ name: "admin", flag: "admin-port", host: adminHost, port: adminPort }),
      ...metrics && { metrics: open({ name: "metrics", flag: "metrics-port", ...metrics }) },
    };
  } catch (error) {
    house.gate.close();
    await Promise.all(opened.map((server) => server.shutdown()));
    throw error;
  }
}

interface Listener {
  readonly name: ListenerName;
  readonly flag: PortFlag;
  readonly host: string;
  readonly port: number;
}

function openListener(
  { settings, deps, gate, telemetry }: House,
  app: Answering,
  { name, flag, host, port }: Listener,
): Server {
  const { publicUrl, adminUrls, trustedProxies } = settings;
  const urls = [
    ...(publicUrl === undefined ? [] : [publicUrl]),
    ...(name === "admin" ? adminUrls : []),
  ];
  const guarded = gate.guard(app);
  const served = name === "metrics" ? guarded : deps.around?.(guarded, name) ?? guarded;
  try {
    return listen(served, {
      hostname: host,
      port,
      trustedProxies,
      rng: deps.rng,
      allowedHosts: allowedHosts({ listener: name, host, urls }),
      refusals: new RefusalLog(name, deps),
      onFault: (code) => telemetry.metrics.refused(name, code),
    });
  } catch (error) {
    throw explainListen(error, { flag, address: `${host}:${port}` });
  }
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
  try {
    return await stores.catalogs.apply(content, { expected, note, atMs });
  } finally {
    // The former one again where it failed; and in any case requests that wait are planned anew.
    pool.apply(stores.catalogs.current());
  }
}

/** Where a listener is reached from this machine. */
export function urlOf({ hostname, port }: Deno.NetAddr): string {
  const host = hostname === "0.0.0.0" ? "127.0.0.1" : hostname === "::" ? "[::1]" : hostname;
  return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}
