import type { Context, Hono } from "@hono/hono";
import type { ErrorCode } from "@svc/sdk/protocol";
import type { Catalog, CatalogContent, UpstreamConfig } from "../domain/catalog/catalog.ts";
import type { ConnectionInfo } from "../http/env.ts";
import type { ListenerDescription } from "../http/routes/description.ts";
import type { PresentedSecret } from "../http/bad_keys.ts";
import type { TargetState } from "../domain/routing/plan.ts";
import type { AdminTokens } from "../flows/keys/admin_tokens.ts";
import type { KeyRing } from "../flows/keys/key_ring.ts";
import type { Learning } from "../flows/learn/learning.ts";
import type { LowBalances } from "../flows/settle/low_balances.ts";
import type { CatalogStore } from "../ports/catalog_store.ts";
import type { Clock } from "../ports/clock.ts";
import type { KeyStore } from "../ports/key_store.ts";
import type { LedgerStore, VerificationStep } from "../ports/ledger_store.ts";
import type { Logger } from "../ports/logger.ts";
import type { RequestLog } from "../ports/request_log.ts";
import type { Rng } from "../ports/rng.ts";
import type { SnapshotStore } from "../ports/snapshot_store.ts";
import type { Upstream } from "../ports/upstream.ts";
import type { VoteStore } from "../ports/vote_store.ts";
import type { VectorStores } from "../ports/vector_stores.ts";
import type { PepperBook } from "../flows/keys/pepper_book.ts";
import type { RecentCounts } from "../upstreams/recent_attempts.ts";

/** State of the upstream pool, as the operator's API shows it. */
export interface PoolView {
  /** Availability by model id; a model without an entry is available. */
  states(nowMs: number): ReadonlyMap<string, TargetState>;
  /** Calls in flight, by upstream id. */
  inFlight(): ReadonlyMap<string, number>;
  /** Counts of the attempts at an upstream in the last minutes. */
  recent(upstream: string): RecentCounts;
}

/** The page of `GET /metrics`, and its token. */
export interface MetricsPage {
  /** Returns the text that Prometheus reads, format 0.0.4. */
  page(): Promise<string>;
  /** Returns true when a secret is the token of this page alone. */
  admits(secret: string): boolean;
  /** True when such a token is set. */
  readonly needsToken: boolean;
}

/** Dependencies of the operator's API. */
export interface AdminDeps {
  readonly ledger: LedgerStore;
  readonly keys: KeyStore;
  readonly keyRing: KeyRing;
  readonly catalogs: CatalogStore;
  readonly log: RequestLog;
  readonly learning: Pick<Learning, "snapshot" | "newest" | "take" | "freeze" | "forget">;
  readonly snapshots: Pick<SnapshotStore, "list" | "get" | "frozen">;
  readonly votes: Pick<VoteStore, "of">;
  readonly lowBalances: LowBalances;
  readonly vectorStores: VectorStores;
  readonly pool: PoolView;
  readonly clock: Clock;
  readonly rng: Rng;
  readonly logger: Logger;
  /** Absent where metrics are off. */
  readonly metrics?: MetricsPage | undefined;
  /** Called with the code of every error answer. @default {not called} */
  readonly onRefusal?: ((code: ErrorCode) => void) | undefined;
  readonly adminTokens: AdminTokens;
  readonly description: ListenerDescription;
  /** Adds the console to the listener. */
  readonly mountConsole: (app: AdminApp, parts: ConsoleParts) => void;
  /** Called with the admin token that has replaced the stored one. */
  readonly onAdminToken: (token: string) => Promise<void>;
  readonly pepperBook: Pick<PepperBook, "uses" | "keysOfPrevious" | "rotate" | "drop">;
  /** Aborted when the service stops: endless streams end then. @default {never} */
  readonly closing?: AbortSignal | undefined;
  /** Calls the gateway itself, to verify a key. @default {the global `fetch`} */
  readonly fetch?: ((address: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Sends a request to the public listener in this process, as the playground does. */
  readonly callPublic: (request: Request) => Promise<Response>;
  /** Returns the base URL that applications call. */
  readonly publicUrl: () => string;
  /** Looks an environment variable up, to find upstreams without credentials. */
  readonly env?: ((name: string) => string | undefined) | undefined;
  /**
   * Opens a separate connection to an upstream, to ask it for its models; throws where it cannot.
   */
  readonly connect: (config: UpstreamConfig) => Pick<Upstream, "models" | "close">;
  /**
   * Makes a version and brings it into force. Returns `undefined` where the newest version is not
   * `expected`.
   */
  readonly applyCatalog: (
    content: CatalogContent,
    options: { expected: number; note: string },
  ) => Promise<Catalog | undefined>;
  /**
   * Recomputes the books from the journal and compares, also while they change. Ending the
   * iteration ends the work.
   */
  readonly verifyLedger: () => AsyncGenerator<VerificationStep, void>;
}

/**
 * Returns true when a token is valid; throws `rate_limit_exceeded` where its address has sent too many
 * wrong ones. `opens` accepts another secret where the token is presented.
 */
export type AdmitToken = (
  presented: PresentedSecret,
  opens?: (secret: string) => boolean,
) => Promise<boolean>;

/** Parts of the admin listener that the console uses. */
export interface ConsoleParts extends Pick<AdminDeps, "clock" | "logger"> {
  /** The admin API without its bearer check: the console has authenticated the operator already. */
  readonly api: AdminApp;
  /** Checks an admin token as the API does, and slows down guessing. */
  readonly admit: AdmitToken;
  /** Returns a number that grows whenever an admin token stops being valid. */
  readonly tokenEpoch: () => number;
}

/** Environment of the handlers of the operator's API. */
export interface AdminEnv {
  Bindings: ConnectionInfo;
  Variables: {
    /** The caller's `X-Request-ID`, or a generated one. */
    requestId: string;
  };
}

/** An application with the environment of the operator's API. */
export type AdminApp = Hono<AdminEnv>;

/** One request of the operator's API. */
export type AdminContext = Context<AdminEnv>;
