import type { Dialect } from "@svc/sdk/protocol";
import type { KeyRecord } from "../domain/policy/key.ts";

/** Facts of a connection that the listener passes on. */
export interface ConnectionInfo {
  /** Address of the peer without its port; empty where it is unknown. */
  readonly remoteAddress: string;
}

/** Environment of the public listener: variables that middleware sets for the handlers. */
export interface PublicEnv {
  Bindings: ConnectionInfo;
  Variables: {
    /** The caller's `X-Request-ID`, or a generated one. */
    requestId: string;
    /** Set by {@linkcode authenticate}. */
    key: KeyRecord;
    /** Dialect of the answer; set by the handler. */
    dialect?: Dialect;
    /** The `x-ratelimit-*` headers of the answer; set by the handler of a model call. */
    rateLimits?: Readonly<Record<string, string>>;
  };
}
