/**
 * The counters of the service. The numbers of a request are those of its log row.
 *
 * @module
 */

import type { AttemptOutcome, ErrorCode } from "@svc/sdk/protocol";
import type { Micros } from "../domain/ledger/money.ts";
import { AUDIT_KEY_ID } from "../domain/policy/key.ts";
import { partsOf } from "../domain/requests/parts.ts";
import type { Settled } from "../ports/ledger_store.ts";
import type { RequestRecord } from "../ports/request_log.ts";
import { Counter, type Distribution, Histogram, type Metric, type Value } from "./series.ts";

/** Bucket bounds in seconds: from cached answers to reasoning that takes minutes. */
const REQUEST_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
/** Bucket bounds in seconds of operations that should take milliseconds. */
const SHORT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** Maximum kinds of requests whose series are cached. */
const CACHE_MAX = 2_000;
/** Maximum series of a histogram, each of which is many lines. */
const HISTOGRAMS_MAX = 100;

/** A commit of the store. */
export interface ObservedCommit {
  readonly ms: number;
  /** Number of operations in it. */
  readonly operations: number;
  readonly ok: boolean;
}

/** An attempt at an upstream, as it was reported to the pool. */
export interface ObservedAttempt {
  /** Ids of the catalog. */
  readonly upstream: string;
  readonly model: string;
  readonly outcome: AttemptOutcome;
  readonly status?: number | undefined;
  /** Time to the first byte or to the failure, in milliseconds. */
  readonly ms: number;
}

/** The series that count a request of one kind. */
interface RequestSeries {
  readonly requests: Value;
  readonly seconds: Distribution;
  readonly firstByteSeconds: Distribution;
}

/** The series that count the tokens and credits of a part. */
interface SpendSeries {
  readonly input: Value;
  readonly cached: Value;
  readonly output: Value;
  readonly credits: Value;
}

/** Log events that cause an alarm when they occur once. */
const GRAVE_EVENTS = [
  "internal_error",
  "unhandled_rejection",
  "request_not_logged",
  "charged_without_answer",
  "settlement_refused",
];

const MODEL = ["endpoint", "model"] as const;

