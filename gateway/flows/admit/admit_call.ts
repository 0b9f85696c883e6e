/**
 * The admission of a call: its body is read within the memory limits, counted by the rate limits
 * and validated. No model is selected and no credits are held before that.
 *
 * @module
 */

import { type Dialect, type Endpoint, MODEL_AUTO } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import { attributionOf } from "../../domain/requests/attribution.ts";
import type { AutoChoice } from "../../domain/routing/auto.ts";
import type { OrchestrationChoice } from "../../domain/orchestration/mode.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import { missingName } from "../../domain/policy/key_budget.ts";
import type { BodyHold } from "../../ports/body_hold.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Rng } from "../../ports/rng.ts";
import type { Tracer } from "../../ports/tracer.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { LONG_CHARS, yieldToEventLoop } from "../../system/yield_to_event_loop.ts";
import { ActiveRequest, type RequestConnection } from "../request/active_request.ts";
import type { RequestIdentity } from "../request/identity.ts";
import { logFailure, type LogFailureDeps } from "../request/log_failure.ts";
import type { KeyLimits } from "./admission.ts";
import type { HeldBodies } from "./held_bodies.ts";

/** A validated body. */
export interface CheckedCall<Checked> {
  readonly checked: Checked;
  /** The value of the header `X-Orchestration`. */
  readonly orchestration?: OrchestrationChoice | undefined;
  /** The header `X-Auto`, which the key's policy allows. */
  readonly auto?: AutoChoice | undefined;
}

/** An authenticated request to a model endpoint whose body has not been read. */
export interface IncomingCall<Checked> {
  readonly key: KeyRecord;
  readonly requestId: string;
  /** The header `traceparent`, unchecked. */
  readonly traceparent: string | null;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Dialect of the answer, which is known once the body has been read. */
  readonly dialect: Dialect | undefined;
  /** Reads the header `X-Tag`. Throws a {@linkcode ServiceFault} if it is malformed. */
  tags(): string | undefined;
  /** Reads the body; `hold` counts its bytes first. Throws a {@linkcode ServiceFault} if it is refused. */
  read(hold: BodyHold): Promise<JsonBody>;
  /** Validates a body that asks for the model `auto`. Throws a {@linkcode ServiceFault} if it is invalid. */
  check(body: JsonBody): CheckedCall<Checked>;
}

/** A call that may be planned. */
export interface AdmittedCall<Checked> {
  readonly identity: RequestIdentity;
  readonly connection: RequestConnection;
  readonly body: JsonBody;
  readonly checked: Checked;
  /** Releases the memory of the body and the slot among the key's concurrent requests. */
  leave(): void;
}

/** Parts of the service that admission uses. */
export type AdmitDeps = LogFailureDeps & {
  readonly admission: Pick<KeyLimits, "admit">;
  readonly bodies: Pick<HeldBodies, "hold">;
  readonly clock: Clock;
  readonly rng: Pick<Rng, "id">;
  readonly tracer: Tracer;
};

/** Admits a call. Throws the reason of a refusal, which is in the request log then. */
export async function admitCall<Checked>(
  deps: AdmitDeps,
  endpoint: Endpoint,
  call: IncomingCall<Checked>,
): Promise<AdmittedCall<Checked>> {
  const { key, requestId, traceparent, signal } = call;
  const hold = deps.bodies.hold(key.id, signal);
  let leave = () => hold.release();
  const logId = deps.rng.id("log");
  let identity: RequestIdentity = {
    ...{ key, requestId, logId, endpoint, stream: false, dialect: "service" },
  };
  const span = deps.tracer.begin({ logId, requestId, endpoint, traceparent });
  const connection = { signal, span, hold };
  try {
    const body = await call.read(hold);
    const attribution = attributionOf(call.tags(), body.value);
    if (attribution !== undefined) identity = { ...identity, attribution };
    // Counted only after the body has arrived: a slow body would block other requests of the key.
    const admitting = deps.admission.admit(key, deps.clock.nowMs());
    const admitted = admitting instanceof Promise ? await admitting : admitting;
    leave = () => {
      hold.release();
      admitted.leave();
    };
    const missing = missingName(key.policy, attribution);
    if (missing !== undefined) throw new ServiceFault("policy_denied", { ...missing });
    if (body.value.model !== MODEL_AUTO) {
      throw new ServiceFault("model_not_allowed", { param: "model" });
    }
    const isLong = body.text.length > LONG_CHARS;
    if (isLong) await yieldToEventLoop();
    const { checked, orchestration, auto } = call.check(body);
    if (isLong) await yieldToEventLoop();
    const stream = body.value.stream === true;
    const { dialect = "service" } = call;
    const { atMs: admittedAtMs } = admitted;
    return {
      identity: { ...identity, stream, dialect, admittedAtMs, orchestration, auto },
      ...{ connection, body, checked, leave },
    };
  } catch (error) {
    leave();
    logFailure(deps, new ActiveRequest(identity, connection, deps.clock), error);
    throw error;
  }
}
