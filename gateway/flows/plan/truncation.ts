/**
 * Requests that are longer than any model: with `truncation: "auto"` the oldest items go, until one is
 * long enough.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import type { RoutingPlan } from "../../domain/routing/plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { responsesFeatures } from "../../wire/responses/chat_request.ts";
import { itemType } from "../../wire/responses/items.ts";
import type { GatewayContext } from "../context.ts";
import { planRoute } from "./route_plan.ts";
import type { RequestTrace } from "../request_trace.ts";
import type { AskedResponse } from "../responses/response_routes.ts";

/** A request, shortened where it had to be, and who may answer it. */
export interface PlannedResponse {
  readonly asked: AskedResponse;
  readonly plan: Extract<RoutingPlan, { ok: true }>;
}

/** Items that leave together: a call without its output makes no sense, nor one without the other. */
type Unit = readonly JsonBody[];

/**
 * Decides who is asked, and with how much of the request. Throws a {@linkcode ServiceFault} where
 * nobody can be asked.
 */
export async function planWithinContext(
  gateway: GatewayContext,
  trace: RequestTrace,
  asked: AskedResponse,
): Promise<PlannedResponse> {
  const whole = await planUnlessTooLong(gateway, trace, asked.features);
  if (asked.request.truncation !== "auto") {
    if (whole instanceof ServiceFault) throw whole;
    return { asked, plan: whole };
  }
  if (hasRoom(whole)) return { asked, plan: whole };

  const units = removable(asked.items);
  const sizes = units.map((unit) => featuresOf(unit));
  let count = await leastToRemove(units.length, async (count) => {
    const left = reduced(asked.features, sizes.slice(0, count));
    return hasRoom(await planUnlessTooLong(gateway, trace, left));
  });
  // Items apart can be counted as a little more than they are together.
  for (let more = 1;; more *= 2) {
    const shortened = asked.without(
      gateway,
      trace.caller.key,
      new Set(units.slice(0, count).flat()),
    );
    const plan = await planUnlessTooLong(gateway, trace, shortened.features);
    if (hasRoom(plan)) return { asked: shortened, plan };
    if (count === units.length) {
      if (plan instanceof ServiceFault) throw plan;
      return { asked: shortened, plan };
    }
    count = Math.min(units.length, count + more);
  }
}

/** The plan, or the fault that says that no model is long enough; every other fault is thrown. */
async function planUnlessTooLong(
  gateway: GatewayContext,
  trace: RequestTrace,
  features: RequestFeatures,
): Promise<PlannedResponse["plan"] | ServiceFault> {
  try {
    return await planRoute(gateway, trace, features);
  } catch (error) {
    if (error instanceof ServiceFault && error.code === "context_length_exceeded") return error;
    throw error;
  }
}

/** True when some model is long enough for the input and for all the output that was asked for. */
function hasRoom(plan: PlannedResponse["plan"] | ServiceFault): plan is PlannedResponse["plan"] {
  return !(plan instanceof ServiceFault) && plan.candidates[0]?.limitedBy !== "context";
}

/** The least count up to `most` for which it is enough, by halving; `most` where none is. */
async function leastToRemove(
  most: number,
  isEnough: (count: number) => Promise<boolean>,
): Promise<number> {
  let [low, high] = [Math.min(1, most), most];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isEnough(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * What may go, oldest first. What the model was instructed, and what the user said last, may not.
 * Reasoning goes with the item that came of it.
 */
function removable(items: readonly JsonBody[]): Unit[] {
  const lastOfUser = items.findLast(({ value }) => value["role"] === "user");
  const units: JsonBody[][] = [];
  const byCall = new Map<unknown, JsonBody[]>();
  let thoughts: JsonBody[] = [];
  for (const item of items) {
    const { role, call_id: callId } = item.value;
    if (item === lastOfUser || role === "system" || role === "developer") continue;
    if (itemType(item) === "reasoning") {
      thoughts.push(item);
      continue;
    }
    const call = callId === undefined ? undefined : byCall.get(callId);
    if (call === undefined) {
      const unit = [...thoughts, item];
      units.push(unit);
      if (callId !== undefined) byCall.set(callId, unit);
    } else call.push(...thoughts, item);
    thoughts = [];
  }
  return thoughts.length === 0 ? units : [...units, thoughts];
}

function featuresOf(unit: Unit): RequestFeatures {
  const text = `{"input":[${unit.map((item) => item.text).join(",")}]}`;
  const value = { model: "auto", input: unit.map((item) => item.value) };
  return responsesFeatures({ text, value }).features;
}

function reduced(whole: RequestFeatures, parts: readonly RequestFeatures[]): RequestFeatures {
  const less = (count: (features: RequestFeatures) => number) =>
    Math.max(0, parts.reduce((left, part) => left - count(part), count(whole)));
  return {
    ...whole,
    textBytes: less(({ textBytes }) => textBytes),
    textChars: less(({ textChars }) => textChars),
    denseChars: less(({ denseChars, textChars }) => denseChars ?? textChars),
    framedItems: less(({ framedItems }) => framedItems),
    images: less(({ images }) => images),
  };
}
