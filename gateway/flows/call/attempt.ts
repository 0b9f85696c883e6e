/**
 * Runs the attempts of a request: for each candidate a hold and a call, until an answer begins.
 *
 * @module
 */

import type { AttemptOutcome, RoutingAttempt } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import { ALL_RATE_LIMITED } from "../../domain/routing/refusal.ts";
import type { Lease } from "../../ports/lease_pool.ts";
import {
  type JsonBody,
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamCut,
  type UpstreamFailure,
} from "../../ports/upstream.ts";
import type { Span } from "../../ports/tracer.ts";
import { afterMs } from "../../system/deadlines.ts";
import { errorMetadata, planRoute } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import { attemptSpan, failedEnd } from "./attempt_span.ts";
import type { OpenHold } from "./call_hold.ts";
import {
  type Capacity,
  type CapacityDeps,
  type CapacityRequest,
  CapacitySearch,
} from "./capacity_search.ts";
import { type FailedAttempts, upstreamMessage } from "./failed_attempts.ts";
import { voidHold } from "./take_hold.ts";

/** Maximum upstream calls of one request. */
export const ATTEMPTS_MAX = 4;
/** Time of a request after which no further attempt begins, in milliseconds. */
export const ATTEMPTS_BUDGET_MS = 600_000;

/** Reason of the abort of a call that has no more time. */
export const TIME_OVER = "timeout";

/** Parts of the service that attempts use. */
export type CallDeps = CapacityDeps & { readonly failedAttempts: Pick<FailedAttempts, "note"> };

/** An answer that has begun. */
export interface BegunCall<T> {
  readonly candidate: Candidate;
  readonly hold: OpenHold;
  /** Lease of the call; the receiver of this value releases it when the answer has ended. */
  readonly lease: Lease;
  /** Ends the call at the upstream. */
  readonly abort: AbortController;
  readonly answer: T;
  /** Span of the attempt, ended with the bill of the call; absent if it is not traced. */
  readonly span?: Span | undefined;
}

/** The call that is sent to one model. */
export interface CandidateCall extends Pick<UpstreamCall, "endpoint" | "body" | "isOwnChoice"> {
  /** @default {as the caller asked} */
  readonly stream?: boolean | undefined;
}

/**
 * A request to attempt, with the functions that make a call and read the beginning of its answer.
 */
export interface AttemptRequest<T> extends CapacityRequest {
  /** Returns the call for a model. */
  ask(candidate: Candidate): CandidateCall;
  /** Translates the path of a field in that call to the caller's own request. @default {unchanged} */
  callerPath?(path: string, candidate: Candidate): string;
  /**
   * Reads the beginning of an answer. Throws an {@linkcode UpstreamCut} if it is no usable answer: then
   * the next candidate is tried.
   */
  open(
    answer: Exclude<UpstreamAnswer, UpstreamFailure>,
    capacity: Pick<Capacity, "candidate" | "hold">,
  ): T | Promise<T>;
}

type Failure = Omit<UpstreamFailure, "kind" | "code">;

/** Tries the candidates in order. Throws a {@linkcode ServiceFault} if none of them answers. */
export async function attempt<T>(
  deps: CallDeps,
  request: AttemptRequest<T>,
): Promise<BegunCall<T>> {
  const { active } = request;
  const search = new CapacitySearch(deps, request);
  const failures: Failure[] = [];
  let failedLease: Lease | undefined;
  while (failures.length < ATTEMPTS_MAX && active.elapsedMs < ATTEMPTS_BUDGET_MS) {
    const capacity = await search.next();
    if (capacity === undefined) break;
    failedLease?.failedOver();
    const outcome = await callOnce(deps, request, capacity);
    if ("answer" in outcome) return outcome;
    failures.push(outcome);
    failedLease = capacity.lease;
  }
  if (failures.length === 0) {
    if (search.refusal !== undefined) throw search.refusal;
    // The plan is out of date: planning again throws the reason that applies now.
    if (active.elapsedMs < ATTEMPTS_BUDGET_MS) await planRoute(deps, active, request.features);
  }
  throw exhausted(active, failures);
}