/** Counts events; `StateMetrics` has the current state. */
export class ServiceMetrics {
  readonly #requests = new Counter("svc_requests_total", {
    help: "Model requests that have ended, by endpoint, model, status class and outcome.",
    labels: [...MODEL, "status", "outcome"],
  });
  readonly #errors = new Counter("svc_request_errors_total", {
    help: "Model requests that ended with an error, by its code.",
    labels: ["endpoint", "code"],
  });
  readonly #refusals = new Counter("svc_refusals_total", {
    help: "Error answers of the listeners, by code, requests without a good key included.",
    labels: ["listener", "code"],
  });
  readonly #seconds = new Histogram("svc_request_duration_seconds", {
    help: "Time from a request's key being known to its end, in seconds.",
    labels: MODEL,
    bounds: REQUEST_SECONDS,
    seriesMax: HISTOGRAMS_MAX,
  });
  readonly #firstByteSeconds = new Histogram("svc_time_to_first_byte_seconds", {
    help: "Time to the first byte of a streamed answer, in seconds.",
    labels: MODEL,
    bounds: REQUEST_SECONDS,
    seriesMax: HISTOGRAMS_MAX,
  });
  readonly #tokens = new Counter("svc_tokens_total", {
    help:
      "Tokens billed, of a split request to the models of its tasks; those read from a cache are among the input.",
    labels: [...MODEL, "type"],
  });
  readonly #charged = new Counter("svc_charged_credits_total", {
    help: "Credits charged for model requests, of a split one to the models of its tasks.",
    labels: MODEL,
  });
  readonly #estimated = new Counter("svc_estimated_bills_total", {
    help: "Requests billed by counted tokens, since the upstream reported none.",
  });
  readonly #impossible = new Counter("svc_impossible_usage_total", {
    help: "Impossible reports of usage, replaced by counts, by model.",
    labels: ["model"],
  });
  readonly #writtenOff = new Counter("svc_written_off_credits_total", {
    help: "Credits of usage beyond its hold: counted, never charged.",
  });
  readonly #writeOffs = new Counter("svc_write_offs_total", {
    help: "Settlements that wrote something off.",
  });
  readonly #holdRefusals = new Counter("svc_hold_refusals_total", {
    help: "Holds that were refused, by reason.",
    labels: ["refusal"],
  });
  readonly #failovers = new Counter("svc_failovers_total", {
    help: "Attempts that failed and were followed by another model's.",
  });
  readonly #attempts = new Counter("svc_upstream_attempts_total", {
    help: "Attempts at upstreams, by outcome and class of the HTTP status.",
    labels: ["upstream", "model", "outcome", "status"],
    seriesMax: 2_000,
  });
  readonly #attemptSeconds = new Histogram("svc_upstream_first_byte_seconds", {
    help: "Time to the first byte of an upstream's answer, in seconds.",
    labels: ["upstream"],
    bounds: REQUEST_SECONDS,
    seriesMax: HISTOGRAMS_MAX,
  });
  readonly #broken = new Counter("svc_upstream_broken_streams_total", {
    help: "Streams of upstreams that broke off after their first byte.",
    labels: ["upstream", "outcome"],
  });
  readonly #commitSeconds = new Histogram("svc_store_commit_duration_seconds", {
    help: "Time of a commit of the store, in seconds.",
    bounds: SHORT_SECONDS,
  });
  readonly #querySeconds = new Histogram("svc_store_query_duration_seconds", {
    help: "Time from a statement's sending to PostgreSQL to its answer, in seconds, by its group.",
    labels: ["group"],
    bounds: SHORT_SECONDS,
    seriesMax: HISTOGRAMS_MAX,
  });
  readonly #operations = new Counter("svc_store_operations_total", {
    help: "Changes of the store that were made durable.",
  });
  readonly #commitFailures = new Counter("svc_store_commit_failures_total", {
    help: "Commits of the store that failed, as on a full disk.",
  });
  readonly #audits = new Counter("svc_audits_total", {
    help: "Requests that were selected for an audit, by the end of the audit.",
    labels: ["end"],
  });
  readonly #auditCalls = new Counter("svc_audit_calls_total", {
    help: "Calls of models by audits, by outcome; the counters of requests do not include them.",
    labels: ["model", "outcome"],
  });
  readonly #auditCredits = new Counter("svc_audit_credits_total", {
    help: "Credits that calls of audits have cost the operator.",
    labels: ["model"],
  });
  readonly #rows = new Counter("svc_request_log_rows_total", {
    help: "Rows written to the request log.",
  });
  readonly #lines = new Counter("svc_log_lines_total", {
    help: "Lines of the operator's log, by level and event.",
    labels: ["level", "event"],
    seriesMax: 200,
  });
  readonly #loopDelay = new Histogram("svc_event_loop_delay_seconds", {
    help: "How late the event loop came to a timer, in seconds.",
    bounds: SHORT_SECONDS,
  });
  #requestSeries = new Map<string, RequestSeries>();
  #spendSeries = new Map<string, SpendSeries>();

  constructor() {
    for (const event of GRAVE_EVENTS) this.#lines.at("error", event);
  }

  /** All metrics, in the order of the page. */
  get all(): readonly Metric[] {
    return [
      ...[this.#requests, this.#errors, this.#refusals, this.#seconds, this.#firstByteSeconds],
      ...[this.#tokens, this.#charged, this.#estimated, this.#impossible],
      ...[this.#writtenOff, this.#writeOffs],
      ...[this.#holdRefusals, this.#failovers, this.#attempts, this.#attemptSeconds],
      ...[this.#broken, this.#commitSeconds, this.#querySeconds, this.#operations],
      ...[this.#commitFailures, this.#rows],
      ...[this.#audits, this.#auditCalls, this.#auditCredits],
      ...[this.#lines, this.#loopDelay],
    ];
  }

  /**
   * Creates the series of refused credentials at once: Prometheus sees no increase in a new series,
   * and one refusal must cause an alarm.
   */
  expect(models: Iterable<{ readonly id: string; readonly upstream: string }>): void {
    for (const { id, upstream } of models) {
      this.#attempts.at(upstream, id, "refused_credentials", "4xx");
    }
  }

  /** Counts a request whose log row is durable. */
  requestEnded(record: RequestRecord): void {
    if (record.keyId === AUDIT_KEY_ID) return this.#auditCallEnded(record);
    const series = this.#seriesOf(record);
    series.requests.value++;
    series.seconds.observe(record.durationMs / 1_000);
    if (record.firstByteMs !== undefined) {
      series.firstByteSeconds.observe(record.firstByteMs / 1_000);
    }
    for (const part of partsOf(record)) {
      const spent = this.#spentBy(record.endpoint, part.model || "none");
      spent.input.value += part.inputTokens;
      spent.cached.value += part.cachedInputTokens;
      spent.output.value += part.outputTokens;
      spent.credits.value += creditsOf(part.charged);
    }
    this.#rows.at().value++;
    if (record.estimated) this.#estimated.at().value++;
    for (const { model } of record.usageProblems ?? []) this.#impossible.at(model).value++;
    if (record.errorCode !== undefined) this.#errors.at(record.endpoint, record.errorCode).value++;
    const { routing, tasks = [] } = record;
    for (const { attempts } of routing === undefined ? tasks : [routing, ...tasks]) {
      if (attempts.length > 1) this.#failovers.at().value += attempts.length - 1;
    }
  }

  /** Counts the end of an audit. */
  audited(end: string): void {
    this.#audits.at(end).value++;
  }

  /** Counts an error response of a listener. */
  refused(listener: string, code: ErrorCode): void {
    this.#refusals.at(listener, code).value++;
  }

  /** Counts a settlement. */
  settled({ writtenOff }: Settled): void {
    if (writtenOff === 0n) return;
    this.#writeOffs.at().value++;
    this.#writtenOff.at().value += creditsOf(writtenOff);
  }

  /** Counts a refused hold. */
  holdRefused(refusal: string): void {
    this.#holdRefusals.at(refusal).value++;
  }

  /** Counts an attempt whose answer began, or that failed before. */
  attempted({ upstream, model, outcome, status, ms }: ObservedAttempt): void {
    const answered = outcome === "ok" ? 200 : status;
    this.#attempts.at(upstream, model, outcome, statusClass(answered)).value++;
    if (outcome === "ok") this.#attemptSeconds.at(upstream).observe(ms / 1_000);
  }

  /** Counts a stream that broke off after it had begun. */
  brokeOff({ upstream, outcome }: Pick<ObservedAttempt, "upstream" | "outcome">): void {
    this.#broken.at(upstream, outcome).value++;
  }

  /** Counts a commit of the store. */
  committed({ ms, operations, ok }: ObservedCommit): void {
    this.#commitSeconds.at().observe(ms / 1_000);
    if (ok) this.#operations.at().value += operations;
    else this.#commitFailures.at().value++;
  }

  /** Counts a statement that was sent to PostgreSQL. */
  statementEnded(group: string, ms: number): void {
    this.#querySeconds.at(group).observe(ms / 1_000);
  }

  /** Counts a log line. */
  logged(level: string, event: string): void {
    this.#lines.at(level, event).value++;
  }

  /** Counts a delay of the event loop. */
  loopDelayed(ms: number): void {
    this.#loopDelay.at().observe(ms / 1_000);
  }

  /** Counts a call of an audit, which is no request of a caller. */
  #auditCallEnded({ routing, outcome, charged }: RequestRecord): void {
    const model = routing?.model ?? "none";
    this.#auditCalls.at(model, outcome).value++;
    this.#auditCredits.at(model).value += Number(charged);
    this.#rows.at().value++;
  }

  #seriesOf({ endpoint, routing, status, outcome }: RequestRecord): RequestSeries {
    const model = routing?.model ?? "none";
    const key = `${endpoint} ${status} ${outcome} ${model}`;
    const cached = this.#requestSeries.get(key);
    if (cached !== undefined) return cached;
    if (this.#requestSeries.size >= CACHE_MAX) this.#requestSeries = new Map();
    const series: RequestSeries = {
      requests: this.#requests.at(endpoint, model, statusClass(status), outcome),
      seconds: this.#seconds.at(endpoint, model),
      firstByteSeconds: this.#firstByteSeconds.at(endpoint, model),
    };
    this.#requestSeries.set(key, series);
    return series;
  }

  #spentBy(endpoint: string, model: string): SpendSeries {
    const key = `${endpoint} ${model}`;
    const cached = this.#spendSeries.get(key);
    if (cached !== undefined) return cached;
    if (this.#spendSeries.size >= CACHE_MAX) this.#spendSeries = new Map();
    const series: SpendSeries = {
      input: this.#tokens.at(endpoint, model, "input"),
      cached: this.#tokens.at(endpoint, model, "cached_input"),
      output: this.#tokens.at(endpoint, model, "output"),
      credits: this.#charged.at(endpoint, model),
    };
    this.#spendSeries.set(key, series);
    return series;
  }
}

/** Returns the class of a status, such as `2xx`; `none` if there was no answer. */
function statusClass(status: number | undefined): string {
  return status === undefined ? "none" : `${Math.floor(status / 100)}xx`;
}

/** Returns credits as a number, precise enough for a plot. */
export function creditsOf(micros: Micros): number {
  return Number(micros) / 1_000_000;
}
