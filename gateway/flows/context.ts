import type { Model, SearchConfig } from "../domain/catalog/catalog.ts";
import type { TraitsOf } from "../domain/catalog/provider_traits.ts";
import type { Observation } from "../domain/routing/health.ts";
import type { TargetState } from "../domain/routing/plan.ts";
import type { CatalogStore } from "../ports/catalog_store.ts";
import type { Clock } from "../ports/clock.ts";
import type { FetchFile, MediaFile } from "../ports/fetch_image.ts";
import type { KeyStore } from "../ports/key_store.ts";
import type { LedgerStore } from "../ports/ledger_store.ts";
import type { Logger } from "../ports/logger.ts";
import type { RequestLog } from "../ports/request_log.ts";
import type { ResponseStore } from "../ports/response_store.ts";
import type { Rng } from "../ports/rng.ts";
import type { Tracer } from "../ports/tracer.ts";
import type { TokenCounter } from "../ports/token_counter.ts";
import type { Upstream } from "../ports/upstream.ts";
import type { VectorStores } from "../ports/vector_stores.ts";
import type { WebSearch } from "../ports/web_search.ts";
import type { Admission } from "./admit/admission.ts";
import type { BoundedMap } from "../system/bounded_map.ts";
import type { Checkpoints } from "./stream/checkpoints.ts";
import type { FailedAttempts } from "./call/failed_attempts.ts";
import type { SearchMemory } from "./hosted/search_memory.ts";
import type { HeldBodies } from "./admit/held_bodies.ts";
import type { InFlight } from "./admit/in_flight.ts";
import type { SettlementRetries } from "./settle/settlement_retries.ts";
import type { SignatureMemory } from "./plan/signature_memory.ts";

/** The right to make one call at an upstream. */
export interface Lease {
  readonly upstream: Upstream;
  /** Tells the pool how the attempt went. */
  report(observation: Observation): void;
  /** Tells the pool that another model is asked, since this attempt has failed. */
  failedOver(): void;
  /** Gives the place back; once. */
  release(): void;
}

/** The turn of a request that waited for a place. Given up where it is disposed of unused. */
export interface Turn extends Disposable {
  /**
   * Frees the place for as long as `take` runs, so that it can be acquired, and by nobody else. What
   * is left free then goes to the next in line. Once.
   */
  use<T>(take: () => T): T;
}

/** What flows need of the upstream pool. */
export interface Pool {
  /** Availability by model id. */
  states(nowMs: number): ReadonlyMap<string, TargetState>;
  /** A place at the model's upstream; `undefined` where it is full or gone. */
  acquire(model: Model): Lease | undefined;
  /**
   * Waits for a place at the upstream of one of the models, owners in turn; `undefined` where none
   * came in time, where the signal was aborted, and where too many wait.
   */
  turn(
    wanted: { readonly models: readonly Model[]; readonly owner: string; readonly waitMs: number },
    signal: AbortSignal,
  ): Promise<Turn | undefined>;
}

/** What flows need of the books. */
export type FlowLedger = Pick<
  LedgerStore,
  "hold" | "progress" | "settle" | "release" | "wallet" | "keySpend"
>;

/** What flows need of the request log. */
export type FlowLog = Pick<RequestLog, "append">;

/** Everything that flows reach the world through. */
export interface GatewayContext {
  readonly catalogs: CatalogStore;
  /** Traits of the kinds of upstreams. */
  readonly traitsOf: TraitsOf;
  /** What keys are now: they may change while a request waits. */
  readonly keys: Pick<KeyStore, "get">;
  readonly ledger: FlowLedger;
  readonly log: FlowLog;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly rng: Rng;
  readonly tokens: TokenCounter;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly admission: Admission;
  /** Bytes of request bodies in memory. */
  readonly bodies: HeldBodies;
  /** The model that answered a conversation last, by key id and conversation hash. */
  readonly conversations: BoundedMap<string, string>;
  readonly signatures: SignatureMemory;
  readonly found: SearchMemory;
  readonly inFlight: InFlight;
  readonly checkpoints: Checkpoints;
  readonly settlementRetries: SettlementRetries;
  readonly failedAttempts: FailedAttempts;
  /** Responses that may be asked for again. */
  readonly responses: ResponseStore;
  /** What file search searches. */
  readonly vectorStores: VectorStores;
  /** The back end of hosted web search that a catalog names. */
  webSearch(config: SearchConfig): WebSearch;
  /** Longest silence of a stream that is being planned, in milliseconds. @default {KEEP_ALIVE_MS} */
  readonly silenceMs?: number | undefined;
  /** How long a response is kept, in milliseconds. */
  responsesKeptMs(): number;
  /** Fetches a document that a caller points to. */
  readonly fetchFile: FetchFile;
  /** Puts a file up for a while and returns its address; `undefined` where there is no room. */
  publishFile(file: MediaFile): Promise<string | undefined>;
}
