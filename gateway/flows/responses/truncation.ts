/**
 * Truncation of requests that are longer than the context of any model: with `truncation: "auto"`
 * the oldest items are dropped until a model has room.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import type { RoutingPlan } from "../../domain/routing/plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { responsesFeatures } from "../../wire/responses/chat_request.ts";
import { itemType } from "../../wire/responses/items.ts";
import { type PlanDeps, planRoute } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { ReadResponseDeps, ResponseRequest } from "./response_routes.ts";

/** Parts of the service that planning a Responses request uses. */
export type TruncationDeps = PlanDeps & Pick<ReadResponseDeps, "signatures">;

/** A request, shortened if necessary, and the plan of its candidates. */
export interface PlannedResponse {
  readonly request: ResponseRequest;
  readonly plan: Extract<RoutingPlan, { ok: true }>;
}

/**
 * Items that are dropped together: a function call makes no sense without its output, nor the
 * output without the call.
 */
type Unit = readonly JsonBody[];

/**
 * Plans a request, shortened if necessary. Throws a {@linkcode ServiceFault} if no model can serve
 * it.
 */
export async function planWithinContext(
  deps: TruncationDeps,
  active: ActiveRequest,
  request: ResponseRequest,
): Promise<PlannedResponse> {
  const whole = await planUnlessTooLong(deps, active, request.features);
  if (request.params.truncation !== "auto") {
    if (whole instanceof ServiceFault) throw whole;
    return { request, plan: whole };
  }
  if (hasRoom(whole)) return { request, plan: whole };

  const units = removable(request.items);
  const sizes = units.map((unit) => featuresOf(unit));
  let count = await leastToRemove(units.length, async (count) => {
    const shorter = reduced(request.features, sizes.slice(0, count));
    return hasRoom(await planUnlessTooLong(deps, active, shorter));
  });
  // Separate items can count for a little more than they do together.
  for (let more = 1;; more *= 2) {
    const shortened = request.without(deps, active.key, new Set(units.slice(0, count).flat()));
    const plan = await planUnlessTooLong(deps, active, shortened.features);
    if (hasRoom(plan)) return { request: shortened, plan };
    if (count === units.length) {
      if (plan instanceof ServiceFault) throw plan;
      return { request: shortened, plan };
    }
    count = Math.min(units.length, count + more);
  }
}

/** Returns the plan, or the fault `context_length_exceeded`; throws every other fault. */
async function planUnlessTooLong(
  deps: PlanDeps,
  active: ActiveRequest,
  features: RequestFeatures,
): Promise<PlannedResponse["plan"] | ServiceFault> {
  try {
    return await planRoute(deps, active, features);
  } catch (error) {
    if (error instanceof ServiceFault && error.code === "context_length_exceeded") return error;
    throw error;
  }
}

/** True when the best model has room for the input and for all the requested output. */
function hasRoom(plan: PlannedResponse["plan"] | ServiceFault): plan is PlannedResponse["plan"] {
  return !(plan instanceof ServiceFault) && plan.candidates[0]?.limitedBy !== "context";
}

/** Returns the least count up to `most` that is enough, by bisection; `most` if none is. */
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
 * Returns the items that may be dropped, oldest first. Instructions and the last message of the
 * user are never dropped. Reasoning is dropped with the item that followed it.
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
    Math.max(0, parts.reduce((rest, part) => rest - count(part), count(whole)));
  return {
    ...whole,
    textBytes: less(({ textBytes }) => textBytes),
    textChars: less(({ textChars }) => textChars),
    denseChars: less(({ denseChars, textChars }) => denseChars ?? textChars),
    framedItems: less(({ framedItems }) => framedItems),
    images: less(({ images }) => images),
  };
}
