import type { Dialect } from "@svc/sdk/protocol";
import type { KeyRecord } from "../domain/policy/key.ts";

/** What the listener knows of a connection. */
export interface ConnectionInfo {
  /** Address of the peer, without its port; empty where it is unknown. */
  readonly remoteAddress: string;
}

/** What middleware leaves for the handlers of the public listener. */
export interface PublicEnv {
  Bindings: ConnectionInfo;
  Variables: {
    /** The caller's `X-Request-ID`, or one made here. */
    requestId: string;
    /** Set behind {@linkcode authenticate}. */
    key: KeyRecord;
    /** The dialect of the answer; set by the handler. */
    dialect?: Dialect;
  };
}
