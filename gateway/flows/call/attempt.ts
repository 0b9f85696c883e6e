/**
 * From a routing plan to an answer that has begun: hold, call, and on failure the next candidate.
 *
 * @module
 */

import type { AttemptOutcome, RoutingAttempt } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import type { Micros } from "../../domain/ledger/money.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import { ALL_RATE_LIMITED } from "../../domain/routing/refusal.ts";
import {
  type JsonBody,
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamCut,
  type UpstreamFailure,
} from "../../ports/upstream.ts";
import type { Span } from "../../ports/tracer.ts";
import { afterMs } from "../../system/deadlines.ts";
import { CallerDisconnected } from "./caller_disconnected.ts";
import type { GatewayContext, Lease } from "../context.ts";
import { attemptSpan, failedEnd } from "./attempt_span.ts";
import type { OpenHold } from "./call_hold.ts";
import { letGo } from "./take_hold.ts";
import { CapacitySearch, type Place } from "./capacity_search.ts";
import { wordsIn } from "./failed_attempts.ts";
import { errorMetadata, type OpenPlan, planRoute } from "../plan/route_plan.ts";
import type { RequestTrace } from "../request_trace.ts";

/** Most upstream calls for one request. */
export const ATTEMPTS_MAX = 4;
/** No further attempt is begun after this long. */
export const ATTEMPTS_BUDGET_MS = 600_000;

/** Why a call is aborted that has no more time. */
export const TIME_OVER = "timeout";

/** An answer that has begun. */
export interface Begun<T> {
  readonly candidate: Candidate;
  readonly hold: OpenHold;
  /** To be released when the answer has ended. */
  readonly lease: Lease;
  /** Ends the upstream's side. */
  readonly abort: AbortController;
  readonly answer: T;
  /** Ended with the call's bill; absent where it is not traced. */
  readonly span?: Span | undefined;
}

/** A request as one model is asked it. */
export interface Asked extends Pick<UpstreamCall, "endpoint" | "body" | "isOwnChoice"> {
  /** @default {as the caller asked} */
  readonly stream?: boolean | undefined;
}

/** What to attempt, and how to tell whether an answer has really begun. */
export interface AttemptRequest<T> {
  readonly trace: RequestTrace;
  readonly plan: OpenPlan;
  /** What the plan was made for: where the request must wait, it is planned anew. */
  readonly features: RequestFeatures;
  /** Leaves out those of a plan's candidates that cannot be asked. @default {none} */
  passable?(candidates: readonly Candidate[]): readonly Candidate[];
  /** What a model is asked with. */
  ask(candidate: Candidate): Asked;
  /**
   * Aborted when nobody waits for an answer, with the reason `timeout` where its time is over.
   * @default {as the caller's request}
   */
  readonly signal?: AbortSignal | undefined;
  /** Most that it costs beside its tokens. @default {nothing} */
  fees?(candidate: Candidate): Micros;
  /**
   * Takes the beginning of an answer. Throws an {@linkcode UpstreamCut} where it is not worth the
   * name: the next candidate is tried.
   */
  open(
    answer: Exclude<UpstreamAnswer, UpstreamFailure>,
    place: Pick<Place, "candidate" | "hold">,
  ): T | Promise<T>;
}

type Failure = Omit<UpstreamFailure, "kind" | "code">;

/** Tries the candidates in order. Throws a {@linkcode ServiceFault} where none of them answers. */
export async function attempt<T>(
  gateway: GatewayContext,
  request: AttemptRequest<T>,
): Promise<Begun<T>> {
  const { trace } = request;
  const search = new CapacitySearch(gateway, request);
  const failures: Failure[] = [];
  let failedAt: Lease | undefined;
  while (failures.length < ATTEMPTS_MAX && trace.elapsedMs < ATTEMPTS_BUDGET_MS) {
    const place = await search.next();
    if (place === undefined) break;
    failedAt?.failedOver();
    const outcome = await callOnce(gateway, request, place);
    if ("answer" in outcome) return outcome;
    failures.push(outcome);
    failedAt = place.lease;
  }
  if (failures.length === 0) {
    if (search.refusal !== undefined) throw search.refusal;
    // The plan is out of date: routing knows what has come between.
    if (trace.elapsedMs < ATTEMPTS_BUDGET_MS) await planRoute(gateway, trace, request.features);
  }
  throw exhausted(trace, failures);
}

