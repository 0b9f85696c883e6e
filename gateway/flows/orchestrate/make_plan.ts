import type { Endpoint } from "@svc/sdk/protocol";
import type { Candidate } from "../../domain/routing/plan.ts";
import { partOutputTokens } from "../../domain/orchestration/plan_price.ts";
import { planNote } from "../../domain/orchestration/task_notes.ts";
import { PLAN_SCHEMA, type PlannedTask, readPlan } from "../../domain/orchestration/task_plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { partRequest } from "../../wire/chat/noted_request.ts";
import type { GatewayContext } from "../context.ts";
import type { RequestTrace } from "../request_trace.ts";
import { runPart } from "./run_part.ts";

/** Longest call of the planner, in milliseconds. */
export const PLAN_MS = 30_000;
/** Calls of the planner: the second is told what was wrong with the first. */
const PLAN_CALLS_MAX = 2;
/** Name of the plan's schema. */
const PLAN_NAME = "plan";
/** What every task is sent anyway, or never is. */
const OWN_NEEDS: readonly string[] = ["tools", "json", "vision", "audio", "files"];

/** A plan, or why there is none: one sentence. */
export type MadePlan =
  | { readonly tasks: readonly PlannedTask[] }
  | { readonly problem: string };

/** What a plan is made of. */
export interface PlanRequest {
  /** Of the planner's own calls. */
  readonly part: RequestTrace;
  /** The request as a chat request. */
  readonly body: JsonBody;
  readonly endpoint: Endpoint;
  /** Those that could serve the request as one call. */
  readonly candidates: readonly Candidate[];
  readonly signal: AbortSignal;
}

/**
 * Lets a model split a request. Throws `CallerDisconnected` where nobody waits any more; whatever comes of
 * it, its calls have been settled.
 */
export async function makePlan(
  gateway: GatewayContext,
  { part, body, endpoint, candidates, signal }: PlanRequest,
): Promise<MadePlan> {
  const tags = candidates.flatMap(({ model }) => model.featureTags);
  const knownNeeds = [...new Set(tags)].filter((tag) => !OWN_NEEDS.includes(tag)).sort();
  // Where no model follows a schema, what it says is read all the same.
  const schema = tags.includes("json") ? { name: PLAN_NAME, schema: PLAN_SCHEMA } : undefined;
  let problem: string | undefined;
  for (let call = 0; call < PLAN_CALLS_MAX; call++) {
    const note = planNote({ knownNeeds, problem });
    const outcome = await runPart(gateway, {
      trace: part,
      body: partRequest(body, {
        note,
        outputTokens: partOutputTokens(candidates),
        schema,
      }),
      endpoint,
      instruction: note,
      maxMs: PLAN_MS,
      signal,
    });
    if (!outcome.ok) return { problem: `no model made a plan: ${outcome.fault.message}` };
    const reading = readPlan(outcome.text, knownNeeds);
    if (reading.ok) return { tasks: reading.tasks };
    problem = outcome.isCut ? "It was too long" : reading.problem;
  }
  return { problem: `the plan could not be used, also when it was made anew: ${problem}` };
}
