import { ServiceFault } from "../../domain/fault.ts";
import { formatCredits, type Micros, minMicros } from "../../domain/ledger/money.ts";
import {
  affordableOutputTokens,
  type FrozenPrice,
  outputTokensFor,
} from "../../domain/ledger/pricing.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import type { AttemptRequest } from "./attempt.ts";
import type { GatewayContext } from "../context.ts";
import { capLeft, takeHold, type TakenHold } from "./take_hold.ts";

/** A hold that is open, and what it was taken for. */
export interface OpenHold extends TakenHold {
  readonly price: FrozenPrice;
  /** Most output over all choices that it pays for beside its input, in tokens. */
  readonly outputTokens: number;
}

/** Output tokens that use a call's hold up: what is delivered beyond them changes no charge. */
export function heldTokens({ hold, candidate }: {
  readonly hold: OpenHold;
  readonly candidate: Candidate;
}): number {
  return outputTokensFor(hold.held, hold.price) ?? candidate.outputTokens;
}

/** Takes the hold for a call of a candidate; a refusal is a value. */
export async function holdForCall(
  gateway: GatewayContext,
  request: Pick<AttemptRequest<unknown>, "trace" | "features" | "fees">,
  call: {
    readonly candidate: Candidate;
    /** How long to wait for other holds to return, in milliseconds. */
    readonly waitMs: number;
    readonly signal?: AbortSignal;
  },
): Promise<OpenHold | ServiceFault> {
  const { trace, features } = request;
  const { candidate, waitMs, signal } = call;
  const fees = request.fees?.(candidate) ?? 0n;
  const amount = candidate.holdAmount + fees;
  const minimum = candidate.holdMinimum + fees;
  // The plan keeps to the cap, but knows of no fees.
  const cap = capLeft(trace) ?? amount;
  if (minimum > cap) return beyondCap(cap, minimum);
  const taken = await takeHold(gateway, trace, {
    model: candidate.model.id,
    priceVersion: candidate.price.version,
    amount: minMicros(amount, cap),
    minimum,
    waitMs,
    signal,
  });
  if (taken instanceof ServiceFault) return taken;
  // Another request may have taken what the plan counted on: then the limit follows the hold.
  const left = taken.held < amount
    ? affordableOutputTokens(taken.held - fees, candidate, candidate.price)
    : undefined;
  const outputTokens = Math.min(candidate.outputTokens, left ?? Infinity);
  const limit = left === undefined
    ? candidate.outputLimit
    : Math.floor(outputTokens / features.choices);
  trace.trying(candidate, limit);
  return { ...taken, price: candidate.price, outputTokens };
}

function beyondCap(cap: Micros, minimum: Micros): ServiceFault {
  return new ServiceFault("policy_denied", {
    message: `The key's policy leaves ${formatCredits(cap)} credits for this request; ` +
      `the smallest possible call, with its searches, holds ${formatCredits(minimum)}`,
  });
}
