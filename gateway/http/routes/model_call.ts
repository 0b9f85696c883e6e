import type { Handler } from "@hono/hono";
import { type Dialect, type Endpoint, MODEL_AUTO } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import {
  ORCHESTRATION_CHOICES,
  type OrchestrationChoice,
} from "../../domain/orchestration/mode.ts";
import type { GatewayContext } from "../../flows/context.ts";
import type { BodyHold } from "../../flows/admit/held_bodies.ts";
import { logFailure } from "../../flows/settle/log_failure.ts";
import type { ModelAnswer } from "../../flows/model_answer.ts";
import { type Caller, RequestTrace } from "../../flows/request_trace.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { LONG_CHARS, yieldToEventLoop } from "../../system/yield_to_event_loop.ts";
import { dialectOf } from "../dialect.ts";
import { beganInTime, earlyFailure } from "../early_stream.ts";
import type { PublicEnv } from "../env.ts";
import { callerFault } from "../error_response.ts";
import { requireEndpoint } from "../require_endpoint.ts";

/** The steps of one model endpoint for a permitted request. */
export interface ModelCall<Checked> {
  readonly endpoint: Endpoint;
  read(request: Request, hold: BodyHold): Promise<JsonBody>;
  /** Throws a {@linkcode ServiceFault} when the body is not valid. `model` is checked already. */
  check(body: JsonBody): Checked;
  /** `checked` is the result of `check`. */
  answer(caller: Caller, body: JsonBody, checked: Checked): Promise<ModelAnswer>;
}

/**
 * Returns the handler of a model endpoint: policy, body, limits, answer. Refusals are logged as
 * requests too.
 */
export function modelCall<Checked>(
  gateway: GatewayContext,
  call: ModelCall<Checked>,
): Handler<PublicEnv> {
  return async function modelCallHandler(c) {
    const hold = gateway.bodies.hold(c.get("key").id, c.req.raw.signal);
    let leave = hold.release;
    const logId = gateway.rng.id("log");
    const caller: Caller = {
      key: c.get("key"),
      requestId: c.get("requestId"),
      logId,
      endpoint: call.endpoint,
      stream: false,
      dialect: "service",
      signal: c.req.raw.signal,
      span: gateway.tracer.begin({
        logId,
        requestId: c.get("requestId"),
        endpoint: call.endpoint,
        traceparent: c.req.raw.headers.get("traceparent"),
      }),
      hold,
      onSettled: () => leave(),
    };
    let body: JsonBody;
    let checked: Checked;
    let admittedAtMs: number;
    let orchestration: OrchestrationChoice | undefined;
    let dialect: Dialect;
    try {
      requireEndpoint(caller.key, call.endpoint);
      dialect = dialectOf(c.req.raw.headers, caller.key.policy);
      c.set("dialect", dialect);
      body = await call.read(c.req.raw, hold);
      // Only now: a slow body would keep other requests of the key waiting.
      const admitted = gateway.admission.admit(caller.key, gateway.clock.nowMs());
      leave = () => {
        hold.release();
        admitted.leave();
      };
      admittedAtMs = admitted.atMs;
      if (body.value.model !== MODEL_AUTO) {
        throw new ServiceFault("model_not_allowed", { param: "model" });
      }
      orchestration = orchestrationChoice(c.req.raw.headers);
      if (body.text.length > LONG_CHARS) await yieldToEventLoop();
      checked = call.check(body);
      if (body.text.length > LONG_CHARS) await yieldToEventLoop();
    } catch (error) {
      leave();
      logFailure(gateway, new RequestTrace(caller, gateway.clock), error);
      throw error;
    }
    const stream = body.value.stream === true;
    const admittedCaller = { ...caller, stream, dialect, admittedAtMs, orchestration };
    return responseOf(
      await beginAnswer(gateway, call, { caller: admittedCaller, body, checked }),
      caller,
    );
  };
}

function responseOf(answer: ModelAnswer, { requestId }: Pick<Caller, "requestId">): Response {
  const headers: Record<string, string> = { "x-request-id": requestId };
  if (answer.kind === "json") {
    headers["content-type"] = "application/json";
    return new Response(answer.text, { headers });
  }
  headers["content-type"] = "text/event-stream; charset=utf-8";
  headers["cache-control"] = "no-cache";
  // Nginx would otherwise buffer a stream into one piece.
  headers["x-accel-buffering"] = "no";
  return new Response(answer.bytes, { headers });
}

/** Returns the answer when it begins; a stream with long planning sends keep-alives before that. */
async function beginAnswer<Checked>(
  gateway: GatewayContext,
  call: ModelCall<Checked>,
  { caller, body, checked }: {
    readonly caller: Caller;
    readonly body: JsonBody;
    readonly checked: Checked;
  },
): Promise<ModelAnswer> {
  if (!caller.stream) return await call.answer(caller, body, checked);
  let leaving: AbortController | undefined;
  let hasHead = false;
  const begin = (onPlanning: () => void) => {
    const planning = () => {
      onPlanning();
      // A client that has received the head disconnects through that stream. Created here, as few
      // requests need it.
      leaving = new AbortController();
      return AbortSignal.any([caller.signal, leaving.signal]);
    };
    const plannedCaller = { ...caller, onPlanning: planning, hasHead: () => hasHead };
    return call.answer(plannedCaller, body, checked);
  };
  return await beganInTime(begin, {
    onHead: () => hasHead = true,
    onLeave: () => leaving?.abort(),
    silenceMs: gateway.silenceMs,
    failed: (error) => {
      const fault = callerFault(gateway, error, caller.requestId);
      return earlyFailure(fault, caller);
    },
  });
}

/** Reads the header `X-Orchestration`. Throws a {@linkcode ServiceFault} for an unknown value. */
function orchestrationChoice(headers: Headers): OrchestrationChoice | undefined {
  const header = headers.get("x-orchestration");
  if (header === null) return undefined;
  const value = header.trim().toLowerCase();
  const choice = ORCHESTRATION_CHOICES.find((known) => known === value);
  if (choice !== undefined) return choice;
  const known = ORCHESTRATION_CHOICES.map((name) => `"${name}"`).join(", ");
  throw new ServiceFault("invalid_request", {
    message: `Send X-Orchestration as one of ${known}, or leave it out`,
    param: "X-Orchestration",
  });
}
