/**
 * What a call may cost, reckoned a second time: from the script of its upstream, what its caller
 * has read, and the price list in force.
 *
 * @module
 */

import { DRAIN_MAX_MS } from "../../gateway/flows/stream/drain.ts";
import type { Attempt, ClaimedUsage } from "./scripted_upstream.ts";

/** What is known of a call when it is settled. */
export interface SettledCall {
  readonly attempt: Attempt;
  /** Words of the question. */
  readonly asked: number;
  /** Words that the caller has read. */
  readonly read: number;
  readonly stream: boolean;
  /** The caller has left, or has stalled for so long that it counts as gone. */
  readonly left: boolean;
  /** How long ago it left, in milliseconds; below zero where it has not. */
  readonly leftForMs: number;
  /** The service was stopped in order since it asked: nothing was read on for it. */
  readonly interrupted: boolean;
  /** The catalog's text in force when the hold was taken. */
  readonly catalog: string;
  readonly model: string;
  readonly tier: string;
}

/** Costs that are right, in micro-credits: those of some counts of tokens. */
export function rightCosts(call: SettledCall): bigint[] {
  const { attempt, asked, stream, interrupted } = call;
  const left = call.left || interrupted;
  const { words, failure, finished, wordsWhenLeft = words } = attempt;
  if (failure !== undefined) return [];
  const price = priceOf(call);
  const usage = possibleUsage(attempt);
  // An answer that is to be drained is read to its end, or for a minute.
  const isDraining = attempt.drains && !attempt.ended && !interrupted;
  if (stream && isDraining && call.leftForMs >= 0 && call.leftForMs < DRAIN_MAX_MS) return [];
  // Who does not stream gets all or nothing, and nothing where it left before the bill was made; a
  // stream that nobody left was sent as far as it came.
  const isWhole = !stream || !left;
  const gotNothing = !stream && call.left;
  const counts = Array.from({ length: words + 1 }, (_, count) => count)
    .filter((count) =>
      isWhole
        ? count === words || (gotNothing && count === 0)
        : count >= call.read && count <= wordsWhenLeft
    );
  const counted = counts.map((output) =>
    output === 0 ? 0n : price({ input: asked, cached: 0, output })
  );
  if (usage === undefined) return counted;
  if (!stream || (isWhole && finished)) return [price(usage)];
  const larger = counts.map((output) => price(largerOf(usage, { asked, output })));
  // Usage that had come in may not have been looked at when the caller left, but by a drain.
  const isDrained = attempt.drains && attempt.ended && !interrupted;
  if (isWhole) return larger;
  // The answer may have been whole before its caller was seen to have left.
  const wasWhole = [price(usage), ...larger];
  return isDrained ? wasWhole : [...wasWhole, ...counted];
}

/** What an upstream claims, where it can be true: no part of a token, and not more than four times the most. */
function possibleUsage({ usage }: Attempt): ClaimedUsage | undefined {
  if (usage === undefined || !Number.isInteger(usage.output)) return undefined;
  return usage.output > IMPOSSIBLE_OUTPUT_TOKENS ? undefined : usage;
}

/** Four times what any model of the simulation writes. */
const IMPOSSIBLE_OUTPUT_TOKENS = 4_000;

/** Of a call that did not finish usage may have come too early: what was delivered is the least. */
function largerOf(
  usage: ClaimedUsage,
  { asked, output }: { readonly asked: number; readonly output: number },
): ClaimedUsage {
  if (output === 0) return usage;
  return {
    ...usage,
    input: Math.max(usage.input, asked),
    output: Math.max(usage.output, output),
  };
}

/**
 * Costs that are right where the process was killed in mid-stream: of usage that was reported by then,
 * or of no more words than its caller had read.
 */
export function rightCheckpoints(call: SettledCall): bigint[] {
  const { attempt, asked, read, stream } = call;
  if (attempt.failure !== undefined || !stream) return [];
  const price = priceOf(call);
  const usage = possibleUsage(attempt);
  const counts = Array.from({ length: read }, (_, words) => words + 1);
  const counted = counts.map((output) => price({ input: asked, cached: 0, output }));
  if (usage === undefined) return counted;
  const larger = counts.map((output) => price(largerOf(usage, { asked, output })));
  return [price(usage), ...larger, ...counted];
}

/**
 * Costs that are right for one call of a split request. What its caller is shown of it is charged as
 * far as it came; of what nobody sees only all of it, or what its upstream reports.
 */
export function rightPartCosts(call: SettledCall): bigint[] {
  const { attempt, asked, stream: isShown, interrupted, read } = call;
  const { words, failure, finished, wordsWhenLeft = words } = attempt;
  if (failure !== undefined) return [];
  const price = priceOf(call);
  const usage = possibleUsage(attempt);
  const counted = (output: number) =>
    output === 0 ? 0n : price({ input: asked, cached: 0, output });
  const isLeft = call.left || interrupted;
  const reported = usage === undefined ? [] : [price(usage)];
  const all = Array.from({ length: words + 1 }, (_, output) => output);
  const counts = all.map(counted);
  const larger = usage === undefined
    ? []
    : all.map((output) => price(largerOf(usage, { asked, output })));
  if (isLeft) {
    const upTo = wordsWhenLeft + 1;
    return [...reported, counted(0), ...counts.slice(read, upTo), ...larger.slice(read, upTo)];
  }
  if (usage !== undefined) return finished || !isShown ? reported : larger.slice(read);
  return finished ? [counted(words)] : isShown ? counts.slice(read) : [counted(0)];
}

/** Dollars a million tokens times credits a dollar are micro-credits a token. */
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
