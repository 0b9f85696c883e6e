/**
 * The settlement of every call: its charge in the ledger and its log row, before the caller sees
 * the end.
 *
 * @module
 */

import type { KeyLimits } from "../admit/admission.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { TokenCounter } from "../../ports/token_counter.ts";
import type { SettlementRetries } from "./settlement_retries.ts";
import type { BillingMetadata, Endpoint } from "@svc/sdk/protocol";
import type { SettleCommand } from "../../domain/ledger/ledger.ts";
import {
  HELD_INPUT_FACTOR,
  impossibleUsage,
  type UsageBounds,
} from "../../domain/ledger/impossible_usage.ts";
import { formatCredits, type Micros, minMicros } from "../../domain/ledger/money.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import {
  type CallEnding,
  type CountedTokens,
  needsCount,
  type Settlement,
  settlementOf,
} from "../../domain/ledger/settlement.ts";
import type { LedgerStore, SettlementRows } from "../../ports/ledger_store.ts";
import type { BegunCall } from "../call/attempt.ts";
import { billedEnd } from "../call/attempt_span.ts";
import type { CallContent } from "../request/content_note.ts";
import type { ObservedAnswer } from "../../domain/learning/answer_check.ts";
import type { Learning } from "../learn/learning.ts";
import { noteAnswer } from "../learn/note_answer.ts";
import { noteServed } from "../learn/note_served.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { RequestEnd } from "../request/report.ts";
import { isRefused, settleOnce, settleUntilConfirmed } from "./confirmed_settlement.ts";

/** Parts of the service that settlements use. */
export interface SettleDeps {
  readonly admission: Pick<KeyLimits, "spent">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly learning: Pick<Learning, "noteServed" | "noteAnswer">;
  readonly ledger: Pick<LedgerStore, "settle">;
  readonly logger: Logger;
  readonly settlementRetries: Pick<SettlementRetries, "add" | "settleEarlier">;
  readonly tokens: TokenCounter;
}

/** The end of a call. */
export interface CallEnd {
  readonly ending: CallEnding;
  /** Usage as the upstream reported it, which may be impossible. */
  readonly usage: Usage | undefined;
  /**
   * Counts the tokens if no usage was reported or the count may be larger; resolves to `undefined`
   * if nothing was delivered.
   */
  count(): Promise<CountedTokens | undefined>;
  /** Content of the call, logged only for keys whose content is logged. @default {nothing} */
  readonly content?: CallContent | undefined;
  /** Returns the complete answer, called after the caller was answered. @default {it is not checked} */
  readonly answer?: (() => ObservedAnswer | undefined) | undefined;
  /**
   * True when the caller has received the answer or a part of it: then the charge stands if the
   * store fails.
   */
  readonly wasDelivered: boolean;
  /** Cost of the call beside its tokens, such as searches that its model ran. @default {0n} */
  readonly fee?: Micros | undefined;
  /**
   * End of the request with this call; absent if the request continues, and no row is logged yet.
   */
  readonly request?: Omit<RequestEnd, "billing"> | undefined;
}

/** The durable bill of a request after a call was settled. */
export interface Bill {
  /** Sum of all its calls. */
  readonly billing: BillingMetadata;
  /** Usage of the call settled last. */
  readonly usage: Usage;
}

/**
 * Settles the hold of a call, and writes the log row of a request that ends with it. Both are
 * durable when the promise resolves.
 */
export async function settleCall(
  deps: SettleDeps,
  active: ActiveRequest,
  call: { begunCall: Pick<BegunCall<unknown>, "hold" | "span" | "candidate">; end: CallEnd },
): Promise<Bill> {
  const { begunCall: { hold, span, candidate }, end } = call;
  const reported = possibleUsage(deps, active, { candidate, hold, usage: end.usage });
  const isOpen = needsCount({ ending: end.ending, usage: reported });
  const counted = isOpen ? await end.count() : undefined;
  const isEmpty = reported === undefined && counted === undefined;
  const { usage, cost, estimated } = settlementOf({
    ending: end.ending === "finished" && isEmpty ? "nothing_delivered" : end.ending,
    usage: reported,
    counted,
  }, hold.price);
  span?.end(billedEnd(end.ending, { usage, estimated }));
  const charged = minMicros(cost + (end.fee ?? 0n), hold.held);
  const billing = billingOf({ usage, estimated }, { charged, version: hold.price.version });
  const atMs = deps.clock.nowMs();
  deps.admission.spent(active.key, billing.total_tokens, atMs, active.reservation);
  const ending: SettleCommand = {
    kind: "settle",
    holdId: hold.id,
    cost: cost + (end.fee ?? 0n),
    inputTokens: usage.inputTokens,
    cachedInputTokens: usage.cachedInputTokens,
    outputTokens: usage.outputTokens,
    estimated,
    atMs,
  };
  const total = active.bill.sumWith(billing);
  if (end.content !== undefined) active.noteContent(end.content);
  const rows: SettlementRows = end.request === undefined
    ? { killedRow: active.killedRow() }
    : { row: active.record({ ...end.request, billing: total }) };
  const noteBill = () => {
    active.bill.update(total);
    const { model: { id: model }, upstream: { provider } } = candidate;
    active.bill.addUse({ model, provider, ms: active.report.lastAttemptMs }, billing);
  };
  try {
    const earlier = rows.row && deps.settlementRetries.settleEarlier(rows.row.holdIds);
    if (earlier !== undefined) await earlier;
    if (end.wasDelivered) await settleOnce(deps.ledger, { ending, rows });
    else {
      await settleUntilConfirmed(deps, { ending, rows, requestId: active.identity.requestId });
    }
  } catch (error) {
    // A hold that is not open cannot be ended later.
    if (isRefused(error)) throw error;
    settleLater(deps, { ending, rows, wasDelivered: end.wasDelivered }, error);
    // A request of several calls is logged at its end: by then this call will have been settled.
    if (end.wasDelivered && rows.row === undefined) noteBill();
    throw error;
  }
  noteBill();
  noteEnd(deps, active, { candidate, atMs, billing, total, ...end });
  return { billing: total, usage };
}

