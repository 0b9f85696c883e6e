import type {
  AttemptOutcome,
  BillingMetadata,
  ErrorCode,
  RoutingAttempt,
  RoutingMetadata,
  ServiceMetadata,
} from "@svc/sdk/protocol";
import { reasonOf } from "../../domain/routing/reason.ts";
import type { Candidate, RoutingPlan } from "../../domain/routing/plan.ts";
import type {
  AttemptMessage,
  ContentRecord,
  RequestRecord,
  ScoreRecord,
  TaskRecord,
  UsageProblem,
} from "../../ports/request_log.ts";
import { listed } from "../../wire/upstream_warnings.ts";
import { type CallContent, noteContent } from "./content_note.ts";
import type { RequestIdentity } from "./identity.ts";

/** Maximum failed attempts of a request whose upstream messages are kept, all its parts included. */
const MESSAGES_MAX = 8;
/** Maximum candidates whose scores are kept, best first. */
const SCORES_MAX = 8;
/** Maximum impossible reports of usage that are kept of a request, oldest first. */
const USAGE_PROBLEMS_MAX = 8;

/** The end of a request, for the log. */
export interface RequestEnd {
  readonly status: number;
  readonly outcome: RequestRecord["outcome"];
  readonly errorCode?: ErrorCode | undefined;
  readonly billing?: BillingMetadata | undefined;
}

/** Members of a log row that the report does not hold itself. */
export type RecordTimes = Pick<RequestRecord, "atMs" | "durationMs" | "others">;

