import type {
  BillingMetadata,
  Dialect,
  Endpoint,
  ErrorCode,
  RoutingAttempt,
  RoutingMetadata,
  ServiceMetadata,
} from "@svc/sdk/protocol";
import type { KeyRecord } from "../domain/policy/key.ts";
import type { Candidate, RoutingPlan } from "../domain/routing/plan.ts";
import { reasonOf } from "../domain/routing/reason.ts";
import type { Micros } from "../domain/ledger/money.ts";
import type { OrchestrationChoice } from "../domain/orchestration/mode.ts";
import type { Clock } from "../ports/clock.ts";
import type {
  AttemptWords,
  ContentRecord,
  OtherUse,
  RequestRecord,
  ScoreRecord,
  TaskRecord,
  UsageProblem,
} from "../ports/request_log.ts";
import type { Span } from "../ports/tracer.ts";
import { listed } from "../wire/upstream_warnings.ts";
import { addBilling } from "./settle/add_billing.ts";
import { noteContent, type Said } from "./settle/content_note.ts";
import { ModelUses } from "./settle/model_uses.ts";
import type { Reservation } from "./admit/admission.ts";
import type { BodyHold } from "./admit/held_bodies.ts";

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
  /** The dialect of its answer. */
  readonly dialect: Dialect;
  /** What it asked for with `X-Orchestration`. */
  readonly orchestration?: OrchestrationChoice | undefined;
  /** Aborted when the caller has left before the answer began. */
  readonly signal: AbortSignal;
  /** Its span; absent where it is not traced. */
  readonly span?: Span | undefined;
  /**
   * Called where a plan is made before the answer begins, so that it may be long in coming. What it
   * returns is aborted when the caller leaves from then on.
   */
  readonly onPlanning?: (() => AbortSignal) | undefined;
  /** Whether the caller has had the head of a stream although its answer has not begun. @default {no} */
  readonly hasHead?: (() => boolean) | undefined;
  /** Counts what it holds in memory. @default {not counted} */
  readonly hold?: BodyHold | undefined;
  /** Called once, when the request has been settled or has failed. */
  onSettled(): void;
}

/** Attempts whose upstreams' words are kept, of a request that is split as well. */
const WORDS_MAX = 8;
/** Candidates whose scores are kept: the best. */
const SCORES_MAX = 8;

