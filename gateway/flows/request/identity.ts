import type { Dialect, Endpoint } from "@svc/sdk/protocol";
import type { OrchestrationChoice } from "../../domain/orchestration/mode.ts";
import type { Attribution } from "../../domain/requests/attribution.ts";
import type { AutoChoice } from "../../domain/routing/auto.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";

/** The identity of a request: its caller, key, ids and endpoint. It never changes. */
export interface RequestIdentity {
  /** The key as it was when the request was authenticated. */
  readonly key: KeyRecord;
  /** The caller's `X-Request-ID`, or an id made by the gateway. */
  readonly requestId: string;
  /** Id of the row in the request log. */
  readonly logId: string;
  readonly endpoint: Endpoint;
  /** The names that the caller gave the call; parts of a request inherit them. */
  readonly attribution?: Attribution | undefined;
  /** True when the caller asked for a stream. */
  readonly stream: boolean;
  /** Dialect of the answer. */
  readonly dialect: Dialect;
  /** The value of the header `X-Orchestration`. */
  readonly orchestration?: OrchestrationChoice | undefined;
  /** The header `X-Auto`, which the key's policy allows. */
  readonly auto?: AutoChoice | undefined;
  /** Time at which the key's limits counted the request, in Unix milliseconds; absent before that. */
  readonly admittedAtMs?: number | undefined;
}
