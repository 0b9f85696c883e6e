import type { Context, Hono } from "@hono/hono";
import type { ErrorCode } from "@svc/sdk/protocol";
import type { Catalog, CatalogContent, UpstreamConfig } from "../domain/catalog/catalog.ts";
import type { ConnectionInfo } from "../http/env.ts";
import type { ListenerDescription } from "../http/routes/description.ts";
import type { PresentedSecret } from "../http/bad_keys.ts";
import type { TargetState } from "../domain/routing/plan.ts";
import type { Actor } from "../domain/operators/operator.ts";
import type { Noted } from "../domain/operators/trail.ts";
import type { AdminTokens } from "../flows/keys/admin_tokens.ts";
import type { HolderAccess } from "../flows/keys/holder_access.ts";
import type { KeyRing } from "../flows/keys/key_ring.ts";
import type { Corrections } from "../flows/operators/corrections.ts";
import type { Admitted, Operators } from "../flows/operators/operators.ts";
import type { SignOn } from "../flows/operators/sign_on.ts";
import type { Sessions } from "../flows/operators/sessions.ts";
import type { Trail } from "../flows/operators/trail.ts";
import type { Learning } from "../flows/learn/learning.ts";
import type { LowBalances } from "../flows/settle/low_balances.ts";
import type { CatalogStore } from "../ports/catalog_store.ts";
import type { Clock } from "../ports/clock.ts";
import type { EmbeddingPinStore } from "../ports/embedding_pin_store.ts";
import type { KeyStore } from "../ports/key_store.ts";
import type { LedgerStore, VerificationStep } from "../ports/ledger_store.ts";
import type { Logger } from "../ports/logger.ts";
import type { Notices } from "../ports/notices.ts";
import type { RequestLog } from "../ports/request_log.ts";
import type { Rng } from "../ports/rng.ts";
import type { SettingsStore } from "../ports/settings_store.ts";
import type { SnapshotStore } from "../ports/snapshot_store.ts";
import type { TrailStore } from "../ports/trail_store.ts";
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
  /** Sign-in of key holders; absent where their pages are switched off. */
  readonly holderAccess?: HolderAccess | undefined;
  readonly embeddingPins: EmbeddingPinStore;
  readonly catalogs: CatalogStore;
  readonly log: RequestLog;
  readonly learning: Pick<Learning, "snapshot" | "newest" | "takeAll" | "freeze" | "forget">;
  readonly settings: SettingsStore;
  readonly snapshots: Pick<SnapshotStore, "list" | "get" | "frozen">;
  readonly votes: Pick<VoteStore, "of">;
  readonly lowBalances: LowBalances;
  readonly vectorStores: VectorStores;
  readonly notices: Notices;
  readonly pool: PoolView;
  /** Returns the number of this gateway; absent where one gateway has the store. */
  readonly instance?: (() => number) | undefined;
  readonly clock: Clock;
  readonly rng: Rng;
  readonly logger: Logger;
  /** Absent where metrics are off. */
  readonly metrics?: MetricsPage | undefined;
  /** Called with the code of every error answer. @default {not called} */
  readonly onRefusal?: ((code: ErrorCode) => void) | undefined;
  readonly adminTokens: AdminTokens;
  readonly operators: Operators;
  readonly corrections: Corrections;
  readonly sessions: Sessions;
  /** Sign-in at an identity provider; absent without one. */
  readonly signOn?: SignOn | undefined;
  /** Origin of the console that the operator has configured; absent without one. */
  readonly consoleUrl?: string | undefined;
  /** Writes the audit log. */
  readonly trail: Trail;
  readonly trailStore: TrailStore;
  readonly description: ListenerDescription;
  /** Adds the console to the listener. */
  readonly mountConsole: (app: AdminApp, parts: ConsoleParts) => void;
  /** Called with the admin token that has replaced the stored one. */
  readonly onAdminToken: (token: string) => Promise<void>;
  readonly pepperBook: Pick<PepperBook, "uses" | "keysOfPrevious" | "rotate" | "drop">;
  /**
   * Reads peppers and admin tokens again, before a token is refused.
   *
   * @default {only this process changes them}
   */
  readonly refreshSecrets?: (() => Promise<void>) | undefined;
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
    options: { expected: number; note: string } & Noted<Catalog>,
  ) => Promise<Catalog | undefined>;
  /**
   * Recomputes the books from the journal and compares, also while they change. Ending the
   * iteration ends the work.
   */
  readonly verifyLedger: () => AsyncGenerator<VerificationStep, void>;
}

/**
 * Returns the holder of a valid token; throws `rate_limit_exceeded` where its address has sent too many
 * wrong ones. `opens` accepts another secret where the token is presented, with no right at all.
 */
export type AdmitToken = (
  presented: PresentedSecret,
  opens?: (secret: string) => boolean,
) => Promise<Admitted | undefined>;

/** Parts of the admin listener that the console uses. */
export interface ConsoleParts
  extends Pick<AdminDeps, "clock" | "logger" | "sessions" | "signOn" | "consoleUrl" | "trail"> {
  /** The admin API without its bearer check: the console has authenticated the operator already. */
  readonly api: AdminApp;
  /** Checks an admin token as the API does, and slows down guessing. */
  readonly admit: AdmitToken;
  /** Returns the mark of an admin token; `undefined` if it is not accepted any more. */
  readonly tokenMark: (token: string) => Promise<string | undefined>;
}

/** Environment of the handlers of the operator's API. */
export interface AdminEnv {
  Bindings: ConnectionInfo & {
    /** The actor of a request of the console, which has authenticated them. */
    readonly actor?: Actor;
  };
  Variables: {
    /** The caller's `X-Request-ID`, or a generated one. */
    requestId: string;
    /** Set behind the check of the token. */
    actor: Actor;
    /**
     * Checks the token again, for answers that do not end; `undefined` once it is not in force. Absent
     * for the console, which ends such answers itself.
     */
    actorNow?: () => Promise<Actor | undefined>;
  };
}

/** An application with the environment of the operator's API. */
export type AdminApp = Hono<AdminEnv>;

/** One request of the operator's API. */
export type AdminContext = Context<AdminEnv>;
