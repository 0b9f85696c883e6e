/**
 * The cost of a call by how it ended: the table of endings as one function.
 *
 * @module
 */

import type { Micros } from "./money.ts";
import { chargeOf, type FrozenPrice, type Usage } from "./pricing.ts";

/**
 * Ending of an upstream call. `nothing_delivered`: an empty response, or an error before any
 * content. `cut`: broken after content. `client_left`: the caller disconnected. `limited`: the
 * gateway ended the call because it exceeded the held output.
 */
export type CallEnding =
  | "finished"
  | "failed_before_first_byte"
  | "nothing_delivered"
  | "cut"
  | "client_left"
  | "limited";

/** Tokens counted by the gateway: the input, and the output that was forwarded. */
export interface CountedTokens {
  readonly input: number;
  /** Part of `input` that belongs to images. @default {0} */
  readonly imageInput?: number | undefined;
  readonly output: number;
  /** Images delivered. @default {0} */
  readonly images?: number | undefined;
}

/** The facts that a settlement depends on. */
export interface CallEnd {
  readonly ending: CallEnding;
  /** Usage as reported by the upstream; absent when it reported none, or none that is possible. */
  readonly usage?: Usage | undefined;
  /** Required only when {@linkcode needsCount} returns true. */
  readonly counted?: CountedTokens | undefined;
}

/** The cost of a call. */
export interface Settlement {
  /** Cost; the ledger charges at most the hold and writes off the rest. */
  readonly cost: Micros;
  readonly usage: Usage;
  /** True when the gateway counted the tokens. */
  readonly estimated: boolean;
}

const NO_USAGE: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/**
 * True when the charge depends on counted tokens: the report of an unfinished call may have come
 * too early.
 */
export function needsCount({ ending, usage }: Omit<CallEnd, "counted">): boolean {
  return ending !== "failed_before_first_byte" && (ending !== "finished" || usage === undefined);
}

/**
 * Returns the cost of a call. A call that failed before its first byte is free. For a finished call
 * the reported usage wins, and its zeros are zeros. For any other call the larger of reported and
 * counted tokens is charged, input and output separately. Without a report, the counted tokens are
 * charged, and a call that delivered nothing is free.
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

/** Limits the parts of the input to the input: some upstreams report parts that exceed it. */
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