async function callOnce<T>(
  deps: CallDeps,
  request: AttemptRequest<T>,
  capacity: Capacity,
): Promise<BegunCall<T> | Failure> {
  const { active } = request;
  const { candidate, lease } = capacity;
  const abort = new AbortController();
  const unwatch = watch(deps, request, { abort, candidate });
  const startedMs = active.elapsedMs;
  const span = attemptSpan(active, candidate);
  let hasBegun = false;
  let body: JsonBody | undefined;
  try {
    const { stream = active.identity.stream, ...sent } = request.ask(candidate);
    body = sent.body;
    const answer = await lease.upstream.call({
      ...sent,
      model: candidate.model.upstreamModel,
      stream,
      outputLimit: active.report.outputLimit,
      heldOutputTokens: Math.floor(capacity.hold.outputTokens / request.features.choices),
      ...{ requestId: active.identity.requestId, traceparent: span?.traceparent },
      signal: abort.signal,
    });
    if (answer.kind === "failure") {
      const failure = { ...answer, words: await upstreamMessage(answer, sent.body.value) };
      return failed(deps, request, { ...capacity, abort, span, failure, startedMs });
    }
    const opening = request.open(answer, capacity);
    const opened = opening instanceof Promise ? await opening : opening;
    hasBegun = true;
    const ms = active.elapsedMs - startedMs;
    active.report.noteAttempt(attemptOf(candidate, { outcome: "ok", status: 200, ms }), startedMs);
    lease.report({ outcome: "ok", ms, hasBegun: stream });
    return { ...capacity, abort, answer: opened, span };
  } catch (error) {
    if (error instanceof UpstreamCut) {
      // An answer that broke off before anything of it was passed on counts as a failure.
      const outcome = error.outcome === "cut" ? "malformed" : error.outcome;
      const failure = {
        outcome,
        message: error.message,
        words: await upstreamMessage(error, body?.value),
      };
      return failed(deps, request, { ...capacity, abort, span, failure, startedMs });
    }
    if (!(error instanceof ServiceFault || error instanceof CallerDisconnected)) {
      abort.abort();
      voidHold(deps, capacity.hold.id, "internal error");
    }
    throw error;
  } finally {
    unwatch();
    if (!hasBegun) {
      lease.release();
      span?.end({ error: "cancelled" });
    }
  }
}

/** Returns the signal that is aborted when the answer is no longer needed. */
function signalOf<T>({ signal, active }: AttemptRequest<T>): AbortSignal {
  return signal ?? active.signal;
}

/** Aborts the call when the caller disconnects, when its time is over, or when the service stops. */
function watch<T>(
  deps: CallDeps,
  request: AttemptRequest<T>,
  call: { abort: AbortController; candidate: Candidate },
): () => void {
  const { active } = request;
  const signal = signalOf(request);
  const leave = () => {
    if (signal.reason === TIME_OVER) call.abort.abort(TIME_OVER);
    else if (call.candidate.upstream.onDisconnect === "cancel") call.abort.abort("left");
  };
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  const unlist = deps.inFlight.watch(call.abort);
  const callOff = afterMs(
    Math.max(1, ATTEMPTS_BUDGET_MS - active.elapsedMs),
    () => call.abort.abort(TIME_OVER),
  );
  return () => {
    callOff();
    unlist();
    signal.removeEventListener("abort", leave);
  };
}

function failed<T>(
  deps: CallDeps,
  request: AttemptRequest<T>,
  attempt: Capacity & {
    readonly abort: AbortController;
    readonly span: Span | undefined;
    readonly failure: Failure;
    readonly startedMs: number;
  },
): Failure {
  const { active } = request;
  const { candidate, lease, hold, abort, startedMs } = attempt;
  let { failure } = attempt;
  if (abort.signal.aborted && abort.signal.reason === TIME_OVER) {
    failure = { outcome: "timeout", message: "The time limit of the request has passed" };
  }
  const ms = active.elapsedMs - startedMs;
  active.report.noteAttempt(attemptOf(candidate, { ...failure, ms }), startedMs);
  if (failure.outcome !== "cancelled") {
    active.report.noteUpstreamMessage(failure.words ?? "");
    deps.failedAttempts.note(active.identity.requestId, { ...failure, candidate });
  }
  attempt.span?.end(failedEnd(failure));
  const { outcome, retryAfterMs, status } = failure;
  lease.report({ outcome, ms, retryAfterMs, status });
  voidHold(deps, hold.id, failure.outcome);
  if (failure.outcome === "cancelled") {
    if (signalOf(request).aborted) {
      throw new CallerDisconnected("The caller disconnected before the answer");
    }
    throw deps.inFlight.endFault();
  }
  if (failure.outcome === "timeout" && signalOf(request).reason === TIME_OVER) {
    throw new ServiceFault("upstream_timeout", { extra: errorMetadata(active) });
  }
  if (failure.outcome === "refused_input") {
    throw new ServiceFault("invalid_request", {
      message: failure.message,
      param: failure.param && (request.callerPath?.(failure.param, candidate) ?? failure.param),
      extra: errorMetadata(active),
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

/** Returns the fault of a request that no candidate answered. */
function exhausted(active: ActiveRequest, failures: readonly Failure[]): ServiceFault {
  const extra = errorMetadata(active);
  if (failures.length === 0) {
    const isOver = active.elapsedMs >= ATTEMPTS_BUDGET_MS;
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
