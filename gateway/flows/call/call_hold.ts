import { ServiceFault } from "../../domain/fault.ts";
import { formatCredits, type Micros, minMicros } from "../../domain/ledger/money.ts";
import {
  affordableOutputTokens,
  type FrozenPrice,
  outputTokensFor,
} from "../../domain/ledger/pricing.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import { remainingCap } from "../plan/spending_cap.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { type HoldDeps, takeHold, type TakenHold } from "./take_hold.ts";

/** An open hold for a call of a model. */
export interface OpenHold extends TakenHold {
  readonly price: FrozenPrice;
  /** Maximum output over all choices that it pays for beside the input, in tokens. */
  readonly outputTokens: number;
}

/** A request that needs holds for its calls. */
export interface HoldRequest {
  readonly active: ActiveRequest;
  /** Features that its plan was made for. */
  readonly features: RequestFeatures;
  /** Returns the maximum cost of a call beside its tokens. @default {0n} */
  fees?(candidate: Candidate): Micros;
}

/** Returns the output tokens that use up the hold of a call: more output does not change the charge. */
export function heldTokens({ hold, candidate }: {
  readonly hold: OpenHold;
  readonly candidate: Candidate;
}): number {
  return outputTokensFor(hold.held, hold.price) ?? candidate.outputTokens;
}

/** Takes the hold for a call of a candidate; a refusal is a value. */
export async function holdForCall(
  deps: HoldDeps,
  request: HoldRequest,
  call: {
    readonly candidate: Candidate;
    /** Longest wait for other holds to return, in milliseconds. */
    readonly waitMs: number;
    readonly signal?: AbortSignal;
  },
): Promise<OpenHold | ServiceFault> {
  const { active, features } = request;
  const { candidate, waitMs, signal } = call;
  const fees = request.fees?.(candidate) ?? 0n;
  const amount = candidate.holdAmount + fees;
  const minimum = candidate.holdMinimum + fees;
  // The plan respects the cap, but knows of no fees.
  const cap = remainingCap(active) ?? amount;
  if (minimum > cap) return beyondCap(cap, minimum);
  const hold = await takeHold(deps, active, {
    model: candidate.model.id,
    priceVersion: candidate.price.version,
    amount: minMicros(amount, cap),
    minimum,
    waitMs,
    signal,
  });
  if (hold instanceof ServiceFault) return hold;
  // Another request may have taken credits that the plan counted on: then the limit follows the hold.
  const affordable = hold.held < amount
    ? affordableOutputTokens(hold.held - fees, candidate, candidate.price)
    : undefined;
  const outputTokens = Math.min(candidate.outputTokens, affordable ?? Infinity);
  const limit = affordable === undefined
    ? candidate.outputLimit
    : Math.floor(outputTokens / features.choices);
  active.report.noteCandidate(candidate, limit);
  return { ...hold, price: candidate.price, outputTokens };
}

function beyondCap(cap: Micros, minimum: Micros): ServiceFault {
  return new ServiceFault("policy_denied", {
    message: `The key's policy leaves ${formatCredits(cap)} credits for this request; ` +
      `the smallest possible call, with its searches, holds ${formatCredits(minimum)}`,
  });
}
