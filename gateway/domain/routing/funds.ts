/**
 * What a request may cost: the wallet, the key's budget and the policy's cap, as amounts.
 *
 * @module
 */

import { spendAt, unspentBudget } from "../ledger/state.ts";
import { formatCredits, type Micros, minMicros, parseCredits } from "../ledger/money.ts";
import { affordableOutputTokens, chargeOf, type FrozenPrice } from "../ledger/pricing.ts";
import type { HoldShape } from "./hold_shape.ts";
import type { RoutingInput } from "./plan.ts";

/** Most that one request can hold. */
export interface Funds {
  /** At once. */
  readonly now: Micros;
  /** Once the open holds of the wallet and the key have returned. */
  readonly later: Micros;
  /** The policy's cap for a request; absent: none. */
  readonly cap: Micros | undefined;
  /** Left of the key's budget once its holds have returned; absent: unlimited. */
  readonly budget: Micros | undefined;
}

/** How well a hold can be had: 0 in full, 1 with less output, 2 once other holds have returned. */
export type Affordability = 0 | 1 | 2;

/** A hold that can be had. */
export interface AffordableHold {
  readonly affordability: Affordability;
  readonly amount: Micros;
  readonly minimum: Micros;
  /** Output a choice that `amount` pays for, in tokens. */
  readonly outputTokens: number;
}

/** A hold that cannot be had even once all others have returned. */
export interface UnaffordableHold {
  readonly affordability: "never";
  readonly minimum: Micros;
}

/** Funds of a request. A cap that cannot be read allows nothing. */
export function fundsOf(input: RoutingInput): Funds {
  const { wallet, policy } = input;
  const cap = policy.maxChargePerRequest === undefined
    ? undefined
    : parseCredits(policy.maxChargePerRequest) ?? 0n;
  const left = budgetLeft(input);
  let now = wallet.available;
  let later = wallet.available + wallet.held;
  if (left !== undefined) {
    now = minMicros(now, left - (input.spend?.held ?? 0n));
    later = minMicros(later, left);
  }
  if (cap !== undefined) {
    now = minMicros(now, cap);
    later = minMicros(later, cap);
  }
  return { now, later, cap, budget: left };
}

/** Left of the key's budget beside its open holds; `undefined` without a budget, the usual case. */
function budgetLeft({ spend, budget, nowMs }: RoutingInput): Micros | undefined {
  if (budget.day === undefined && budget.month === undefined && budget.total === undefined) {
    return undefined;
  }
  return unspentBudget(spendAt(spend, { keyId: spend?.keyId ?? "", atMs: nowMs }), budget);
}

/** The best hold that the funds allow. */
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
  // Whether the provider's cache is read or written is not known: of each kind of input the dearest
  // is held.
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

/** The refusal of a request whose cheapest hold is `minimum`. */
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
    const left = formatCredits(funds.budget);
    return {
      code: "key_budget_exceeded",
      message: `The key's budget has ${left} credits left; ${least}`,
    };
  }
  const left = formatCredits(funds.later);
  return {
    code: "insufficient_balance",
    message: `The wallet has ${left} credits; ${least}. Add credits to it`,
  };
}
