/**
 * Assembles the parts of the service, each from those before it.
 *
 * @module
 */

import {
  missingCredentials,
  missingCredentialsText,
  missingSearchVariable,
  missingSearchVariableText,
} from "../config/missing_credentials.ts";
import type { Catalog, SearchConfig } from "../domain/catalog/catalog.ts";
import { limitsInForce } from "../domain/limits/service_limits.ts";
import type { AdminTokens } from "../flows/keys/admin_tokens.ts";
import { Admission } from "../flows/admit/admission.ts";
import { BoundedMap } from "../system/bounded_map.ts";
import { Checkpoints } from "../flows/stream/checkpoints.ts";
import type { ModelCallDeps } from "../flows/model_calls.ts";
import type { PublicGateway } from "../http/public_app.ts";
import { InFlight } from "../flows/admit/in_flight.ts";
import type { KeyRing } from "../flows/keys/key_ring.ts";
import { Feedback } from "../flows/learn/feedback.ts";
import { Audits } from "../flows/learn/audits.ts";
import { Learning } from "../flows/learn/learning.ts";
import type { LowBalances } from "../flows/settle/low_balances.ts";
import { SettlementRetries } from "../flows/settle/settlement_retries.ts";
import { publishFile, type SignedLinks } from "../flows/images/signed_links.ts";
import type { Answering } from "../http/listen.ts";
import { FailedAttempts } from "../flows/call/failed_attempts.ts";
import { SearchMemory } from "../flows/hosted/search_memory.ts";
import { HeldBodies } from "../flows/admit/held_bodies.ts";
import { SignatureMemory } from "../flows/plan/signature_memory.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Rng } from "../ports/rng.ts";
import type { VectorStores } from "../ports/vector_stores.ts";
import type { WebSearch } from "../ports/web_search.ts";
import { createWebSearch } from "../search/factory.ts";
import type { KvStores } from "../stores/kv/open.ts";
import { createTokenCounter } from "../tokens/token_counter.ts";
import { embedderInForce } from "../upstreams/embedder.ts";
import { observedLedger, observedLog } from "../telemetry/observed_stores.ts";
import { passingOn } from "../telemetry/passed_on.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { createUpstream } from "../upstreams/factory.ts";
import { traitsOf } from "../upstreams/providers/provider_kinds.ts";
import { UpstreamPool } from "../upstreams/pool.ts";
import { createVectorStores } from "../vector_stores/vector_stores.ts";
import type { CredentialsFile } from "../system/credentials.ts";
import { fetchFile } from "./fetch_file.ts";
import type { Gate } from "./gate.ts";
import type { PepperBook } from "../flows/keys/pepper_book.ts";
import { unreadableKeys } from "../config/permissions.ts";
import type { ServeSettings } from "../config/settings.ts";

/** Maximum conversations whose model is remembered. */
const CONVERSATIONS_MAX = 20_000;

/** Parts of the process that the service uses. */
export interface ServiceDeps {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly logger: Logger;
  /** Returns an environment variable; one that may not be read is absent. */
  readonly env: (name: string) => string | undefined;
  /** Prints text for the operator. */
  readonly print: (text: string) => void;
  /**
   * True when `print` writes to a terminal: a person reads it and no log stores it. @default
   * {false}
   */
  readonly isTerminal?: boolean | undefined;
  /** Wraps the application of a listener, and sees its answers. @default {nothing} */
  readonly around?: ((app: Answering, listener: "public" | "admin") => Answering) | undefined;
  /** Called with secrets that are in the configuration itself. @default {not called} */
  readonly noteSecret?: ((secret: string) => void) | undefined;
  /** Observes the service, which closes it. @default {one that counts and exports nothing} */
  readonly telemetry?: Telemetry | undefined;
}

/** Parts that model calls and the public listener use. */
export type GatewayParts = PublicGateway & {
  readonly audits: Audits;
  readonly learning: Learning;
  readonly bodies: HeldBodies;
  readonly checkpoints: Checkpoints;
  readonly inFlight: InFlight;
  readonly settlementRetries: SettlementRetries;
};

/** The parts of a running service. */
export interface Service {
  readonly settings: ServeSettings;
  readonly deps: ServiceDeps;
  readonly stores: KvStores;
  readonly pool: UpstreamPool;
  readonly learning: Learning;
  readonly keyRing: KeyRing;
  readonly pepperBook: PepperBook;
  readonly adminTokens: AdminTokens;
  readonly credentials: CredentialsFile;
  readonly links: SignedLinks;
  readonly gateway: GatewayParts;
  readonly vectorStores: VectorStores;
  readonly gate: Gate;
  readonly lowBalances: LowBalances;
  readonly telemetry: Telemetry;
  /** Returns the public base URL, which is known once the listeners are open. */
  readonly publicUrl: () => string;
}

/**
 * Returns the pool of the upstreams of a catalog. Logs those that cannot be called for want of
 * credentials.
 */
