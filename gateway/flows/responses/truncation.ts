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
import { type PlanDeps, planRoute } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { ReadResponseDeps, ResponseRequest } from "./response_routes.ts";

/** Parts of the service that planning a Responses request uses. */
export type TruncationDeps = PlanDeps & Pick<ReadResponseDeps, "signatures">;

/** A request, shortened where it had to be, and who may answer it. */
export interface PlannedResponse {
  readonly request: ResponseRequest;
  readonly plan: Extract<RoutingPlan, { ok: true }>;
}

/** Items that leave together: a call without its output makes no sense, nor one without the other. */
type Unit = readonly JsonBody[];

/**
 * Decides who is asked, and with how much of the request. Throws a {@linkcode ServiceFault} where
 * nobody can be asked.
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
    const left = reduced(request.features, sizes.slice(0, count));
    return hasRoom(await planUnlessTooLong(deps, active, left));
  });
  // Items apart can be counted as a little more than they are together.
  for (let more = 1;; more *= 2) {
    const shortened = request.without(
      deps,
      active.key,
      new Set(units.slice(0, count).flat()),
    );
    const plan = await planUnlessTooLong(deps, active, shortened.features);
    if (hasRoom(plan)) return { request: shortened, plan };
    if (count === units.length) {
      if (plan instanceof ServiceFault) throw plan;
      return { request: shortened, plan };
    }
    count = Math.min(units.length, count + more);
  }
}

/** The plan, or the fault that says that no model is long enough; every other fault is thrown. */
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
