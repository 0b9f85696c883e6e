/**
 * The end of every call: what it cost, in the books and in the log, before the caller sees the end.
 *
 * @module
 */

import type { BillingMetadata } from "@svc/sdk/protocol";
import type { SettleCommand } from "../domain/ledger.ts";
import { formatCredits, minMicros } from "../domain/money.ts";
import type { Usage } from "../domain/pricing.ts";
import { type CallEnding, type CountedTokens, settlementOf } from "../domain/settlement.ts";
import type { RequestRecord } from "../ports/request_log.ts";
import type { Begun } from "./attempt.ts";
import type { GatewayContext } from "./context.ts";
import type { RequestTrace } from "./request_trace.ts";

/** How a call ended. */
export interface CallEnd {
  readonly ending: CallEnding;
  /** As the upstream reported it. */
  readonly usage: Usage | undefined;
  /** Counts what no usage was reported for; `undefined` where nothing was delivered. */
  count(): Promise<CountedTokens | undefined>;
  /** The caller has had the answer, or part of it: where the store fails, the bill still stands. */
  readonly wasDelivered: boolean;
  readonly status: number;
  readonly outcome: RequestRecord["outcome"];
  readonly errorCode?: RequestRecord["errorCode"];
}

/** The bill of a call, durable. */
export interface Bill {
  readonly billing: BillingMetadata;
  readonly usage: Usage;
}

/** Settles a call's hold and writes its log row, both durable when it resolves. */
export async function settleCall(
  gateway: GatewayContext,
  trace: RequestTrace,
  call: { begun: Pick<Begun<unknown>, "hold">; end: CallEnd },
): Promise<Bill> {
  const { begun: { hold }, end } = call;
  const counted = end.usage === undefined ? await end.count() : undefined;
  const isEmpty = end.usage === undefined && counted === undefined;
  const { usage, cost, estimated } = settlementOf({
    ending: end.ending === "finished" && isEmpty ? "nothing_delivered" : end.ending,
    usage: end.usage,
    counted,
  }, hold.price);
  const billing: BillingMetadata = {
    currency: "credits",
    charged: formatCredits(minMicros(cost, hold.held)),
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    estimated,
    price_version: hold.price.version,
  };
  const { key } = trace.caller;
  gateway.admission.spent(key, billing.total_tokens, gateway.clock.nowMs(), trace.reserved);
  const atMs = gateway.clock.nowMs();
  const ending: SettleCommand = {
    kind: "settle",
    holdId: hold.id,
    cost,
    inputTokens: usage.inputTokens,
    cachedInputTokens: usage.cachedInputTokens,
    outputTokens: usage.outputTokens,
    estimated,
    atMs,
  };
  const { status, outcome, errorCode } = end;
  try {
    // Asked for in one turn, so that both become durable in one commit.
    await Promise.all([
      gateway.ledger.settle(ending),
      gateway.log.append(trace.record({ status, outcome, errorCode, billing })),
    ]);
  } catch (error) {
    const reason = "the store failed before the answer left";
    gateway.lateEndings.add(
      end.wasDelivered ? ending : { kind: "void", holdId: hold.id, reason, atMs },
      error,
    );
    throw error;
  }
  return { billing, usage };
}

/** Tokens of a text call; `undefined` where nothing was delivered. The input's text is made late. */
export async function countTokens(
  gateway: GatewayContext,
  call: { readonly inputText: () => string; readonly delivered: readonly string[] },
): Promise<CountedTokens | undefined> {
  if (call.delivered.length === 0) return undefined;
  try {
    return {
      input: await gateway.tokens.count(call.inputText()),
      output: await gateway.tokens.count(call.delivered.join("")),
    };
  } catch (error) {
    // What cannot be counted is not charged; the hold must end all the same.
    gateway.logger.error("tokens_not_counted", { cause: String(error) });
    return undefined;
  }
}
