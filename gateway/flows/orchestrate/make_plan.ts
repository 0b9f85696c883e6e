import type { Endpoint } from "@svc/sdk/protocol";
import type { Candidate } from "../../domain/routing/plan.ts";
import { partOutputTokens } from "../../domain/orchestration/plan_price.ts";
import { planNote } from "../../domain/orchestration/task_notes.ts";
import { PLAN_SCHEMA, type PlannedTask, readPlan } from "../../domain/orchestration/task_plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { partRequest } from "../../wire/chat/noted_request.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { type PartDeps, runPart } from "./run_part.ts";

/** Maximum duration of a call of the planner, in milliseconds. */
export const PLAN_MS = 30_000;
/** Maximum calls of the planner: the second learns the problem of the first. */
const PLAN_CALLS_MAX = 2;
/** Name of the plan's schema. */
const PLAN_NAME = "plan";
/** Needs that every task has anyway, or never has. */
const OWN_NEEDS: readonly string[] = ["tools", "json", "vision", "audio", "files"];

/** A plan, or the problem that prevented one, as a sentence. */
export type PlanResult = { readonly tasks: readonly PlannedTask[] } | { readonly problem: string };

/** A request for a plan. */
export interface PlanRequest {
  /** The part of the planner's calls. */
  readonly part: ActiveRequest;
  /** The request as a chat request. */
  readonly body: JsonBody;
  readonly endpoint: Endpoint;
  /** Candidates that could serve the request as one call. */
  readonly candidates: readonly Candidate[];
  readonly signal: AbortSignal;
}

/**
 * Lets a model split a request. Throws `CallerDisconnected` if the caller disconnects; in any case
 * its calls have been settled.
 */
export async function makePlan(
  deps: PartDeps,
  { part, body, endpoint, candidates, signal }: PlanRequest,
): Promise<PlanResult> {
  const tags = candidates.flatMap(({ model }) => model.featureTags);
  const knownNeeds = [...new Set(tags)].filter((tag) => !OWN_NEEDS.includes(tag)).sort();
  // If no model follows a schema, its text is read all the same.
  const schema = tags.includes("json") ? { name: PLAN_NAME, schema: PLAN_SCHEMA } : undefined;
  let problem: string | undefined;
  for (let call = 0; call < PLAN_CALLS_MAX; call++) {
    const note = planNote({ knownNeeds, problem });
    const outcome = await runPart(deps, {
      active: part,
      body: partRequest(body, { note, outputTokens: partOutputTokens(candidates), schema }),
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
