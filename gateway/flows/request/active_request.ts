import type { KeyRecord } from "../../domain/policy/key.ts";
import type { Micros } from "../../domain/ledger/money.ts";
import type { BodyHold } from "../../ports/body_hold.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KilledRow, OtherUse, RequestRecord } from "../../ports/request_log.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import type { Span } from "../../ports/tracer.ts";
import type { TokenReservation } from "./token_reservation.ts";
import type { CallContent } from "./content_note.ts";
import type { RequestIdentity } from "./identity.ts";
import { type RequestEnd, RequestReport } from "./report.ts";
import { RequestBill } from "./request_bill.ts";

/** Links between a request and its connection. */
export interface RequestConnection {
  /** Aborted when the caller disconnects before the answer has begun. */
  readonly signal: AbortSignal;
  /** Span of the request; absent if it is not traced. */
  readonly span?: Span | undefined;
  /** Memory that the request holds. @default {not counted} */
  readonly hold?: BodyHold | undefined;
  /**
   * Called when a plan is made before the answer begins, which may take long. From then on the signal
   * that it returns replaces the connection's.
   */
  readonly onPlanning?: (() => AbortSignal) | undefined;
  /** True when the head of a stream was sent although its answer has not begun. @default {false} */
  readonly isHeadSent?: (() => boolean) | undefined;
}

/** A request while it is processed: its identity, its report, its bill and its current limits. */
export class ActiveRequest {
  readonly identity: RequestIdentity;
  readonly report: RequestReport;
  readonly bill: RequestBill;
  /** Maximum cost of this part of the request. @default {the rest of the key policy's maximum} */
  readonly allowance: Micros | undefined;
  /** Span of this request or part; absent if it is not traced. */
  readonly span: Span | undefined;
  /** Memory that the request holds; absent if it is not counted. */
  readonly hold: BodyHold | undefined;
  /** Start of this request or part, in Unix milliseconds. */
  readonly atMs: number;
  readonly #startedMs: number;
  readonly #clock: Clock;
  readonly #connection: RequestConnection;
  /** The request that this is a part of. */
  readonly #whole: ActiveRequest | undefined;
  #key: KeyRecord;
  #signal: AbortSignal;
  #reservation: TokenReservation | undefined;
  #chatRequest: JsonBody | undefined;
  #hasBegun = false;
  #outcome: RequestRecord["outcome"] | undefined;

  constructor(
    identity: RequestIdentity,
    connection: RequestConnection,
    clock: Clock,
    part?: {
      readonly of: ActiveRequest;
      readonly allowance: Micros | undefined;
      readonly span: Span | undefined;
    },
  ) {
    this.identity = identity;
    this.#connection = connection;
    this.#clock = clock;
    this.#whole = part?.of;
    this.report = new RequestReport(identity, part?.of.report);
    this.bill = part?.of.bill.part() ?? new RequestBill();
    this.allowance = part?.allowance;
    this.span = part?.span ?? connection.span;
    this.hold = connection.hold;
    this.#key = part?.of.key ?? identity.key;
    this.#signal = part?.of.signal ?? connection.signal;
    this.#reservation = part?.of.reservation;
    this.atMs = clock.nowMs();
    this.#startedMs = clock.monotonicMs();
  }

  /** The key as it was read last. */
  get key(): KeyRecord {
    return this.#key;
  }

  /** Replaces the key by a more recently read record. */
  renewKey(key: KeyRecord): void {
    this.#key = key;
  }

  /** Aborted when the caller disconnects before the answer has begun. */
  get signal(): AbortSignal {
    return this.#signal;
  }

  /** True when the head of a stream was sent although its answer has not begun. */
  get isHeadSent(): boolean {
    return this.#connection.isHeadSent?.() ?? false;
  }

  /** The request in the form of Chat Completions, for the check of its answer; absent if unknown. */
  get chatRequest(): JsonBody | undefined {
    return this.#chatRequest;
  }

  /** Notes the request in the form of Chat Completions. */
  noteChatRequest(request: JsonBody): void {
    this.#chatRequest = request;
  }

  /** Notes that a plan is made before the answer begins. */
  beginPlanning(): void {
    this.#signal = this.#connection.onPlanning?.() ?? this.#signal;
  }

  /** Tokens that count against the key's minute until the true number is known. */
  get reservation(): TokenReservation | undefined {
    return this.#reservation;
  }

  /** Notes the tokens that were reserved for the request. */
  reserve(reservation: TokenReservation | undefined): void {
    this.#reservation = reservation;
  }

  /**
   * True when the request, or any part of it, has had a lease and a hold: then it runs to its end even
   * if its key is changed.
   */
  get hasBegun(): boolean {
    return this.#whole?.hasBegun ?? this.#hasBegun;
  }

  /** Notes that a lease and a hold were taken. */
  begin(): void {
    if (this.#whole === undefined) this.#hasBegun = true;
    else this.#whole.begin();
  }

  /** Outcome of the request, once its last call was settled. */
  get outcome(): RequestRecord["outcome"] | undefined {
    return this.#outcome;
  }

  /** Notes the outcome of the request. */
  noteOutcome(outcome: RequestRecord["outcome"]): void {
    this.#outcome = outcome;
  }

  /** Time since this request or part began, in milliseconds. */
  get elapsedMs(): number {
    return Math.round(this.#clock.monotonicMs() - this.#startedMs);
  }

  /** Start of this part, in milliseconds since its request began. */
  get startMs(): number {
    return Math.round(this.#startedMs - (this.#whole ?? this).#startedMs);
  }

  /**
   * Returns a part of the request that is a call with a separate route and bill until it is joined; its
   * holds, its log row and its reserved tokens are the request's. `stream`: true when the caller is
   * sent its text. `name`: of its span.
   */
  part({ name, stream, allowance }: {
    readonly name: string;
    readonly stream: boolean;
    readonly allowance?: Micros | undefined;
  }): ActiveRequest {
    const part = { of: this, allowance, span: this.span?.child(name) };
    return new ActiveRequest({ ...this.identity, stream }, this.#connection, this.#clock, part);
  }

  /** Adds the bill of a part that has ended. Does nothing if it was added before. */
  join(part: ActiveRequest, { error }: { readonly error?: string | undefined } = {}): void {
    if (this.bill.join(part.bill)) part.span?.end({ error });
  }

  /** Returns what was paid for in this part beside the calls of the model that was tried last. */
  otherUses(): readonly OtherUse[] | undefined {
    return this.bill.usesBeside(this.report.model);
  }

  /** Notes the content of a call if the key logs content. The content of a part is no answer. */
  noteContent(content: CallContent): void {
    if (this.#key.logContent !== true || this.#whole !== undefined) return;
    this.report.noteContent(content);
  }

  /** Returns the log row for the case that the gateway dies before the request ends. */
  killedRow(): KilledRow {
    return this.record({ status: 200, outcome: "killed" });
  }

  /** Returns the log row: for a part, the row of its request with the cost of the part up to now. */
  record({ billing = this.bill.settled, ...end }: RequestEnd): RequestRecord {
    if (this.#whole !== undefined) {
      return this.#whole.record({
        ...end,
        billing: this.#whole.bill.totalWith(this.bill, billing),
      });
    }
    return this.report.record({ ...end, billing }, {
      atMs: this.atMs,
      durationMs: this.elapsedMs,
      others: this.otherUses(),
    });
  }
}
