import type {
  BillingMetadata,
  Endpoint,
  ErrorCode,
  RoutingAttempt,
  RoutingMetadata,
  ServiceMetadata,
} from "@svc/sdk/protocol";
import type { KeyRecord } from "../domain/key.ts";
import { type Candidate, reasonOf, type RoutingPlan } from "../domain/routing.ts";
import type { Clock } from "../ports/clock.ts";
import type { RequestRecord } from "../ports/request_log.ts";
import { listed } from "../wire/upstream_warnings.ts";
import type { Reservation } from "./admission.ts";

/** Who calls what. */
export interface Caller {
  readonly key: KeyRecord;
  /** The caller's `X-Request-ID`, or one made by the gateway. */
  readonly requestId: string;
  /** Id of the log row. */
  readonly logId: string;
  readonly endpoint: Endpoint;
  readonly stream: boolean;
  /** When its key's limits counted it, in Unix milliseconds; absent before that. */
  readonly admittedAtMs?: number | undefined;
  /** Aborted when the caller has left before the answer began. */
  readonly signal: AbortSignal;
  /** Called once, when the request has been settled or has failed. */
  onSettled(): void;
}

/** How a request ended, for the log. */
export interface RequestEnd {
  readonly status: number;
  readonly outcome: RequestRecord["outcome"];
  readonly errorCode?: ErrorCode | undefined;
  readonly billing?: BillingMetadata | undefined;
}

/** What happens to one request, noted as it happens: the source of its metadata and its log row. */
export class RequestTrace {
  #caller: Caller;
  readonly atMs: number;
  readonly attempts: RoutingAttempt[] = [];
  readonly holdIds: string[] = [];
  /** A place and its hold were found: what has begun goes on to its end, whatever becomes of its key. */
  hasBegun = false;
  /** What the model tried last was not told of the request, a line each: asked for when it is told. */
  notCarried: () => readonly string[] = () => [];
  /** The bill of the calls that have been settled. */
  billed: BillingMetadata | undefined;
  /** Tokens counted against the key's minute until the true number is known. */
  reserved: Reservation | undefined;
  readonly #clock: Clock;
  readonly #startedMs: number;
  #plan: RoutingPlan | undefined;
  #candidate: Candidate | undefined;
  /** Why it was chosen: worded once, for the answer and for the log. */
  #reason: string | undefined;
  #outputLimit: number | undefined;
  #firstByteMs: number | undefined;

  constructor(caller: Caller, clock: Clock) {
    this.#caller = caller;
    this.atMs = clock.nowMs();
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  /** Who calls what. */
  get caller(): Caller {
    return this.#caller;
  }

  /** The key as it is now, where it was changed since. */
  keyIsNow(key: KeyRecord): void {
    this.#caller = { ...this.#caller, key };
  }

  /** Milliseconds since the request began. */
  get elapsedMs(): number {
    return Math.round(this.#clock.monotonicMs() - this.#startedMs);
  }

  /** Notes the routing decision. */
  planned(plan: RoutingPlan): void {
    this.#plan = plan;
  }

  /** Notes the model that is tried now, and the output limit it is sent where that was lowered. */
  trying(candidate: Candidate, outputLimit: number | undefined): void {
    this.#candidate = candidate;
    this.#reason = undefined;
    this.#outputLimit = outputLimit;
  }

  /** Output limit sent to the model tried last, in tokens a choice; absent where it was not lowered. */
  get outputLimit(): number | undefined {
    return this.#outputLimit;
  }

  /** Notes the first byte of a stream. */
  firstByte(): void {
    this.#firstByteMs = this.elapsedMs;
  }

  /** The route as callers and operators see it; absent before a model was tried. */
  routing(): RoutingMetadata | undefined {
    const plan = this.#plan;
    const candidate = this.#candidate;
    if (plan === undefined || !plan.ok || candidate === undefined) return undefined;
    const failed = this.attempts.filter((attempt) => attempt.outcome !== "ok").length;
    const reason = this.#reason ??= reasonOf(candidate);
    const notCarried = listed(this.notCarried());
    return {
      model: candidate.model.id,
      provider: candidate.upstream.provider,
      tier: plan.tier.id,
      reason: failed === 0
        ? reason
        : `${reason}; after ${failed} failed ${failed === 1 ? "attempt" : "attempts"}`,
      considered: plan.considered,
      attempts: [...this.attempts],
      ...(this.#outputLimit === undefined ? {} : { output_limit: this.#outputLimit }),
      ...(notCarried.length === 0 ? {} : { not_carried: [...notCarried] }),
    };
  }

  /** The `metadata` of the answer. */
  metadata(billing?: BillingMetadata): ServiceMetadata {
    const routing = this.routing();
    if (routing === undefined) throw new TypeError("Cannot describe an answer without a route");
    const { requestId } = this.caller;
    return { request_id: requestId, routing, ...(billing === undefined ? {} : { billing }) };
  }

  /** The log row. */
  record({ billing = this.billed, ...end }: RequestEnd): RequestRecord {
    const { key, requestId, logId, endpoint, stream } = this.caller;
    return {
      id: logId,
      requestId,
      atMs: this.atMs,
      keyId: key.id,
      walletId: key.walletId,
      endpoint,
      stream,
      status: end.status,
      outcome: end.outcome,
      errorCode: end.errorCode,
      durationMs: this.elapsedMs,
      firstByteMs: this.#firstByteMs,
      routing: this.routing(),
      exclusions: this.#plan?.exclusions,
      holdIds: this.holdIds,
      charged: billing?.charged ?? "0.000000",
      inputTokens: billing?.input_tokens ?? 0,
      cachedInputTokens: billing?.cached_input_tokens ?? 0,
      outputTokens: billing?.output_tokens ?? 0,
      estimated: billing?.estimated ?? false,
    };
  }
}
