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
  };
}
