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
import { SharedAdmission } from "../flows/admit/shared_admission.ts";
import { Checkpoints } from "../flows/stream/checkpoints.ts";
import type { ModelCallDeps } from "../flows/model_calls.ts";
import { OwnRecords } from "../key_holder/own_records.ts";
import { keyHolderRoutes } from "../key_holder/routes.ts";
import type { PublicGateway } from "../http/public_app.ts";
import { CallerFiles } from "../flows/files/caller_files.ts";
import { CallerStores } from "../flows/files/caller_stores.ts";
import { FileRate } from "../flows/files/file_rate.ts";
import { InFlight } from "../flows/admit/in_flight.ts";
import type { HolderAccess } from "../flows/keys/holder_access.ts";
import type { KeyRing } from "../flows/keys/key_ring.ts";
import { Feedback } from "../flows/learn/feedback.ts";
import { Audits } from "../flows/learn/audits.ts";
import { Learning } from "../flows/learn/learning.ts";
import type { LowBalances } from "../flows/settle/low_balances.ts";
import { rememberingLedger } from "../flows/settle/remembering_ledger.ts";
import { SettlementRetries } from "../flows/settle/settlement_retries.ts";
import { publishFile, type SignedLinks } from "../flows/images/signed_links.ts";
import type { Answering } from "../http/listen.ts";
import { FailedAttempts } from "../flows/call/failed_attempts.ts";
import { SearchMemory } from "../flows/hosted/search_memory.ts";
import { ConversationModels } from "../flows/plan/conversation_models.ts";
import { HeldBodies } from "../flows/admit/held_bodies.ts";
import { SignatureMemory } from "../flows/plan/signature_memory.ts";
import { Recall } from "../flows/recall/recall.ts";
import type { CallerMemory } from "../ports/caller_memory.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { RequestRecord } from "../ports/request_log.ts";
import type { Rng } from "../ports/rng.ts";
import type { VectorStores } from "../ports/vector_stores.ts";
import type { WebSearch } from "../ports/web_search.ts";
import { createWebSearch } from "../search/factory.ts";
import type { Stores } from "../ports/stores.ts";
import { createTokenCounter } from "../tokens/token_counter.ts";
import { embedderInForce } from "../upstreams/embedder.ts";
import { observedLedger, observedLog } from "../telemetry/observed_stores.ts";
import { passingOn } from "../telemetry/passed_on.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { createUpstream } from "../upstreams/factory.ts";
import { traitsOf } from "../upstreams/providers/provider_kinds.ts";
import type { Notifier } from "../notify/notifier.ts";
import { UpstreamPool } from "../upstreams/pool.ts";
import { MAX_FILES } from "../vector_stores/limits.ts";
import { createVectorStores } from "../vector_stores/vector_stores.ts";
import type { CredentialsFile } from "../system/credentials.ts";
import { fetchFile } from "./fetch_file.ts";
import type { Gate } from "./gate.ts";
import type { PepperBook } from "../flows/keys/pepper_book.ts";
import { unreadableKeys } from "../config/permissions.ts";
import type { ServeSettings } from "../config/settings.ts";

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
  readonly records: OwnRecords;
  readonly settlementRetries: SettlementRetries;
};

/** The parts of a running service. */
export interface Service {
  readonly settings: ServeSettings;
  readonly deps: ServiceDeps;
  readonly stores: Stores;
  readonly pool: UpstreamPool;
  readonly learning: Learning;
  readonly keyRing: KeyRing;
  /** Sign-in of key holders; absent where their pages are switched off. */
  readonly holderAccess: HolderAccess | undefined;
  readonly pepperBook: PepperBook;
  readonly adminTokens: AdminTokens;
  readonly credentials: CredentialsFile;
  readonly links: SignedLinks;
  readonly gateway: GatewayParts;
  readonly vectorStores: VectorStores;
  readonly gate: Gate;
  readonly lowBalances: LowBalances;
  readonly notifier: Notifier;
  readonly telemetry: Telemetry;
  /** Returns the public base URL, which is known once the listeners are open. */
  readonly publicUrl: () => string;
}

/**
 * Returns the pool of the upstreams of a catalog. Logs those that cannot be called for want of
 * credentials.
 */
export function poolOf(
  catalog: Catalog,
  deps: ServiceDeps,
  { telemetry, notifier }: Pick<Service, "telemetry"> & { readonly notifier?: Notifier },
): UpstreamPool {
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
    onAttempt: (attempt) => {
      if (attempt.hadBegun) telemetry.metrics.brokeOff(attempt);
      else telemetry.metrics.attempted(attempt);
      notifier?.events.attempt(attempt, clock.nowMs());
    },
    onOperatorTrouble: (event) => logger.error("upstream_refuses_credentials", { ...event }),
  });
}

