/**
 * Maximum cost of a request: wallet, key budget and policy cap as amounts.
 *
 * @module
 */

import { budgetText, type LeastBudget, leastBudget, unspentBudget } from "../ledger/budgets.ts";
import { spendAt } from "../ledger/state.ts";
import { formatCredits, type Micros, minMicros, parseCredits } from "../ledger/money.ts";
import { affordableOutputTokens, chargeOf, type FrozenPrice } from "../ledger/pricing.ts";
import type { HoldShape } from "./hold_shape.ts";
import type { RoutingInput } from "./plan.ts";

/** Maximum hold of one request. */
export interface Funds {
  /** Available now. */
  readonly now: Micros;
  /** Available after all open holds of the wallet and the key have ended. */
  readonly later: Micros;
  /** The policy's cap per request; absent: none. */
  readonly cap: Micros | undefined;
  /** Rest of the tightest budget after its open holds have ended; absent: unlimited. */
  readonly budget: Micros | undefined;
  /** Name of that budget; absent for the key's own. */
  readonly budgetName?: string | undefined;
}

/** Affordability of a hold: 0 in full, 1 with less output, 2 after other holds have ended. */
export type Affordability = 0 | 1 | 2;

/** An affordable hold. */
export interface AffordableHold {
  readonly affordability: Affordability;
  readonly amount: Micros;
  readonly minimum: Micros;
  /** Output per choice that `amount` pays for, in tokens. */
  readonly outputTokens: number;
}

/** A hold that stays unaffordable after all others have ended. */
export interface UnaffordableHold {
  readonly affordability: "never";
  readonly minimum: Micros;
}

/** Returns the funds of a request. A malformed cap allows nothing. */
export function fundsOf(input: RoutingInput): Funds {
  const { wallet, policy } = input;
  const cap = policy.maxChargePerRequest === undefined
    ? undefined
    : parseCredits(policy.maxChargePerRequest) ?? 0n;
  const least = input.named === undefined ? undefined : leastOfNames(input);
  const budget = least === undefined ? remainingBudget(input) : least.unspent;
  let now = wallet.available;
  let later = wallet.available + wallet.held;
  if (budget !== undefined) {
    now = minMicros(now, least === undefined ? budget - (input.spend?.held ?? 0n) : least.free);
    later = minMicros(later, budget);
  }
  if (cap !== undefined) {
    now = minMicros(now, cap);
    later = minMicros(later, cap);
  }
  const funds = { now, later, cap, budget };
  return least?.name === undefined ? funds : { ...funds, budgetName: least.name };
}

/** Returns the least that the budgets of a call with names leave. */
function leastOfNames({ spend, nowMs, ...budgets }: RoutingInput): LeastBudget | undefined {
  return leastBudget(spendAt(spend, { keyId: spend?.keyId ?? "", atMs: nowMs }), budgets);
}

/**
 * Returns the remaining key budget beside its open holds; `undefined` without a budget, the usual
 * case.
 */
function remainingBudget({ spend, budget, nowMs }: RoutingInput): Micros | undefined {
  if (budget.day === undefined && budget.month === undefined && budget.total === undefined) {
    return undefined;
  }
  return unspentBudget(spendAt(spend, { keyId: spend?.keyId ?? "", atMs: nowMs }), budget);
}

/** Returns the best hold that the funds allow. */
export function holdFor(
  shape: HoldShape,
  price: FrozenPrice,
  funds: Funds,
): AffordableHold | UnaffordableHold {
  const minimum = amountOf(shape, shape.leastOutputTokens, price);
  const full = amountOf(shape, shape.outputTokens, price);
  if (full <= funds.now) {
    return { affordability: 0, amount: full, minimum, outputTokens: shape.outputTokens };
  }
  const affordability = minimum <= funds.now ? 1 : 2;
  const ceiling = affordability === 1 ? funds.now : funds.later;
  if (minimum > ceiling) return { affordability: "never", minimum };
  if (full <= ceiling) {
    return { affordability, amount: full, minimum, outputTokens: shape.outputTokens };
  }
  const outputTokens = affordableOutput(shape, price, ceiling);
  return { affordability, amount: amountOf(shape, outputTokens, price), minimum, outputTokens };
}

function amountOf(shape: HoldShape, outputTokens: number, price: FrozenPrice): Micros {
  const { inputTokens, imageInputTokens } = shape;
  // Use of the provider's cache is unknown in advance: the most expensive kind of input is held.
  const { cacheWriteInput, cachedInput } = price;
  const isWritten = cacheWriteInput > cachedInput;
  const cache = isWritten ? cacheWriteInput : cachedInput;
  const cachedText = cache > price.input ? inputTokens - imageInputTokens : 0;
  const cachedImages = cache > price.imageInput ? imageInputTokens : 0;
  const cached = cachedText + cachedImages;
  return chargeOf({
    inputTokens,
    cachedInputTokens: isWritten ? 0 : cached,
    cacheWriteInputTokens: isWritten ? cached : 0,
    imageInputTokens: imageInputTokens - cachedImages,
    outputTokens: outputTokens * shape.choices,
    images: shape.images,
  }, price);
}

function affordableOutput(shape: HoldShape, price: FrozenPrice, amount: Micros): number {
  const images = chargeOf(
    { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, images: shape.images },
    price,
  );
  const tokens = affordableOutputTokens(amount - images, shape, price) ?? shape.outputTokens;
  const each = Math.floor(tokens / shape.choices);
  return Math.max(shape.leastOutputTokens, Math.min(shape.outputTokens, each));
}

/** Returns the refusal of a request whose cheapest hold is `minimum`. */
export function fundsRefusal(minimum: Micros, funds: Funds): {
  readonly code: "policy_denied" | "key_budget_exceeded" | "insufficient_balance";
  readonly message: string;
} {
  const least = `the smallest possible call holds ${formatCredits(minimum)} credits`;
  if (funds.cap !== undefined && minimum > funds.cap) {
    const cap = formatCredits(funds.cap);
    return {
      code: "policy_denied",
      message: `The key's policy caps a request at ${cap} credits; ${least}`,
    };
  }
  if (funds.budget !== undefined && minimum > funds.budget) {
    const remaining = formatCredits(funds.budget);
    return {
      code: "key_budget_exceeded",
      message: `${budgetText(funds.budgetName)} has ${remaining} credits left; ${least}`,
    };
  }
  const remaining = formatCredits(funds.later);
  return {
    code: "insufficient_balance",
    message: `The wallet has ${remaining} credits; ${least}. Add credits to it`,
  };
}
