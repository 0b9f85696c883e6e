import type { Context, Hono } from "@hono/hono";
import type { ErrorCode } from "@svc/sdk/protocol";
import type { Catalog, CatalogContent, UpstreamConfig } from "../domain/catalog/catalog.ts";
import type { ConnectionInfo } from "../http/env.ts";
import type { ListenerDescription } from "../http/routes/description.ts";
import type { PresentedSecret } from "../http/bad_keys.ts";
import type { TargetState } from "../domain/routing/plan.ts";
import type { AdminTokens } from "../flows/keys/admin_tokens.ts";
import type { KeyRing } from "../flows/keys/key_ring.ts";
import type { LowBalances } from "../flows/settle/low_balances.ts";
import type { CatalogStore } from "../ports/catalog_store.ts";
import type { Clock } from "../ports/clock.ts";
import type { KeyStore } from "../ports/key_store.ts";
import type { LedgerStore, VerificationStep } from "../ports/ledger_store.ts";
import type { Logger } from "../ports/logger.ts";
import type { RequestLog } from "../ports/request_log.ts";
import type { Rng } from "../ports/rng.ts";
import type { Upstream } from "../ports/upstream.ts";
import type { VectorStores } from "../ports/vector_stores.ts";
import type { PepperBook } from "../flows/keys/pepper_book.ts";
import type { RecentCounts } from "../upstreams/recent_attempts.ts";

/** What the operator's API shows of the upstream pool. */
export interface PoolView {
  /** Availability by model id; a model not in it is available. */
  states(nowMs: number): ReadonlyMap<string, TargetState>;
  /** Calls under way, by upstream id. */
  inFlight(): ReadonlyMap<string, number>;
  /** What the attempts of the last minutes came to, by an upstream's id. */
  recent(upstream: string): RecentCounts;
}

/** What `GET /metrics` shows, and to whom besides the operator. */
export interface MetricsPage {
  /** The text that Prometheus reads, format 0.0.4. */
  page(): Promise<string>;
  /** Whether a secret is the token that opens this page alone. */
  admits(secret: string): boolean;
  /** True where there is such a token. */
  readonly needsToken: boolean;
}

/** What the operator's API works with. */
export interface AdminDeps {
  readonly ledger: LedgerStore;
  readonly keys: KeyStore;
  readonly keyRing: KeyRing;
  readonly catalogs: CatalogStore;
  readonly log: RequestLog;
  readonly lowBalances: LowBalances;
  readonly vectorStores: VectorStores;
  readonly pool: PoolView;
  readonly clock: Clock;
  readonly rng: Rng;
  readonly logger: Logger;
  /** Absent where nothing is counted. */
  readonly metrics?: MetricsPage | undefined;
  /** Told of every error answer. @default {nobody is told} */
  readonly onRefusal?: ((code: ErrorCode) => void) | undefined;
  readonly adminTokens: AdminTokens;
  readonly description: ListenerDescription;
  /** Adds the console to the listener. */
  readonly mountConsole: (app: AdminApp, parts: ConsoleParts) => void;
  /** Told of the admin token that has taken the place of the kept one. */
  readonly onAdminToken: (token: string) => Promise<void>;
  readonly pepperBook: Pick<PepperBook, "standing" | "rotate" | "drop">;
  /** Aborted when the service ends: streams that have no end of their own end then. @default {never} */
  readonly closing?: AbortSignal | undefined;
  /** How the gateway calls itself, to verify a key. @default {the machine's own} */
  readonly fetch?: ((address: string, init: RequestInit) => Promise<Response>) | undefined;
  /** What applications call, in this process: the playground calls as they do. */
  readonly callPublic: (request: Request) => Promise<Response>;
  /** Where applications call. */
  readonly publicUrl: () => string;
  /** Looks an environment variable up, to say which upstreams lack their keys. */
  readonly env?: ((name: string) => string | undefined) | undefined;
  /** A connection of its own to an upstream, to ask it for its models; throws where it cannot be made. */
  readonly connect: (config: UpstreamConfig) => Pick<Upstream, "models" | "close">;
  /**
   * Makes a version and brings it into force; `undefined` where the newest is not `expected` any
   * more.
   */
  readonly applyCatalog: (
    content: CatalogContent,
    options: { expected: number; note: string },
  ) => Promise<Catalog | undefined>;
  /**
   * Recomputes the books from the journal and compares, also while they change. Whoever stops asking
   * ends the work.
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

/** Parts of the admin listener that the console is built on. */
export interface ConsoleParts extends Pick<AdminDeps, "clock" | "logger"> {
  /** The admin API without its bearer check: the console has authenticated the operator already. */
  readonly api: AdminApp;
  /** Checks an admin token as the API does, and slows down guessing. */
  readonly admit: AdmitToken;
  /** A number that grows whenever an admin token stops being valid. */
  readonly tokenEpoch: () => number;
}

/** What the handlers of the operator's API find in their context. */
export interface AdminEnv {
  Bindings: ConnectionInfo;
  Variables: {
    /** The caller's `X-Request-ID`, or one made here. */
    requestId: string;
  };
}

/** The operator's API, or one noun of it. */
export type AdminApp = Hono<AdminEnv>;

/** One request of the operator's API. */
export type AdminContext = Context<AdminEnv>;
