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
import type { Checkpointed } from "./checkpoints.ts";
import type { GatewayContext } from "../context.ts";
import type { RequestTrace } from "../request_trace.ts";

/** Time from one checkpoint of a stream to the next, and to its first, in milliseconds. */
export const CHECKPOINT_MS = 2_000;
/** Events, in UTF-16 code units, after which one is due earlier: some thousand tokens. */
export const CHECKPOINT_CHARS = 256 * 1024;
/**
 * Most text that is counted for a checkpoint, in UTF-16 code units: of the input once, of the output
 * each time. It takes some 5 ms. What input has beyond is not charged where the gateway dies; an
 * output that grows beyond is charged what it came to before.
 */
export const COUNTED_MAX_CHARS = 256 * 1024;
const COUNTED = { maxChars: COUNTED_MAX_CHARS };

/** A streamed call, as far as its checkpoints need it. */
export interface ProgressingCall {
  readonly trace: RequestTrace;
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
 * How far one streamed call has come, made durable now and then: what it would be charged if it broke
 * off now, at usage as reported so far or at no more tokens than were delivered. A short stream is
 * never written down, and no stream waits for it: one that the store would not take is gone, and the
 * next tells all of it.
 */
export class CallProgress implements Checkpointed {
  readonly #gateway: GatewayContext;
  readonly #call: ProgressingCall;
  readonly #exit: () => void;
  /** Events sent since the last checkpoint, in UTF-16 code units. */
  #chars = 0;
  #sinceMs: number;
  /** Text has been handed on of which nobody knows yet that it was taken. */
  #isOnItsWay = false;
  #isDue = false;
  #isOver = false;
  #isBeingKept = false;
  /** Once a checkpoint has failed no other one is told of. */
  #hasFailed = false;
  #kept: Micros = 0n;
  #inputTokens: number | undefined;

  constructor(gateway: GatewayContext, call: ProgressingCall) {
    this.#gateway = gateway;
    this.#call = call;
    this.#sinceMs = gateway.clock.monotonicMs();
    this.#exit = gateway.checkpoints.enter(this);
  }

  /** Text was handed on. */
  sent(text: string): void {
    this.#isOnItsWay = true;
    this.#chars += text.length;
  }

  /** More is asked for: what was handed on before has been taken by the connection. */
  taken(): void {
    this.#isOnItsWay = false;
    if (this.#isDue && !this.#isBeingKept) this.#keep();
  }

  /** The call is over: its bill tells all of it. */
  end(): void {
    this.#isOver = true;
    this.#exit();
  }

  look(): boolean {
    if (this.#chars === 0 || this.#isBeingKept || this.#isOver) return false;
    const ageMs = this.#gateway.clock.monotonicMs() - this.#sinceMs;
    if (ageMs < CHECKPOINT_MS && this.#chars < CHECKPOINT_CHARS) return false;
    this.#isDue = this.#isOnItsWay;
    if (!this.#isDue) this.#keep();
    return !this.#isDue;
  }

  #keep(): void {
    const { ledger, clock } = this.#gateway;
    const { hold, relay, trace } = this.#call;
    this.#isDue = false;
    this.#sinceMs = clock.monotonicMs();
    this.#chars = 0;
    // Usage may come next, and what was held back: the bill is near.
    if (relay.finished) return;
    const isTooLong = relay.deliveredChars > COUNTED_MAX_CHARS;
    const reported = this.#reported();
    if (reported === undefined && isTooLong) return;
    const { cost, usage } = this.#settlement(reported, isTooLong);
    if (cost <= this.#kept) return;
    const { inputTokens, cachedInputTokens, outputTokens } = usage;
    const command: ProgressCommand = {
      ...{ kind: "progress", holdId: hold.id, cost, atMs: clock.nowMs() },
      ...{ inputTokens, cachedInputTokens, outputTokens },
    };
    this.#isBeingKept = true;
    ledger.progress(command, () => trace.record({ status: 200, outcome: "killed" })).then(
      ({ ok }) => {
        if (ok) this.#kept = cost;
      },
      (error) => this.#complain(error),
    ).finally(() => this.#isBeingKept = false);
  }

  /** Usage as reported so far, where it is possible. */
  #reported(): Usage | undefined {
    const { relay: { usage }, trace } = this.#call;
    if (usage === undefined) return undefined;
    return impossibleUsage(usage, usageBounds(trace, this.#call)) === undefined ? usage : undefined;
  }

  /** As the call would be settled if it broke off now, fees included. */
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

  #complain(error: unknown): void {
    // It is still new.
    this.#chars += 1;
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const { requestId } = this.#call.trace.caller;
    this.#gateway.logger.warn("checkpoint_not_kept", { requestId, cause: String(error) });
  }
}
