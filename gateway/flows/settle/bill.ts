/**
 * The end of every call: what it cost, in the books and in the log, before the caller sees the end.
 *
 * @module
 */

import type { BillingMetadata } from "@svc/sdk/protocol";
import type { SettleCommand } from "../../domain/ledger/ledger.ts";
import { impossibleUsage, type UsageBounds } from "../../domain/ledger/impossible_usage.ts";
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
import type { SettlementRows } from "../../ports/ledger_store.ts";
import type { Begun } from "../call/attempt.ts";
import { billedEnd } from "../call/attempt_span.ts";
import type { GatewayContext } from "../context.ts";
import type { Said } from "./content_note.ts";
import { addBilling } from "./add_billing.ts";
import type { RequestEnd, RequestTrace } from "../request_trace.ts";
import { RefusedSettlement, settleOnce, settleUntilConfirmed } from "./confirmed_settlement.ts";

/** How a call ended. */
export interface CallEnd {
  readonly ending: CallEnding;
  /** As the upstream reported it, possible or not. */
  readonly usage: Usage | undefined;
  /** Counts where the report is not the last word; `undefined` where nothing was delivered. */
  count(): Promise<CountedTokens | undefined>;
  /** What was said: kept only of keys whose content is logged. @default {nothing} */
  readonly said?: Said | undefined;
  /** The caller has had the answer, or part of it: where the store fails, the bill still stands. */
  readonly wasDelivered: boolean;
  /** What the call costs beside its tokens, such as searches that its model ran. @default {0n} */
  readonly fee?: Micros | undefined;
  /** How the request ended with it; absent where the request goes on: then nothing is logged yet. */
  readonly request?: Omit<RequestEnd, "billing"> | undefined;
}

/** The bill of a request as far as its calls have been settled, durable. */
export interface Bill {
  /** Of all its calls. */
  readonly billing: BillingMetadata;
  /** Of the call settled last. */
  readonly usage: Usage;
}

/**
 * Settles a call's hold, and writes the request's log row where it ends with this call; both are
 * durable when it resolves.
 */
export async function settleCall(
  gateway: GatewayContext,
  trace: RequestTrace,
  call: { begun: Pick<Begun<unknown>, "hold" | "span" | "candidate">; end: CallEnd },
): Promise<Bill> {
  const { begun: { hold, span, candidate }, end } = call;
  const reported = possibleUsage(gateway, trace, { candidate, hold, usage: end.usage });
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
  const { key } = trace.caller;
  gateway.admission.spent(key, billing.total_tokens, gateway.clock.nowMs(), trace.reserved);
  const atMs = gateway.clock.nowMs();
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
  const total = trace.billed === undefined ? billing : addBilling(trace.billed, billing);
  if (end.said !== undefined) trace.say(end.said);
  const rows = rowsOf(trace, end.request, total);
  const noteBill = () => {
    trace.billed = total;
    const { model: { id: model }, upstream: { provider } } = candidate;
    trace.used({ model, provider, ms: trace.attempts.at(-1)?.ms ?? 0 }, billing);
  };
  trace.settling = total;
  try {
    if (end.wasDelivered) await settleOnce(gateway.ledger, { ending, rows });
    else {
      await settleUntilConfirmed(gateway, { ending, rows, requestId: trace.caller.requestId });
    }
  } catch (error) {
    // A hold that is not open has no end to come.
    if (error instanceof RefusedSettlement) throw error;
    settleLater(gateway, { ending, rows, wasDelivered: end.wasDelivered }, error);
    // A request of several calls is logged at its end: by then this one will have been settled.
    if (end.wasDelivered && rows.row === undefined) noteBill();
    throw error;
  } finally {
    trace.settling = undefined;
  }
  noteBill();
  return { billing: total, usage };
}

/** Reported usage, where it is possible; the operator is told where it is not. */
function possibleUsage(
  gateway: GatewayContext,
  trace: RequestTrace,
  call: Pick<Begun<unknown>, "candidate" | "hold"> & { readonly usage: Usage | undefined },
): Usage | undefined {
  const { candidate, usage } = call;
  if (usage === undefined) return undefined;
  const problem = impossibleUsage(usage, usageBounds(trace, call));
  if (problem === undefined) return usage;
  const { model: { id: model }, upstream } = candidate;
  const { requestId } = trace.caller;
  gateway.logger.warn("impossible_usage", { requestId, model, upstream: upstream.id, problem });
  trace.usageProblem({ model, problem });
  return undefined;
}

/** Limits of what a call can have taken. */
export function usageBounds(
  { caller }: RequestTrace,
  { candidate, hold }: Pick<Begun<unknown>, "candidate" | "hold">,
): UsageBounds {
  const isDrawn = caller.endpoint.startsWith("images.");
  return {
    contextTokens: isDrawn ? Infinity : candidate.model.contextTokens,
    heldOutputTokens: hold.outputTokens,
  };
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

/** What is written of a request with a settlement: its row, or the one for a death of the gateway. */
export function rowsOf(
  trace: RequestTrace,
  end: CallEnd["request"],
  billing: BillingMetadata,
): SettlementRows {
  if (end !== undefined) return { row: trace.record({ ...end, billing }) };
  return { killedRow: trace.record({ status: 200, outcome: "killed", billing }) };
}

/** What was delivered is charged once the store is back; what was not is given back. */
function settleLater(
  { settlementRetries }: GatewayContext,
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
  // All but the end of it has been sent: the caller is told that the store has failed.
  const told = row?.outcome === "ok"
    ? { ...row, outcome: "cut", errorCode: "store_unavailable" } as const
    : row;
  settlementRetries.add(ending, cause, { row: told, killedRow });
}

/**
 * Tokens of a text call; `undefined` where nothing was delivered. The input's text is made late; its
 * media, which no text counting can see, are taken for the estimate that the hold was made with.
 */
export async function countTokens(
  gateway: GatewayContext,
  { candidate, inputText, delivered, chars = 0, fewest }: {
    readonly candidate: Candidate;
    readonly inputText: () => string;
    readonly delivered: () => readonly string[];
    /** About the length of what was delivered, in UTF-16 code units. @default {short} */
    readonly chars?: number | undefined;
    /** Tokens delivered at least, where they use the hold up: they need not be counted. */
    readonly fewest?: number | undefined;
  },
): Promise<CountedTokens | undefined> {
  try {
    const text = () => delivered().join("");
    const output = fewest ?? await gateway.tokens.count({ chars, text });
    // An empty text has none, and so has only what was not delivered.
    if (output === 0) return undefined;
    const input = await gateway.tokens.count(inputText()) + candidate.mediaInputTokens;
    return { input, imageInput: candidate.imageInputTokens, output };
  } catch (error) {
    // What cannot be counted is not charged; the hold must end all the same.
    gateway.logger.error("tokens_not_counted", { cause: String(error) });
    return undefined;
  }
}