/** Notes the end of a request, and for later decisions the candidate that answered it. */
function noteEnd(
  deps: Pick<SettleDeps, "learning">,
  active: ActiveRequest,
  call: Parameters<typeof noteServed>[2] & Pick<CallEnd, "answer" | "request"> & {
    readonly atMs: number;
  },
): void {
  if (call.request === undefined) return;
  active.noteOutcome(call.request.outcome);
  if (call.request.outcome !== "ok") return;
  noteServed(deps, active, call);
  noteAnswer(deps, active, { ...call, answer: call.answer });
}

/** Returns the reported usage if it is possible; logs impossible usage for the operator. */
function possibleUsage(
  deps: Pick<SettleDeps, "logger">,
  active: ActiveRequest,
  call: Pick<BegunCall<unknown>, "candidate" | "hold"> & { readonly usage: Usage | undefined },
): Usage | undefined {
  const { candidate, usage } = call;
  if (usage === undefined) return undefined;
  const problem = impossibleUsage(usage, usageBounds(active, call));
  if (problem === undefined) return usage;
  const { model: { id: model }, upstream } = candidate;
  const { requestId } = active.identity;
  deps.logger.warn("impossible_usage", { requestId, model, upstream: upstream.id, problem });
  active.report.noteUsageProblem({ model, problem });
  return undefined;
}

/** Returns the bounds of possible usage of a call. */
export function usageBounds(
  { identity }: ActiveRequest,
  { candidate, hold }: Pick<BegunCall<unknown>, "candidate" | "hold">,
): UsageBounds {
  return {
    contextTokens: contextOf(identity.endpoint, candidate),
    heldOutputTokens: hold.outputTokens,
  };
}

/** Returns the maximum input of a call, in tokens. Models that draw have none. */
function contextOf(endpoint: Endpoint, { model, inputTokens }: Candidate): number {
  if (endpoint.startsWith("images.")) return Infinity;
  // Each of many inputs may fill the context: what is held bounds them together.
  if (endpoint === "embeddings") return HELD_INPUT_FACTOR * inputTokens;
  return model.contextTokens;
}

function billingOf(
  { usage, estimated }: Omit<Settlement, "cost">,
  { charged, version }: { readonly charged: Micros; readonly version: number },
): BillingMetadata {
  return {
    currency: "credits",
    charged: formatCredits(charged),
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    estimated,
    price_version: version,
    ...(usage.cacheWriteInputTokens
      ? { cache_write_input_tokens: usage.cacheWriteInputTokens }
      : {}),
  };
}

/**
 * Charges a delivered answer once the store is available again, and voids the hold of any other.
 */
function settleLater(
  { settlementRetries }: Pick<SettleDeps, "settlementRetries">,
  call: {
    readonly ending: SettleCommand;
    readonly rows: SettlementRows;
    readonly wasDelivered: boolean;
  },
  cause: unknown,
): void {
  const { ending, rows: { row, killedRow }, wasDelivered } = call;
  if (!wasDelivered) {
    const { holdId, atMs } = ending;
    const reason = "the store failed before the answer left";
    return settlementRetries.add({ kind: "void", holdId, reason, atMs }, cause);
  }
  // Everything but the final events was sent; in their place the caller receives an error about the
  // store.
  const endRow = row?.outcome === "ok"
    ? { ...row, outcome: "cut", errorCode: "store_unavailable" } as const
    : row;
  settlementRetries.add(ending, cause, { row: endRow, killedRow });
}

/**
 * Counts the tokens of a text call; resolves to `undefined` if nothing was delivered. The text of
 * the input is built only if it must be counted. Media in the input cannot be counted as text and
 * are taken from the estimate of the hold.
 */
export async function countTokens(
  deps: Pick<SettleDeps, "logger" | "tokens">,
  { candidate, inputText, delivered, chars = 0, fewest }: {
    readonly candidate: Candidate;
    readonly inputText: () => string;
    readonly delivered: () => readonly string[];
    /** Approximate length of the delivered text, in UTF-16 code units. @default {short} */
    readonly chars?: number | undefined;
    /** Minimum delivered tokens, if they use up the hold: then nothing is counted. */
    readonly fewest?: number | undefined;
  },
): Promise<CountedTokens | undefined> {
  try {
    const text = () => delivered().join("");
    const output = fewest ?? await deps.tokens.count({ chars, text });
    // Nothing delivered, or only empty text.
    if (output === 0) return undefined;
    const input = await deps.tokens.count(inputText()) + candidate.mediaInputTokens;
    return { input, imageInput: candidate.imageInputTokens, output };
  } catch (error) {
    // Tokens that cannot be counted are not charged; the hold must end all the same.
    deps.logger.error("tokens_not_counted", { cause: String(error) });
    return undefined;
  }
}