/** Returns the members of the metadata that say what a decision rests on. */
export function learnedMetadata(
  { basis, ladder }: Extract<RoutingPlan, { ok: true }>,
  { candidate: { ranking: { estimate, difficulty } }, isVerified }: {
    readonly candidate: Candidate;
    readonly isVerified: boolean;
  },
): Partial<RoutingMetadata> {
  return {
    dial: basis.dial,
    plan: isVerified || ladder === undefined ? basis.kind : ladder.instead,
    difficulty: rounded(difficulty),
    p: rounded(estimate.p),
    p_error: rounded(estimate.error),
    outcomes: estimate.outcomes,
    snapshot: basis.snapshot,
    ...(basis.task === undefined ? {} : { task: basis.task }),
  };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** The collected facts of a request: the source of its metadata, its log row and its spans. */
export class RequestReport {
  readonly #identity: RequestIdentity;
  readonly #attempts: RoutingAttempt[] = [];
  /** Start of each attempt, in milliseconds since this part of the request began. */
  readonly #attemptStarts: number[] = [];
  /** Upstream messages of failed attempts. */
  readonly #words: AttemptMessage[] = [];
  /** Parts of a split request that have ended. */
  readonly #tasks: TaskRecord[] = [];
  /** Holds of the whole request: its parts share the list. */
  readonly #holdIds: string[];
  /** Impossible reports of usage of the whole request: its parts share the list. */
  readonly #usageProblems: UsageProblem[];
  #orchestration: string | undefined;
  #verification: string | undefined;
  #isVerified = false;
  /** Absent where nothing was left out. */
  #omissions: (() => readonly string[]) | undefined;
  #plan: RoutingPlan | undefined;
  #candidate: Candidate | undefined;
  /** The route, described once for the answer and the log; absent after a change. */
  #route: RoutingMetadata | undefined;
  #outputLimit: number | undefined;
  #firstByteMs: number | undefined;
  #content: ContentRecord | undefined;

  /** `whole`: the report of the request, if this is the report of one of its parts. */
  constructor(identity: RequestIdentity, whole?: RequestReport) {
    this.#identity = identity;
    this.#holdIds = whole === undefined ? [] : whole.#holdIds;
    this.#usageProblems = whole === undefined ? [] : whole.#usageProblems;
  }

  /** Attempts that have ended or have begun to answer, in their order. */
  get attempts(): readonly RoutingAttempt[] {
    return this.#attempts;
  }

  /** Duration of the last attempt until its answer began, in milliseconds. */
  get lastAttemptMs(): number {
    return this.#attempts.at(-1)?.ms ?? 0;
  }

  /** Catalog id of the model that was tried last. */
  get model(): string | undefined {
    return this.#candidate?.model.id;
  }

  /** Output limit sent to the model tried last, in tokens per choice; absent if it was not lowered. */
  get outputLimit(): number | undefined {
    return this.#outputLimit;
  }

  /** Notes the routing decision. */
  notePlan(plan: RoutingPlan): void {
    this.#route = undefined;
    this.#plan = plan;
  }

  /** The plan in force; absent before a plan was made, and after a refusal. */
  get plan(): Extract<RoutingPlan, { ok: true }> | undefined {
    return this.#plan?.ok === true ? this.#plan : undefined;
  }

  /** Notes the model that is tried now, and the output limit it is sent if that was lowered. */
  noteCandidate(candidate: Candidate, outputLimit: number | undefined): void {
    this.#route = undefined;
    this.#candidate = candidate;
    this.#outputLimit = outputLimit;
  }

  /** Notes a hold that was taken. */
  noteHold(holdId: string): void {
    this.#holdIds.push(holdId);
  }

  /** Notes an attempt that has ended or has begun to answer, and its start. */
  noteAttempt(attempt: RoutingAttempt, startMs: number): void {
    this.#route = undefined;
    this.#attempts.push(attempt);
    this.#attemptStarts.push(startMs);
  }

  /** Changes the outcome of the last attempt: its answer broke off. */
  noteBreak(outcome: AttemptOutcome): void {
    this.#route = undefined;
    const attempt = this.#attempts.at(-1);
    if (attempt !== undefined) attempt.outcome = outcome;
  }

  /** Notes the upstream's message about the failure of the last attempt, for the operator only. */
  noteUpstreamMessage(words: string): void {
    if (words !== "") this.#words.push({ attempt: this.#attempts.length - 1, words });
  }

  /** Notes a report of usage that is impossible. */
  noteUsageProblem(problem: UsageProblem): void {
    if (this.#usageProblems.length < USAGE_PROBLEMS_MAX) this.#usageProblems.push(problem);
  }

  /** Notes the first byte of a stream. `elapsedMs`: since the request began. */
  noteFirstByte(elapsedMs: number): void {
    this.#firstByteMs = elapsedMs;
  }

  /** Notes what was sent and answered in a call. */
  noteContent(content: CallContent): void {
    try {
      this.#content = noteContent(this.#content, content);
    } catch {
      // The messages of the request cannot be read: its bill matters more than its content.
    }
  }

  /** Notes why the request was split into tasks, or why it was not although it could be. */
  noteOrchestration(reason: string): void {
    this.#route = undefined;
    this.#orchestration = reason;
  }

  /** True when several models were asked so that their answers verify each other. */
  get isVerified(): boolean {
    return this.#isVerified;
  }

  /** Notes how the answer was verified, or why it was not although it was to be. */
  noteVerification(reason: string, { isVerified }: { readonly isVerified: boolean }): void {
    this.#route = undefined;
    this.#verification = reason;
    this.#isVerified = isVerified;
  }

  /** Takes the route of a part whose answer is that of the request. */
  answeredBy(part: RequestReport, partStartMs: number): void {
    this.#route = undefined;
    this.#candidate = part.#candidate;
    this.#outputLimit = part.#outputLimit;
    for (const [at, attempt] of part.#attempts.entries()) {
      this.noteAttempt(attempt, partStartMs + (part.#attemptStarts[at] ?? 0));
    }
  }

  /** Notes a task that has ended, with the report of the part that ran it. */
  noteTask(task: TaskRecord, part: RequestReport | undefined): void {
    this.#tasks.push(task);
    const { taskId } = task;
    if (part === undefined) return;
    for (const words of part.#words) this.#words.push({ taskId, ...words });
  }

  /**
   * Sets the function that lists the parts of the request which the model tried last did not
   * receive. It is called each time the route is described.
   */
  noteOmissions(lines: () => readonly string[]): void {
    this.#omissions = lines;
  }

  /** Adds one line to those of {@linkcode RequestReport.noteOmissions}. */
  addOmission(line: string): void {
    const lines = this.#omissions;
    this.#omissions = () => [...lines?.() ?? [], line];
  }

  /** Returns the route as callers and operators see it; `undefined` before a model was tried. */
  routing(): RoutingMetadata | undefined {
    // What was left out may change by itself.
    if (this.#omissions !== undefined) return this.#describe();
    return this.#route ??= this.#describe();
  }

  #describe(): RoutingMetadata | undefined {
    const plan = this.#plan;
    const candidate = this.#candidate;
    if (plan === undefined || !plan.ok || candidate === undefined) return undefined;
    const failed = this.#attempts.filter((attempt) => attempt.outcome !== "ok").length;
    const reason = reasonOf(candidate);
    const notCarried = this.#omissions === undefined ? [] : listed(this.#omissions());
    const reasons = [this.#verification, this.#orchestration].filter((text) => text !== undefined);
    return {
      model: candidate.model.id,
      provider: candidate.upstream.provider,
      tier: plan.tier.id,
      reason: failed === 0
        ? reason
        : `${reason}; after ${failed} failed ${failed === 1 ? "attempt" : "attempts"}`,
      considered: plan.considered,
      ...learnedMetadata(plan, { candidate, isVerified: this.#isVerified }),
      attempts: [...this.#attempts],
      ...(this.#outputLimit === undefined ? {} : { output_limit: this.#outputLimit }),
      ...(notCarried.length === 0 ? {} : { not_carried: [...notCarried] }),
      ...(reasons.length === 0 ? {} : { orchestration: reasons.join(". ") }),
    };
  }

  /** Returns the `metadata` of the answer. */
  metadata(billing?: BillingMetadata): ServiceMetadata {
    const routing = this.routing();
    if (routing === undefined) throw new TypeError("Cannot describe an answer without a route");
    const { requestId } = this.#identity;
    return { request_id: requestId, routing, ...(billing === undefined ? {} : { billing }) };
  }

  /** Returns the log row of a request with this end. */
  record({ billing, ...end }: RequestEnd, times: RecordTimes): RequestRecord {
    const { key, requestId, logId, endpoint, attribution, stream } = this.#identity;
    return {
      id: logId,
      requestId,
      atMs: times.atMs,
      keyId: key.id,
      walletId: key.walletId,
      endpoint,
      attribution,
      stream,
      status: end.status,
      outcome: end.outcome,
      errorCode: end.errorCode,
      durationMs: times.durationMs,
      firstByteMs: this.#firstByteMs,
      routing: this.routing(),
      attemptStarts: this.#attemptStarts.length === 0 ? undefined : this.#attemptStarts,
      words: this.#words.length === 0 ? undefined : this.#words.slice(0, MESSAGES_MAX),
      exclusions: this.#plan?.exclusions,
      scores: this.#scores(),
      tasks: this.#tasks.length === 0 ? undefined : this.#tasks,
      others: times.others,
      content: this.#content,
      holdIds: this.#holdIds,
      charged: billing?.charged ?? "0.000000",
      inputTokens: billing?.input_tokens ?? 0,
      cachedInputTokens: billing?.cached_input_tokens ?? 0,
      outputTokens: billing?.output_tokens ?? 0,
      estimated: billing?.estimated ?? false,
      usageProblems: this.#usageProblems.length === 0 ? undefined : [...this.#usageProblems],
    };
  }

  /** Returns the scores of the best candidates; `undefined` if there was only one. */
  #scores(): readonly ScoreRecord[] | undefined {
    const plan = this.#plan;
    if (plan === undefined || !plan.ok || plan.candidates.length < 2) return undefined;
    return plan.candidates.slice(0, SCORES_MAX).map(({ model: { id: model }, score }) => ({
      model,
      score: Math.round(score * 10_000) / 10_000,
    }));
  }
}