export function poolOf(catalog: Catalog, deps: ServiceDeps, telemetry: Telemetry): UpstreamPool {
  const { clock, env, logger } = deps;
  for (const missing of missingCredentials(catalog.upstreams, env)) {
    const message = missingCredentialsText(missing);
    logger.warn("upstream_without_credentials", { ...missing, message });
  }
  const variable = missingSearchVariable(catalog.search, env);
  if (variable !== undefined) {
    const message = missingSearchVariableText(variable);
    logger.warn("search_without_credentials", { variable, message });
  }
  return new UpstreamPool(catalog, {
    clock,
    create: (config) => {
      if (config.apiKey !== undefined) deps.noteSecret?.(config.apiKey);
      return createUpstream(config, deps);
    },
    // Callers may read the sentence: it does not name the variable.
    lacks: (config) =>
      missingCredentials([config], env).length === 0 && unreadableKeys([config], env).length === 0
        ? undefined
        : `has no credentials at its upstream "${config.id}"`,
    onAttempt: (attempt) =>
      attempt.hadBegun ? telemetry.metrics.brokeOff(attempt) : telemetry.metrics.attempted(attempt),
    onOperatorTrouble: (event) => logger.error("upstream_refuses_credentials", { ...event }),
  });
}

/** Name of the setting with the secret of the fingerprints of tasks. */
const LEARNING_SECRET = "routing_secret";

/** Opens the statistics of routing. */
export async function learningOf(
  { settings, snapshots, votes, catalogs }: Pick<
    KvStores,
    "settings" | "snapshots" | "votes" | "catalogs"
  >,
  { clock, logger }: Pick<ServiceDeps, "clock" | "logger">,
  created: string,
): Promise<Learning> {
  const secret = await settings.setOnce(LEARNING_SECRET, created);
  const learning = new Learning({ snapshots, votes, catalogs, clock, logger, secret });
  await learning.open();
  return learning;
}

/** Returns the gateway's vector stores. */
export function vectorStoresOf(stores: KvStores, deps: ServiceDeps): VectorStores {
  return createVectorStores({
    ...deps,
    passages: stores.passages,
    embedder: embedderInForce({ ...deps, catalog: () => stores.catalogs.current() }),
  });
}

/** Returns the parts that model calls and the public listener use. */
export function gatewayOf(
  stores: KvStores,
  parts: Pick<Service, "pool" | "links" | "vectorStores" | "deps" | "learning"> & {
    /** @default {no observation} */
    readonly telemetry?: Telemetry;
  },
): GatewayParts {
  const { blobs, catalogs, keys, responses } = stores;
  const { pool, links, vectorStores, telemetry, learning } = parts;
  const { ledger, log } = telemetry === undefined ? stores : observed(stores, telemetry);
  const { clock, rng, logger } = parts.deps;
  const gateway: Omit<GatewayParts, "audits"> = {
    catalogs,
    traitsOf,
    keys,
    ledger,
    log,
    pool,
    learning,
    feedback: new Feedback({ clock, log: stores.log, votes: stores.votes }),
    vectorStores,
    clock,
    rng,
    logger,
    tracer: telemetry?.tracer ?? passingOn,
    tokens: createTokenCounter(),
    admission: new Admission(),
    bodies: new HeldBodies(() => limitsInForce(catalogs.current())),
    conversations: new BoundedMap(CONVERSATIONS_MAX),
    signatures: new SignatureMemory(),
    searchMemory: new SearchMemory(),
    inFlight: new InFlight(),
    checkpoints: new Checkpoints(),
    settlementRetries: new SettlementRetries(ledger, logger),
    failedAttempts: new FailedAttempts({ clock, logger }),
    webSearch: webSearches(parts.deps),
    responses,
    responsesKeptMs: () => responses.retentionMs,
    fetchFile,
    publishFile: (file) => publishFile({ blobs, links, clock, rng }, file),
  };
  return {
    ...gateway,
    audits: new Audits({
      ...{ ...gateway, keys, learning, auditStore: stores.auditStore },
      onAudited: (end) => telemetry?.metrics.audited(end),
    }),
  };
}

function observed(
  { ledger, log }: KvStores,
  { metrics, requestEnded: onRow }: Telemetry,
): Pick<GatewayParts, "ledger" | "log"> {
  const observer = { onRow, metrics };
  return { ledger: observedLedger(ledger, observer), log: observedLog(log, observer) };
}

/** Returns a function that creates one back end of web search per configuration. */
function webSearches({ env, clock, noteSecret }: ServiceDeps): ModelCallDeps["webSearch"] {
  const known = new WeakMap<SearchConfig, WebSearch>();
  return (config) => {
    if ("apiKey" in config && config.apiKey !== undefined) noteSecret?.(config.apiKey);
    const search = known.get(config) ?? createWebSearch(config, { env, clock });
    known.set(config, search);
    return search;
  };
}