/** Impossible reports of usage that are kept of a request: the first. */
const USAGE_PROBLEMS_MAX = 8;

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
  /** When each of them began, in milliseconds since this part of the request did. */
  readonly #attemptStarts: number[] = [];
  /** Upstreams' words of attempts that failed. */
  readonly #words: AttemptWords[] = [];
  /** Parts of a split request that have ended. */
  readonly #tasks: TaskRecord[] = [];
  readonly holdIds: string[];
  /** Most that this part of a request may cost. @default {what the key's policy leaves} */
  readonly allowance: Micros | undefined;
  /** What is done for it is a part of; absent where it is not traced. */
  readonly span: Span | undefined;
  /** Why the request was split into tasks, or was not although it was to be. */
  orchestration: string | undefined;
  /** What the model tried last was not told of the request, a line each: asked for when it is told. */
  notCarried: () => readonly string[] = () => [];
  /** What the caller calls a field that a model was asked with. */
  callerPath: (path: string, candidate: Candidate) => string = (path) => path;
  /** The bill of the calls that have been settled. */
  billed: BillingMetadata | undefined;
  /** The same with a call that is being settled: what the books say next, before any later row. */
  settling: BillingMetadata | undefined;
  /** Who has been paid for what in this part of the request. */
  readonly #uses = new ModelUses();
  /** Reports of usage that were not taken, over all parts of the request. */
  readonly #usageProblems: UsageProblem[];
  /** Tokens counted against the key's minute until the true number is known. */
  reserved: Reservation | undefined;
  readonly #clock: Clock;
  #hasBegun = false;
  /** The request that this is a part of. */
  readonly #whole: RequestTrace | undefined;
  /** Its parts that are under way. */
  readonly #parts = new Set<RequestTrace>();
  readonly #startedMs: number;
  #plan: RoutingPlan | undefined;
  #candidate: Candidate | undefined;
  /** Why it was chosen: worded once, for the answer and for the log. */
  #reason: string | undefined;
  #outputLimit: number | undefined;
  #firstByteMs: number | undefined;
  #content: ContentRecord | undefined;

  constructor(
    caller: Caller,
    clock: Clock,
    part: {
      readonly of?: RequestTrace;
      readonly allowance?: Micros | undefined;
      readonly span?: Span | undefined;
    } = {},
  ) {
    this.#whole = part.of;
    this.allowance = part.allowance;
    this.span = part.span ?? caller.span;
    this.holdIds = part.of?.holdIds ?? [];
    this.#usageProblems = part.of === undefined ? [] : part.of.#usageProblems;
    this.reserved = part.of?.reserved;
    this.#caller = caller;
    this.atMs = clock.nowMs();
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  /**
   * A place and its hold were found: what has begun goes on to its end, whatever becomes of its key.
   * A part begins its request.
   */
  get hasBegun(): boolean {
    return this.#whole?.hasBegun ?? this.#hasBegun;
  }

  set hasBegun(hasBegun: boolean) {
    if (this.#whole === undefined) this.#hasBegun = hasBegun;
    else this.#whole.hasBegun = hasBegun;
  }

  /** Who calls what. */
  get caller(): Caller {
    return this.#caller;
  }

  /** The key as it is now, where it was changed since. */
  keyIsNow(key: KeyRecord): void {
    this.#caller = { ...this.#caller, key };
  }

  /** A plan is made before the answer begins. */
  planning(): void {
    const signal = this.#caller.onPlanning?.();
    if (signal !== undefined) this.#caller = { ...this.#caller, signal };
  }

  /**
   * A part of the request that is a call of its own: its route and its bill are its own until it is
   * joined, its holds, its row and what was reserved are the request's. `stream`: the caller is sent
   * its text. `name`: of its span.
   */
  part({ name, stream, allowance }: {
    readonly name: string;
    readonly stream: boolean;
    readonly allowance?: Micros | undefined;
  }): RequestTrace {
    const span = this.span?.child(name);
    const caller = { ...this.caller, stream };
    const part = new RequestTrace(caller, this.#clock, { of: this, allowance, span });
    this.#parts.add(part);
    return part;
  }

  /** A part has ended: what it has cost is on the request's bill from now on. */
  join(part: RequestTrace, { error }: { readonly error?: string | undefined } = {}): void {
    if (!this.#parts.delete(part)) return;
    this.billed = sumOf(this.billed, part.billed);
    part.span?.end({ error });
  }

  /** Milliseconds since the request began. */
  get elapsedMs(): number {
    return Math.round(this.#clock.monotonicMs() - this.#startedMs);
  }

  /** When this part began, in milliseconds since its request did. */
  get startMs(): number {
    return Math.round(this.#startedMs - (this.#whole ?? this).#startedMs);
  }

  /** Notes an attempt that has ended or has begun to answer, and when it was begun. */
  attempted(attempt: RoutingAttempt, startMs: number): void {
    this.attempts.push(attempt);
    this.#attemptStarts.push(startMs);
  }

  /** Notes what the upstream of the last attempt said as it failed, for the operator alone. */
  failedBy(words: string): void {
    if (words !== "") this.#words.push({ attempt: this.attempts.length - 1, words });
  }

  /** Notes a task that has ended, with the part of the request that it was. */
  taskEnded(task: TaskRecord, part: RequestTrace | undefined): void {
    this.#tasks.push(task);
    const { taskId } = task;
    if (part === undefined) return;
    for (const said of part.#words) this.#words.push({ taskId, ...said });
  }

  /** Notes a report of usage that could not be true. */
  usageProblem(problem: UsageProblem): void {
    if (this.#usageProblems.length < USAGE_PROBLEMS_MAX) this.#usageProblems.push(problem);
  }

  /** Notes what was settled: `use` says of whom, as the journal does. */
  used(use: Pick<OtherUse, "model" | "provider" | "ms">, billing: BillingMetadata): void {
    this.#uses.add(use, billing);
  }

  /** What of this part of the request was not done by the model that was tried last. */
  otherUses(): readonly OtherUse[] | undefined {
    return this.#uses.beside(this.#candidate?.model.id);
  }

  /** Notes what was said, where its key's content is logged; of a part it is nobody's answer. */
  say(said: Said): void {
    if (this.caller.key.logContent !== true || this.#whole !== undefined) return;
    try {
      this.#content = noteContent(this.#content, said);
    } catch {
      // A request without messages that can be read: its bill is what counts.
    }
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
      ...(this.orchestration === undefined ? {} : { orchestration: this.orchestration }),
    };
  }

  /** The `metadata` of the answer. */
  metadata(billing?: BillingMetadata): ServiceMetadata {
    const routing = this.routing();
    if (routing === undefined) throw new TypeError("Cannot describe an answer without a route");
    const { requestId } = this.caller;
    return { request_id: requestId, routing, ...(billing === undefined ? {} : { billing }) };
  }

  /** The log row; of a part that of its request, as far as it has come with what the part has cost. */
  record({ billing = this.billed, ...end }: RequestEnd): RequestRecord {
    if (this.#whole !== undefined) {
      return this.#whole.record({ ...end, billing: this.#whole.#billedBeside(this, billing) });
    }
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
      attemptStarts: this.#attemptStarts.length === 0 ? undefined : this.#attemptStarts,
      words: this.#words.length === 0 ? undefined : this.#words.slice(0, WORDS_MAX),
      exclusions: this.#plan?.exclusions,
      scores: this.#scores(),
      tasks: this.#tasks.length === 0 ? undefined : this.#tasks,
      others: this.otherUses(),
      content: this.#content,
      holdIds: this.holdIds,
      charged: billing?.charged ?? "0.000000",
      inputTokens: billing?.input_tokens ?? 0,
      cachedInputTokens: billing?.cached_input_tokens ?? 0,
      outputTokens: billing?.output_tokens ?? 0,
      estimated: billing?.estimated ?? false,
      usageProblems: this.#usageProblems.length === 0 ? undefined : [...this.#usageProblems],
    };
  }

  /** What the best candidates scored; one alone competes with nobody. */
  #scores(): readonly ScoreRecord[] | undefined {
    const plan = this.#plan;
    if (plan === undefined || !plan.ok || plan.candidates.length < 2) return undefined;
    return plan.candidates.slice(0, SCORES_MAX).map(({ model: { id: model }, score }) => ({
      model,
      score: Math.round(score * 10_000) / 10_000,
    }));
  }

  /** All that is on the bill but what `part` has cost, which is `billing`. */
  #billedBeside(
    part: RequestTrace,
    billing: BillingMetadata | undefined,
  ): BillingMetadata | undefined {
    let sum = sumOf(this.billed, billing);
    for (const other of this.#parts) {
      if (other !== part) sum = sumOf(sum, other.settling ?? other.billed);
    }
    return sum;
  }
}

function sumOf(
  one: BillingMetadata | undefined,
  other: BillingMetadata | undefined,
): BillingMetadata | undefined {
  return one === undefined || other === undefined ? one ?? other : addBilling(one, other);
}