/** Name of the setting with the secret of the fingerprints of tasks. */
const LEARNING_SECRET = "routing_secret";

/** Opens the statistics of routing. */
export async function learningOf(
  { settings, snapshots, votes, catalogs, shared }: Pick<
    Stores,
    "settings" | "snapshots" | "votes" | "catalogs" | "shared"
  >,
  { clock, logger }: Pick<ServiceDeps, "clock" | "logger">,
  created: string,
): Promise<Learning> {
  const secret = await settings.setOnce(LEARNING_SECRET, created);
  const learning = new Learning({
    ...{ snapshots, votes, catalogs, clock, logger, secret },
    additions: shared?.additions,
  });
  await learning.open();
  return learning;
}

/** Returns the gateway's vector stores. */
export function vectorStoresOf(stores: Stores, deps: ServiceDeps): VectorStores {
  return createVectorStores({
    ...deps,
    passages: stores.passages,
    embedder: embedderInForce({ ...deps, catalog: () => stores.catalogs.current() }),
  });
}

/** The parts that {@linkcode gatewayOf} takes beside the stores. */
type PartsOfGateway = Pick<Service, "pool" | "links" | "vectorStores" | "deps" | "learning"> & {
  /** @default {no observation} */
  readonly telemetry?: Telemetry;
  readonly notifier?: Notifier | undefined;
  /** @default {holders of keys have no pages} */
  readonly holderAccess?: HolderAccess | undefined;
  /** @default {none} */
  readonly publicUrl?: () => string;
};

/** Returns the parts that model calls and the public listener use. */
export function gatewayOf(
  stores: Stores,
  parts: PartsOfGateway,
): GatewayParts {
  const { blobs, catalogs, embeddingPins, keys, responses, shared } = stores;
  const { pool, links, vectorStores, telemetry, learning, holderAccess, publicUrl = () => "" } =
    parts;
  const { ledger, log } = telemetry === undefined
    ? stores
    : observed(stores, telemetry, parts.notifier);
  const { clock, rng, logger } = parts.deps;
  const admission = shared === undefined ? new Admission() : new SharedAdmission(shared.counts);
  const records = new OwnRecords({
    ...{ admission, clock, embeddingPins, ledger: stores.ledger, log: stores.log },
  });
  const gateway: Omit<GatewayParts, "audits"> = {
    ...filesOf(stores, { clock, rng, vectorStores }),
    fileRate: new FileRate({ admission, clock }),
    catalogs,
    traitsOf,
    embeddingPins,
    keys,
    ledger: shared === undefined ? ledger : rememberingLedger(ledger, shared.memory),
    log,
    pool,
    learning,
    records,
    ownRecords: keyHolderRoutes({ records, links: { holderAccess, publicUrl } }),
    feedback: new Feedback({ clock, log: stores.log, votes: stores.votes }),
    vectorStores,
    clock,
    rng,
    logger,
    tracer: telemetry?.tracer ?? passingOn,
    tokens: createTokenCounter(),
    admission,
    bodies: new HeldBodies(() => limitsInForce(catalogs.current())),
    ...memoriesOf(shared?.memory),
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

/** Returns files and vector stores of callers. */
function filesOf(
  { callerFiles: store }: Pick<Stores, "callerFiles">,
  deps: Pick<GatewayParts, "clock" | "rng" | "vectorStores">,
): Pick<GatewayParts, "callerFiles" | "callerStores"> {
  const callerFiles = new CallerFiles({ ...deps, callerFiles: store });
  return {
    callerFiles,
    callerStores: new CallerStores({ ...deps, files: callerFiles, storeFilesMax: MAX_FILES }),
  };
}

/** Returns what is remembered for callers: shared with other instances if there is a memory for it. */
function memoriesOf(
  memory: CallerMemory | undefined,
): Pick<GatewayParts, "recall" | "conversations" | "signatures" | "searchMemory"> {
  const own = {
    conversations: new ConversationModels(memory),
    signatures: new SignatureMemory(memory),
    searchMemory: new SearchMemory(memory),
  };
  return { ...own, recall: memory && new Recall({ memory, ...own }) };
}

function observed(
  { ledger, log }: Stores,
  { metrics, requestEnded }: Telemetry,
  notifier: Notifier | undefined,
): Pick<GatewayParts, "ledger" | "log"> {
  const onRow = notifier === undefined ? requestEnded : (record: RequestRecord) => {
    requestEnded(record);
    notifier.events.request(record);
  };
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
