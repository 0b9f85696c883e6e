import { createAdminApp, createMetricsApp } from "../admin/app.ts";
import type { AdminDeps } from "../admin/deps.ts";
import { mountConsole } from "../console/mount.ts";
import type { Catalog, CatalogContent } from "../domain/catalog/catalog.ts";
import { ServiceFault } from "../domain/fault.ts";
import { limitsInForce } from "../domain/limits/service_limits.ts";
import { Corrections } from "../flows/operators/corrections.ts";
import { Operators } from "../flows/operators/operators.ts";
import { OpenIdConnect } from "../sso/openid_connect.ts";
import { SignOn } from "../flows/operators/sign_on.ts";
import { SessionMemory } from "../flows/operators/session_memory.ts";
import { Sessions } from "../flows/operators/sessions.ts";
import type { Noted } from "../domain/operators/trail.ts";
import { Trail } from "../flows/operators/trail.ts";
import { allowedHosts, type ListenerName } from "../http/allowed_hosts.ts";
import { type Answering, listen } from "../http/listen.ts";
import { createPublicApp } from "../http/public_app.ts";
import { RefusalLog } from "../http/refusal_log.ts";
import { Description } from "../openapi/description.ts";
import type { Clock } from "../ports/clock.ts";
import type { Stores } from "../ports/stores.ts";
import { mountKeyPages } from "../key_pages/mount.ts";
import { LedgerChecks } from "../telemetry/ledger_checks.ts";
import { createUpstream } from "../upstreams/factory.ts";
import type { UpstreamPool } from "../upstreams/pool.ts";
import type { Service } from "./assemble.ts";
import { metricsPage } from "./metrics_page.ts";
import { ServiceReadiness } from "./readiness.ts";
import { readSecrets } from "./shared_settings.ts";
import { DEFAULT_APPROVAL_MICROS, explainListen, type PortFlag } from "../config/settings.ts";

/** A listener in use. */
export type Server = Deno.HttpServer<Deno.NetAddr>;

/** The open listeners; the one for metrics only if the operator asked for it. */
export interface Servers {
  readonly public: Server;
  readonly admin: Server;
  readonly metrics?: Server;
}

/** Opens all listeners. Throws if one cannot be opened; then none is open. */
export async function openListeners(service: Service): Promise<Servers> {
  const { deps, stores, pool, keyRing, links, gateway, gate, telemetry } = service;
  const { clock, rng, logger } = deps;
  const books = new LedgerChecks(clock);
  const publicApp = createPublicApp({
    gateway,
    findKey: (presented) => keyRing.authenticate(presented),
    onRefusal: (code) => telemetry.metrics.refused("public", code),
    readiness: new ServiceReadiness({ gate, stores, pool, peppers: service.pepperBook.peppers }),
    description: new Description("public"),
    files: { blobs: stores.blobs, links },
    keyPages: keyPagesOf(service),
    publicUrl: service.publicUrl,
  });
  const adminDeps: AdminDeps = {
    ...stores,
    learning: service.learning,
    vectorStores: service.vectorStores,
    notices: service.notifier,
    keyRing,
    holderAccess: service.holderAccess,
    pool,
    instance: stores.shared?.instance,
    clock,
    rng,
    logger,
    adminTokens: service.adminTokens,
    ...staffOf(service),
    description: new Description("admin"),
    mountConsole,
    lowBalances: service.lowBalances,
    metrics: metricsPage(service, books),
    onRefusal: (code) => telemetry.metrics.refused("admin", code),
    // The command line on this machine continues with the new token.
    onAdminToken: (token) => service.credentials.replaceFirstToken(token),
    pepperBook: service.pepperBook,
    refreshSecrets: stores.shared && (() => readSecrets(service)),
    closing: gate.closing,
    callPublic: async (request) =>
      await gate.guard(publicApp).fetch(request, { remoteAddress: "" }),
    publicUrl: service.publicUrl,
    env: deps.env,
    connect: (config) => createUpstream(config, deps),
    applyCatalog: (content, options) => applyCatalog(stores, pool, { content, ...options, clock }),
    verifyLedger: () => service.notifier.checking(books.check(stores.verification())),
  };
  return await openEach(service, {
    public: publicApp,
    admin: createAdminApp(adminDeps),
    metrics: createMetricsApp(adminDeps),
  });
}

/** Returns the pages of key holders; nothing where they are switched off. */
function keyPagesOf({ deps, gateway, holderAccess, stores }: Service) {
  const { clock, logger } = deps;
  return holderAccess && mountKeyPages({
    ...{ access: holderAccess, records: gateway.records, clock, logger },
    badLinksPerMinute: () => limitsInForce(stores.catalogs.current()).badKeysPerMinute,
  });
}

/** Returns the operators with names, their sessions, and the writer of the audit log. */
function staffOf(
  { stores, settings, deps, adminTokens, pepperBook: { peppers } }: Service,
): Pick<AdminDeps, "operators" | "corrections" | "sessions" | "signOn" | "consoleUrl" | "trail"> {
  const { clock, rng, logger } = deps;
  const { signOn: provided, adminUrls: [consoleUrl] } = settings;
  if (provided?.clientSecret !== undefined) deps.noteSecret?.(provided.clientSecret);
  // Where one process has the store, its memory is enough.
  const store = stores.shared?.consoleSessions ?? new SessionMemory(stores.trailStore);
  const signOn = provided && new SignOn({
    ...{ clock, store, groupRoles: provided.groupRoles },
    provider: new OpenIdConnect(provided),
  });
  const operators = new Operators({ ...stores, peppers, clock, rng });
  const sessions = new Sessions({ clock, operators, adminTokens, signOn, store });
  return {
    operators,
    sessions,
    signOn,
    consoleUrl,
    trail: new Trail({ ...stores, clock, logger }),
    corrections: new Corrections({
      ...{ ...stores, clock },
      approvalMicros: settings.approvalMicros ?? DEFAULT_APPROVAL_MICROS,
    }),
  };
}

async function openEach(
  service: Service,
  apps: Readonly<Record<ListenerName, Answering>>,
): Promise<Servers> {
  const { host, port, adminHost, adminPort, metrics } = service.settings;
  const opened: Server[] = [];
  const open = (at: Listener) => {
    const server = openListener(service, apps[at.name], at);
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
    service.gate.close();
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
  { settings, deps, gate, telemetry }: Service,
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

/** Applies a catalog: to the pool first, which may refuse it, and then to the store. */
async function applyCatalog(
  stores: Stores,
  pool: UpstreamPool,
  change:
    & { content: CatalogContent; expected: number; note: string; clock: Clock }
    & Noted<Catalog>,
): Promise<Catalog | undefined> {
  const { content, expected, note, clock, entry } = change;
  const atMs = clock.nowMs();
  try {
    pool.apply({ ...content, version: expected + 1, updatedAtMs: atMs });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ServiceFault("invalid_request", { message, param: "upstreams", cause: error });
  }
  try {
    return await stores.catalogs.apply(content, { expected, note, atMs, entry });
  } finally {
    // Applies the former catalog again after a failure. In both cases waiting requests are planned
    // again.
    pool.apply(stores.catalogs.current());
  }
}

/** Returns the address of a listener on this machine. */
export function urlOf({ hostname, port }: Deno.NetAddr): string {
  const host = hostname === "0.0.0.0" ? "127.0.0.1" : hostname === "::" ? "[::1]" : hostname;
  return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}
