import type { Clock } from "../../ports/clock.ts";
import type { LedgerStore } from "../../ports/ledger_store.ts";
import type { Logger } from "../../ports/logger.ts";
import type { ProgressCommand } from "../../domain/ledger/ledger.ts";
import { impossibleUsage } from "../../domain/ledger/impossible_usage.ts";
import type { Micros } from "../../domain/ledger/money.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import { type Settlement, settlementOf } from "../../domain/ledger/settlement.ts";
import { fewestTokens } from "../../domain/requests/token_floor.ts";
import type { AnswerRelay } from "../../wire/answer_relay.ts";
import type { OpenHold } from "../call/call_hold.ts";
import { type CallEnd, usageBounds } from "../settle/bill.ts";
import type { Checkpointed, Checkpoints } from "./checkpoints.ts";
import type { ActiveRequest } from "../request/active_request.ts";

/** Time between two checkpoints of a stream, and before its first, in milliseconds. */
export const CHECKPOINT_MS = 2_000;
/**
 * Sent events after which a checkpoint is due earlier, in UTF-16 code units: about a thousand
 * tokens.
 */
export const CHECKPOINT_CHARS = 256 * 1024;
/**
 * Maximum text that is counted for a checkpoint, in UTF-16 code units: of the input once, of the
 * output each time. Counting it takes about 5 ms. Input beyond it is not charged if the gateway
 * dies; an output that grows beyond it is charged what it came to before.
 */
export const COUNTED_MAX_CHARS = 256 * 1024;
const COUNTED = { maxChars: COUNTED_MAX_CHARS };

/** Parts of the service that checkpoints of a call use. */
export interface ProgressDeps {
  readonly checkpoints: Pick<Checkpoints, "enter">;
  readonly clock: Clock;
  readonly ledger: Pick<LedgerStore, "progress">;
  readonly logger: Pick<Logger, "warn">;
}

/** The part of a streamed call that its checkpoints need. */
export interface ProgressingCall {
  readonly active: ActiveRequest;
  readonly hold: OpenHold;
  readonly candidate: Candidate;
  readonly relay: Pick<
    AnswerRelay,
    "usage" | "delivered" | "deliveredChars" | "usedUpBy" | "finished"
  >;
  readonly inputText: () => string;
  readonly fee?: (() => CallEnd["fee"]) | undefined;
}

/**
 * The progress of one streamed call, made durable at intervals: the charge that applies if the call
 * breaks off now, computed from the usage reported so far or from at most the delivered tokens. A
 * short stream writes no checkpoint, and no stream waits for one: after a failed write the next
 * checkpoint contains everything.
 */
export class CallProgress implements Checkpointed {
  readonly #deps: ProgressDeps;
  readonly #call: ProgressingCall;
  readonly #exit: () => void;
  /** Events sent since the last checkpoint, in UTF-16 code units. */
  #chars = 0;
  #sinceMs: number;
  /** True while sent text may not have reached the connection. */
  #isUnconfirmed = false;
  #isDue = false;
  #isOver = false;
  #isWriting = false;
  /** True after a checkpoint has failed: further failures are not logged. */
  #hasFailed = false;
  #checkpointMicros: Micros = 0n;
  #inputTokens: number | undefined;

  constructor(deps: ProgressDeps, call: ProgressingCall) {
    this.#deps = deps;
    this.#call = call;
    this.#sinceMs = deps.clock.monotonicMs();
    this.#exit = deps.checkpoints.enter(this);
  }

  /** Notes that text was sent. */
  sent(text: string): void {
    this.#isUnconfirmed = true;
    this.#chars += text.length;
  }

  /** Notes that more is requested: the connection has taken the text that was sent before. */
  confirm(): void {
    this.#isUnconfirmed = false;
    if (this.#isDue && !this.#isWriting) this.#write();
  }

  /** Ends the checkpoints of the call: its settlement follows. */
  end(): void {
    this.#isOver = true;
    this.#exit();
  }

  writeIfDue(): boolean {
    if (this.#chars === 0 || this.#isWriting || this.#isOver) return false;
    const ageMs = this.#deps.clock.monotonicMs() - this.#sinceMs;
    if (ageMs < CHECKPOINT_MS && this.#chars < CHECKPOINT_CHARS) return false;
    this.#isDue = this.#isUnconfirmed;
    if (!this.#isDue) this.#write();
    return !this.#isDue;
  }

  #write(): void {
    const { ledger, clock } = this.#deps;
    const { hold, relay, active } = this.#call;
    this.#isDue = false;
    this.#sinceMs = clock.monotonicMs();
    this.#chars = 0;
    // The settlement follows soon; usage and held-back text may still arrive before it.
    if (relay.finished) return;
    const isTooLong = relay.deliveredChars > COUNTED_MAX_CHARS;
    const reported = this.#reported();
    if (reported === undefined && isTooLong) return;
    const { cost, usage } = this.#settlement(reported, isTooLong);
    if (cost <= this.#checkpointMicros) return;
    const { inputTokens, cachedInputTokens, outputTokens } = usage;
    const command: ProgressCommand = {
      ...{ kind: "progress", holdId: hold.id, cost, atMs: clock.nowMs() },
      ...{ inputTokens, cachedInputTokens, outputTokens },
    };
    this.#isWriting = true;
    ledger.progress(command, () => active.killedRow()).then(
      ({ ok }) => {
        if (ok) this.#checkpointMicros = cost;
      },
      (error) => this.#logFailure(error),
    ).finally(() => this.#isWriting = false);
  }

  /** Returns the usage as reported so far, if it is possible. */
  #reported(): Usage | undefined {
    const { relay: { usage }, active } = this.#call;
    if (usage === undefined) return undefined;
    return impossibleUsage(usage, usageBounds(active, this.#call)) === undefined
      ? usage
      : undefined;
  }

  /** Returns the settlement of the call if it broke off now, fees included. */
  #settlement(usage: Usage | undefined, isTooLong: boolean): Settlement {
    const { hold, relay, fee, inputText, candidate } = this.#call;
    let counted;
    if (!isTooLong) {
      this.#inputTokens ??= fewestTokens(inputText(), COUNTED) + candidate.mediaInputTokens;
      const output = relay.usedUpBy ?? fewestTokens(relay.delivered.join(""), COUNTED);
      const imageInput = candidate.imageInputTokens;
      counted = { input: this.#inputTokens, imageInput, output };
    }
    const settlement = settlementOf({ ending: "cut", usage, counted }, hold.price);
    return { ...settlement, cost: settlement.cost + (fee?.() ?? 0n) };
  }

  #logFailure(error: unknown): void {
    // The progress is still unwritten.
    this.#chars += 1;
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const { requestId } = this.#call.active.identity;
    this.#deps.logger.warn("checkpoint_not_kept", { requestId, cause: String(error) });
  }
}