async function callOnce<T>(
  gateway: GatewayContext,
  request: AttemptRequest<T>,
  place: Place,
): Promise<Begun<T> | Failure> {
  const { trace } = request;
  const { candidate, lease } = place;
  const abort = new AbortController();
  const unwatch = watch(gateway, request, { abort, candidate });
  const startedMs = trace.elapsedMs;
  const span = attemptSpan(trace, candidate);
  let begun = false;
  let body: JsonBody | undefined;
  try {
    const { stream = trace.caller.stream, ...asked } = request.ask(candidate);
    body = asked.body;
    const answer = await lease.upstream.call({
      ...asked,
      model: candidate.model.upstreamModel,
      stream,
      outputLimit: trace.outputLimit,
      heldOutputTokens: Math.floor(place.hold.outputTokens / request.features.choices),
      requestId: trace.caller.requestId,
      traceparent: span?.traceparent,
      signal: abort.signal,
    });
    if (answer.kind === "failure") {
      const said = { ...answer, words: await wordsIn(answer, asked.body.value) };
      return failed(gateway, request, { ...place, abort, span, failure: said, startedMs });
    }
    const opened = await request.open(answer, place);
    begun = true;
    const ms = trace.elapsedMs - startedMs;
    trace.attempted(attemptOf(candidate, { outcome: "ok", status: 200, ms }), startedMs);
    lease.report({ outcome: "ok", ms, hasBegun: stream });
    return { ...place, abort, answer: opened, span };
  } catch (error) {
    if (error instanceof UpstreamCut) {
      // An answer that broke off before anything of it was passed on has simply failed.
      const outcome = error.outcome === "cut" ? "malformed" : error.outcome;
      const failure = { outcome, message: error.message, words: await wordsIn(error, body?.value) };
      return failed(gateway, request, { ...place, abort, span, failure, startedMs });
    }
    if (!(error instanceof ServiceFault || error instanceof CallerDisconnected)) {
      abort.abort();
      letGo(gateway, place.hold.id, "internal error");
    }
    throw error;
  } finally {
    unwatch();
    if (!begun) {
      lease.release();
      span?.end({ error: "cancelled" });
    }
  }
}

/** Aborted when nobody waits for the answer any more. */
function signalOf<T>({ signal, trace }: AttemptRequest<T>): AbortSignal {
  return signal ?? trace.caller.signal;
}

/** Aborts the call when the caller leaves, when time is up, or when the service must end. */
function watch<T>(
  gateway: GatewayContext,
  request: AttemptRequest<T>,
  call: { abort: AbortController; candidate: Candidate },
): () => void {
  const { trace } = request;
  const signal = signalOf(request);
  const leave = () => {
    if (signal.reason === TIME_OVER) call.abort.abort(TIME_OVER);
    else if (call.candidate.upstream.onDisconnect === "cancel") call.abort.abort("left");
  };
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  const unlist = gateway.inFlight.watch(call.abort);
  const callOff = afterMs(
    Math.max(1, ATTEMPTS_BUDGET_MS - trace.elapsedMs),
    () => call.abort.abort(TIME_OVER),
  );
  return () => {
    callOff();
    unlist();
    signal.removeEventListener("abort", leave);
  };
}

function failed<T>(
  gateway: GatewayContext,
  request: AttemptRequest<T>,
  attempt: Place & {
    readonly abort: AbortController;
    readonly span: Span | undefined;
    readonly failure: Failure;
    readonly startedMs: number;
  },
): Failure {
  const { trace } = request;
  const { candidate, lease, hold, abort, startedMs } = attempt;
  let { failure } = attempt;
  if (abort.signal.aborted && abort.signal.reason === TIME_OVER) {
    failure = { outcome: "timeout", message: "The time for this request is over" };
  }
  const ms = trace.elapsedMs - startedMs;
  trace.attempted(attemptOf(candidate, { ...failure, ms }), startedMs);
  if (failure.outcome !== "cancelled") {
    trace.failedBy(failure.words ?? "");
    gateway.failedAttempts.note(trace.caller.requestId, { ...failure, candidate });
  }
  attempt.span?.end(failedEnd(failure));
  const { outcome, retryAfterMs, status } = failure;
  lease.report({ outcome, ms, retryAfterMs, status });
  letGo(gateway, hold.id, failure.outcome);
  if (failure.outcome === "cancelled") {
    if (signalOf(request).aborted) {
      throw new CallerDisconnected("The caller left before the answer");
    }
    throw new ServiceFault("shutting_down");
  }
  if (failure.outcome === "timeout" && signalOf(request).reason === TIME_OVER) {
    throw new ServiceFault("upstream_timeout", { extra: errorMetadata(trace) });
  }
  if (failure.outcome === "refused_input") {
    throw new ServiceFault("invalid_request", {
      message: failure.message,
      param: failure.param && trace.callerPath(failure.param, candidate),
      extra: errorMetadata(trace),
    });
  }
  return failure;
}

function attemptOf(
  candidate: Candidate,
  outcome: { outcome: AttemptOutcome; status?: number | undefined; ms: number },
): RoutingAttempt {
  return {
    model: candidate.model.id,
    provider: candidate.upstream.provider,
    outcome: outcome.outcome,
    ...(outcome.status === undefined ? {} : { status: outcome.status }),
    ms: outcome.ms,
  };
}

/** What the caller is told when nobody answered. */
function exhausted(trace: RequestTrace, failures: readonly Failure[]): ServiceFault {
  const extra = errorMetadata(trace);
  if (failures.length === 0) {
    const isOver = trace.elapsedMs >= ATTEMPTS_BUDGET_MS;
    return new ServiceFault(isOver ? "upstream_timeout" : "no_model_available", { extra });
  }
  if (failures.every((failure) => failure.outcome === "rate_limited")) {
    const waits = failures.map((failure) => failure.retryAfterMs ?? 1_000);
    return new ServiceFault("rate_limit_exceeded", {
      message: ALL_RATE_LIMITED,
      retryAfterMs: Math.min(...waits),
      extra,
    });
  }
  const timedOut = failures.every((failure) => failure.outcome === "timeout");
  return new ServiceFault(timedOut ? "upstream_timeout" : "upstream_error", { extra });
}
