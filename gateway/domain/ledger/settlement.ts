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
  /** Those of `input` that are of images. @default {0} */
  readonly imageInput?: number | undefined;
  readonly output: number;
  /** Images delivered. @default {0} */
  readonly images?: number | undefined;
}

/** Everything a settlement depends on. */
export interface CallEnd {
  readonly ending: CallEnding;
  /** As the upstream reported it; absent where it reported none, or none that is possible. */
  readonly usage?: Usage | undefined;
  /** Needed only where {@linkcode needsCount} says so. */
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

/** Only the report of a finished call is the last word: of others it may have come too early. */
export function needsCount({ ending, usage }: Omit<CallEnd, "counted">): boolean {
  return ending !== "failed_before_first_byte" && (ending !== "finished" || usage === undefined);
}

/**
 * Decides the charge. A call that failed before its first byte is free. Of a finished call the
 * reported usage wins, and its zeros are zeros. Of any other, the larger of reported and counted
 * tokens is charged, input and output each. Without a report, what was delivered is charged as
 * counted, and a call that delivered nothing is free.
 */
export function settlementOf(end: CallEnd, price: FrozenPrice): Settlement {
  const { ending, usage: reported } = end;
  if (ending === "failed_before_first_byte") return free();
  const counted: CountedTokens = end.counted ?? { input: 0, output: 0 };
  const delivered = counted.output > 0 || (counted.images ?? 0) > 0;
  if (reported !== undefined) {
    const isExceeded = ending !== "finished" && delivered &&
      (counted.input > reported.inputTokens || counted.output > reported.outputTokens);
    return settled(isExceeded ? larger(reported, counted) : reported, isExceeded, price);
  }
  if (ending === "nothing_delivered") return free();
  if (ending !== "finished" && !delivered) return free();
  const usage = {
    inputTokens: counted.input,
    cachedInputTokens: 0,
    imageInputTokens: counted.imageInput,
    outputTokens: counted.output,
    images: counted.images,
  };
  return settled(usage, true, price);
}

function larger(reported: Usage, counted: CountedTokens): Usage {
  return {
    ...reported,
    inputTokens: Math.max(reported.inputTokens, counted.input),
    outputTokens: Math.max(reported.outputTokens, counted.output),
  };
}

function free(): Settlement {
  return { cost: 0n, usage: NO_USAGE, estimated: false };
}

function settled(counts: Usage, estimated: boolean, price: FrozenPrice): Settlement {
  const usage = withinInput(counts);
  return { cost: chargeOf(usage, price), usage, estimated };
}

/** Upstreams have been seen to report more of a part of the input than there is input. */
function withinInput(usage: Usage): Usage {
  const { inputTokens, cacheWriteInputTokens, imageInputTokens } = usage;
  const cachedInputTokens = Math.min(usage.cachedInputTokens, inputTokens);
  const uncached = inputTokens - cachedInputTokens;
  return {
    inputTokens,
    cachedInputTokens,
    outputTokens: usage.outputTokens,
    ...(cacheWriteInputTokens === undefined
      ? {}
      : { cacheWriteInputTokens: Math.min(cacheWriteInputTokens, uncached) }),
    ...(imageInputTokens === undefined
      ? {}
      : { imageInputTokens: Math.min(imageInputTokens, inputTokens) }),
    ...(usage.images === undefined ? {} : { images: usage.images }),
  };
}
