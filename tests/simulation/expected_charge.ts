/**
 * The possible costs of a call, computed independently: from the script of its upstream, the text
 * that its caller has read, and the price list in force.
 *
 * @module
 */

import { DRAIN_MAX_MS } from "../../gateway/flows/stream/drain.ts";
import type { Attempt, ClaimedUsage } from "./scripted_upstream.ts";

/** The facts about a call when it is settled. */
export interface SettledCall {
  readonly attempt: Attempt;
  /** Number of words in the prompt. */
  readonly promptTokens: number;
  /** Number of words that the caller has read. */
  readonly read: number;
  readonly stream: boolean;
  /**
   * True when the caller has disconnected, or has stalled for so long that it counts as
   * disconnected.
   */
  readonly hasLeft: boolean;
  /** Time since its disconnect, in milliseconds; negative if it is connected. */
  readonly leftForMs: number;
  /**
   * True when the service was stopped in order after the request was sent: nothing was drained for
   * it.
   */
  readonly interrupted: boolean;
  /** Text of the catalog that was in force when the hold was taken. */
  readonly catalog: string;
  readonly model: string;
  readonly tier: string;
}

/** Returns the possible costs in micros, for the possible counts of tokens. */
export function rightCosts(call: SettledCall): bigint[] {
  const { attempt, promptTokens, stream, interrupted } = call;
  const hasLeft = call.hasLeft || interrupted;
  const { words, failure, finished, wordsWhenLeft = words } = attempt;
  if (failure !== undefined) return [];
  const price = priceOf(call);
  const usage = possibleUsage(attempt);
  // An answer that is drained is read to its end, or for one minute.
  const isDraining = attempt.drains && !attempt.ended && !interrupted;
  if (stream && isDraining && call.leftForMs >= 0 && call.leftForMs < DRAIN_MAX_MS) return [];
  // A caller that does not stream receives all or nothing, and nothing if it disconnected before
  // the settlement. A stream with a connected caller was sent as far as it arrived.
  const isWhole = !stream || !hasLeft;
  const gotNothing = !stream && call.hasLeft;
  const counts = Array.from({ length: words + 1 }, (_, count) => count)
    .filter((count) =>
      isWhole
        ? count === words || (gotNothing && count === 0)
        : count >= call.read && count <= wordsWhenLeft
    );
  const counted = counts.map((output) =>
    output === 0 ? 0n : price({ input: promptTokens, cached: 0, output })
  );
  if (usage === undefined) return counted;
  if (!stream || (isWhole && finished)) return [price(usage)];
  const larger = counts.map((output) => price(largerOf(usage, { promptTokens, output })));
  // Usage that had arrived may be unread when the caller disconnected, unless it was drained.
  const isDrained = attempt.drains && attempt.ended && !interrupted;
  if (isWhole) return larger;
  // The answer may have been complete before the disconnect was seen.
  const wasWhole = [price(usage), ...larger];
  return isDrained ? wasWhole : [...wasWhole, ...counted];
}

/**
 * Returns the usage of an upstream if it is possible: no fraction of a token, and at most four
 * times the maximum.
 */
function possibleUsage({ usage }: Attempt): ClaimedUsage | undefined {
  if (usage === undefined || !Number.isInteger(usage.output)) return undefined;
  return usage.output > IMPOSSIBLE_OUTPUT_TOKENS ? undefined : usage;
}

/** Four times the maximum output of any model of the simulation. */
const IMPOSSIBLE_OUTPUT_TOKENS = 4_000;

/** Returns the larger of usage and delivered tokens: usage of an unfinished call may be early. */
function largerOf(
  usage: ClaimedUsage,
  { promptTokens, output }: { readonly promptTokens: number; readonly output: number },
): ClaimedUsage {
  if (output === 0) return usage;
  return {
    ...usage,
    input: Math.max(usage.input, promptTokens),
    output: Math.max(usage.output, output),
  };
}

/**
 * Returns the possible costs if the process was killed during the stream: of the usage reported by
 * then, or of at most the words that the caller had read.
 */
export function rightCheckpoints(call: SettledCall): bigint[] {
  const { attempt, promptTokens, read, stream } = call;
  if (attempt.failure !== undefined || !stream) return [];
  const price = priceOf(call);
  const usage = possibleUsage(attempt);
  const counts = Array.from({ length: read }, (_, words) => words + 1);
  const counted = counts.map((output) => price({ input: promptTokens, cached: 0, output }));
  if (usage === undefined) return counted;
  const larger = counts.map((output) => price(largerOf(usage, { promptTokens, output })));
  return [price(usage), ...larger, ...counted];
}

/**
 * Returns the possible costs for one call of a split request. A call whose text is shown is charged
 * as far as it came; of a call that is not shown only all of it, the reported usage, or the text that
 * passed its limit.
 */
export function rightPartCosts(call: SettledCall): bigint[] {
  const { attempt, promptTokens, stream: isShown, interrupted, read } = call;
  const { words, failure, wordsWhenLeft = words } = attempt;
  if (failure !== undefined) return [];
  // One whose time ran out before its end is cut, even if nothing but the usage was to come.
  const finished = attempt.finished && !attempt.cancelled;
  const price = priceOf(call);
  const usage = possibleUsage(attempt);
  const counted = (output: number) =>
    output === 0 ? 0n : price({ input: promptTokens, cached: 0, output });
  const isLeft = call.hasLeft || interrupted;
  const reported = usage === undefined ? [] : [price(usage)];
  const all = Array.from({ length: words + 1 }, (_, output) => output);
  const counts = all.map(counted);
  const larger = usage === undefined
    ? []
    : all.map((output) => price(largerOf(usage, { promptTokens, output })));
  if (isLeft) {
    const upTo = wordsWhenLeft + 1;
    return [...reported, counted(0), ...counts.slice(read, upTo), ...larger.slice(read, upTo)];
  }
  if (attempt.passesLimit && !finished) return [...reported, ...counts.slice(words)];
  if (usage !== undefined) return finished || !isShown ? reported : larger.slice(read);
  return finished ? [counted(words)] : isShown ? counts.slice(read) : [counted(0)];
}

/** Dollars per million tokens times credits per dollar are micros per token. */
function priceOf({ catalog, model, tier }: SettledCall): (usage: ClaimedUsage) => bigint {
  const { models, tiers } = JSON.parse(catalog) as {
    models: { id: string; price: Record<string, string> }[];
    tiers: { id: string; creditsPerUsd: string }[];
  };
  const list = models.find(({ id }) => id === model)?.price;
  const rate = scaled(tiers.find(({ id }) => id === tier)?.creditsPerUsd, 6);
  const [input, cached, output] = ["inputPerMTok", "cachedInputPerMTok", "outputPerMTok"]
    .map((name) => scaled(list?.[name], 9) * rate);
  return (usage) => {
    const fresh = BigInt(usage.input - usage.cached);
    const total = fresh * (input ?? 0n) + BigInt(usage.cached) * (cached ?? 0n) +
      BigInt(usage.output) * (output ?? 0n);
    const unit = 10n ** 15n;
    return total / unit + (total % unit === 0n ? 0n : 1n);
  };
}

function scaled(decimal: string | undefined, places: number): bigint {
  const [whole = "0", fraction = ""] = (decimal ?? "0").split(".");
  return BigInt(whole + fraction.padEnd(places, "0"));
}
