/**
 * What a call costs, by how it ended: the table of endings as one function.
 *
 * @module
 */

import type { Micros } from "./money.ts";
import { chargeOf, type FrozenPrice, type Usage } from "./pricing.ts";

/**
 * How a call of an upstream ended. `nothing_delivered` is an empty answer or one that ended in an
 * error before any content; `cut` broke off after content; `client_left` was stopped by its caller;
 * `limited` was stopped here, since it had passed the output that is held.
 */
export type CallEnding =
  | "finished"
  | "failed_before_first_byte"
  | "nothing_delivered"
  | "cut"
  | "client_left"
  | "limited";

/** Tokens that were counted here: of the input, and of the output that was actually forwarded. */
export interface CountedTokens {
  readonly input: number;
  readonly output: number;
  /** Images delivered. @default {0} */
  readonly images?: number | undefined;
}

/** Everything a settlement depends on. */
export interface CallEnd {
  readonly ending: CallEnding;
  /** As the upstream reported it; absent where it reported none. */
  readonly usage?: Usage | undefined;
  /** Needed only where no usage was reported. */
  readonly counted?: CountedTokens | undefined;
}

/** What a call came to. */
export interface Settlement {
  /** In micro-credits; the ledger charges at most the hold and writes off the rest. */
  readonly cost: Micros;
  readonly usage: Usage;
  /** The tokens were counted here. */
  readonly estimated: boolean;
}

const NO_USAGE: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/**
 * Decides the charge. A call that failed before its first byte is free; otherwise reported usage
 * wins, and its zeros are zeros; without it, what was delivered is charged as counted, and a call
 * that delivered nothing is free.
 */
export function settlementOf(end: CallEnd, price: FrozenPrice): Settlement {
  const { ending } = end;
  const counted: CountedTokens = end.counted ?? { input: 0, output: 0 };
  if (ending === "failed_before_first_byte") return free();
  if (end.usage !== undefined) {
    const usage = wholeUsage(end.usage);
    return { cost: chargeOf(usage, price), usage, estimated: false };
  }
  if (ending === "nothing_delivered") return free();
  const delivered = counted.output > 0 || (counted.images ?? 0) > 0;
  if (ending !== "finished" && !delivered) return free();
  const usage = wholeUsage({
    inputTokens: counted.input,
    cachedInputTokens: 0,
    outputTokens: counted.output,
    images: counted.images,
  });
  return { cost: chargeOf(usage, price), usage, estimated: true };
}

function free(): Settlement {
  return { cost: 0n, usage: NO_USAGE, estimated: false };
}

// Upstreams have been seen to report fractions, negatives and more cached input than input.
function wholeUsage(usage: Usage): Usage {
  const inputTokens = wholeCount(usage.inputTokens);
  const cachedInputTokens = Math.min(wholeCount(usage.cachedInputTokens), inputTokens);
  const uncached = inputTokens - cachedInputTokens;
  return {
    inputTokens,
    cachedInputTokens,
    outputTokens: wholeCount(usage.outputTokens),
    ...(usage.cacheWriteInputTokens === undefined
      ? {}
      : { cacheWriteInputTokens: Math.min(wholeCount(usage.cacheWriteInputTokens), uncached) }),
    ...(usage.imageInputTokens === undefined
      ? {}
      : { imageInputTokens: Math.min(wholeCount(usage.imageInputTokens), inputTokens) }),
    ...(usage.images === undefined ? {} : { images: wholeCount(usage.images) }),
  };
}

function wholeCount(count: number): number {
  return count > 0 ? Math.min(Math.ceil(count), Number.MAX_SAFE_INTEGER) : 0;
}
