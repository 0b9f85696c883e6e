/**
 * The orchestration of one request by several models: gate, plan, tasks, synthesis.
 *
 * @module
 */

import type { PartDeps } from "./run_part.ts";
import type { OrchestrationTask } from "@svc/sdk/protocol";
import { judgeCompound } from "../../domain/orchestration/compound.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import type { Micros } from "../../domain/ledger/money.ts";
import { orchestrationFor } from "../../domain/orchestration/mode.ts";
import {
  EXPECTED_TASKS,
  expectedPrice,
  priceOfPlan,
  sumOf,
} from "../../domain/orchestration/plan_price.ts";
import { resultTokens } from "../../domain/orchestration/plan_limits.ts";
import type { PlannedTask } from "../../domain/orchestration/task_plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { lastUserText } from "../../wire/chat/noted_request.ts";
import { AnswerStream, type AnswerStreamDeps } from "../stream/answer_stream.ts";
import { remainingCap } from "../plan/spending_cap.ts";
import type { ModelAnswer } from "../request/model_answer.ts";
import { Breakdown } from "./breakdown.ts";
import { makePlan } from "./make_plan.ts";
import {
  OrchestratedAnswer,
  type OrchestratedDeps,
  type OrchestrationSurface,
} from "./orchestrated_answer.ts";
import { TaskRun } from "./task_run.ts";
import { whileCallerConnected } from "./while_connected.ts";
import { fundsNow, type OpenPlan, type PlanDeps } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";

/** Minimum output limit of an answer that is worth tasks, in tokens. */
const LEAST_ANSWER_TOKENS = 128;
const NO_ROOM = "with the results of its tasks it would be too long for every model";

/** Parts of the service that orchestration uses. */
export type OrchestrateDeps = PartDeps & OrchestratedDeps & AnswerStreamDeps;

/** A request that may be split. */
export interface SplittableRequest {
  /** The body as a chat completion request. */
  readonly body: JsonBody;
  readonly features: RequestFeatures;
  /** The plan to serve it as one call. */
  readonly plan: OpenPlan;
  /**
   * Returns the surface of the endpoint, which reports tasks to the caller and requests the answer.
   */
  surface(split: {
    readonly breakdown: Breakdown;
    /** True when the caller is sent the text of tasks. */
    readonly isShown: boolean;
  }): OrchestrationSurface;
  /** Called when a stream has been settled, or could not be. */
  onEnd(): void;
}

/**
 * Answers a request by tasks of several models if it gains from that, may be split, and can be paid
 * for. Resolves to `undefined` if it runs as one call; then the cost of a planner is on its bill.
 * Throws a `ServiceFault` if nothing could be answered, and `CallerDisconnected` if the caller
 * disconnects.
 */
export async function orchestrate(
  deps: OrchestrateDeps,
  active: ActiveRequest,
  request: SplittableRequest & { readonly gate: SplitGate },
): Promise<ModelAnswer | undefined> {
  const { gate } = request;
  if (!await canBePaid(deps, active, request)) return undefined;
  active.beginPlanning();
  const breakdown = new Breakdown(active);
  const plan = await planTasks(deps, active, { ...request, breakdown });
  if (plan === undefined) return undefined;

  const { tasks } = plan;
  active.report.noteOrchestration(`Split into ${tasks.length} tasks: ${gate.reason}`);
  const abort = new AbortController();
  const isShown = active.identity.stream && gate.stream === "all";
  const run = new TaskRun(deps, {
    active,
    breakdown,
    ...plan,
    body: request.body,
    endpoint: request.features.endpoint,
    isShown,
    signal: abort.signal,
  });
  const surface = request.surface({ breakdown, isShown });
  const answer = new OrchestratedAnswer(deps, { active, run, breakdown, surface, abort });
  if (!active.identity.stream) return { kind: "json", text: await answer.complete() };
  const stream = new AnswerStream(deps, { answer, active, onEnd: () => request.onEnd() });
  return { kind: "stream", bytes: new ReadableStream(stream) };
}

/** The decision that a split would help. */
export interface SplitGate {
  readonly reason: string;
  readonly stream: "all" | "final";
}

/**
 * Decides whether a split would help and is allowed; `undefined` if the request runs as one call. The
 * cost is checked later.
 */
export function gateOf(
  active: ActiveRequest,
  { body, features, plan }: Pick<SplittableRequest, "body" | "features" | "plan">,
): SplitGate | undefined {
  const { identity } = active;
  const { mode, stream } = orchestrationFor({
    policy: active.key.policy,
    tier: plan.tier,
    dialect: identity.dialect,
    choice: identity.orchestration,
  });
  if (mode === "off" || features.choices > 1 || features.hostedTools.length > 0) return undefined;
  const text = lastUserText(body);
  if (text === undefined || features.needs.includes("audio")) return undefined;
  if (isAnswerBound(body, features)) return undefined;
  const { compound, signals } = judgeCompound(text);
  if (!compound && mode !== "always") return undefined;
  // Each task sends the request once more.
  if (active.hold?.tryTake(EXPECTED_TASKS * body.text.length) === false) {
    active.report.noteOrchestration("Not split: it is too long to be held once for each task");
    return undefined;
  }
  if (resultTokens(plan.candidates, { features, tasks: EXPECTED_TASKS }) === undefined) {
    active.report.noteOrchestration(`Not split: ${NO_ROOM}`);
    return undefined;
  }
  const reasons = signals.map(([signal, weight]) => `${signal} ${weight > 0 ? "+" : ""}${weight}`);
  return { reason: compound ? reasons.join(", ") : "the key's policy asks for it", stream };
}

/** True when the wallet can pay for the tasks as they are expected. Notes it if it cannot. */
async function canBePaid(
  deps: PlanDeps,
  active: ActiveRequest,
  { features, plan }: SplittableRequest,
): Promise<boolean> {
  const funds = await fundsNow(deps, active, features);
  if (expectedPrice(plan.candidates) <= funds) return true;
  active.report.noteOrchestration("Not split: the tasks could cost more than there is");
  return false;
}

/** True when the answer must be a function call, or is too short to be worth tasks. */
function isAnswerBound({ value }: JsonBody, { requestedOutputTokens }: RequestFeatures): boolean {
  if (requestedOutputTokens !== undefined && requestedOutputTokens < LEAST_ANSWER_TOKENS) {
    return true;
  }
  const choice = value["tool_choice"] ?? value["function_call"] ?? "auto";
  return choice !== "auto" && choice !== "none";
}

/** A plan to be run. */
interface PaidPlan {
  readonly tasks: readonly PlannedTask[];
  readonly allowances: ReadonlyMap<string, Micros>;
  /** Most output of one task, in tokens. */
  readonly outputTokens: number;
  /** Part of the planner, with its cost. */
  readonly planned: OrchestrationTask;
}

/** Returns a plan that can be paid for; `undefined` if there is none, and the report says why. */
async function planTasks(
  deps: OrchestrateDeps,
  active: ActiveRequest,
  request: SplittableRequest & { readonly breakdown: Breakdown },
): Promise<PaidPlan | undefined> {
  const { body, features, breakdown, plan: { candidates } } = request;
  const part = active.part({ name: "plan", stream: false, allowance: remainingCap(active) });
  const abort = new AbortController();
  const planRequest = { part, body, candidates, endpoint: features.endpoint, signal: abort.signal };
  const result = await whileCallerConnected(
    deps,
    active.signal,
    abort,
    () => makePlan(deps, planRequest),
  )
    .catch((error) => {
      breakdown.planned(part, []);
      throw error;
    });
  const tasks = "tasks" in result ? result.tasks : [];
  // A single task would repeat the request itself.
  const isSplit = tasks.length > 1;
  const planned = breakdown.planned(part, tasks);
  if ("problem" in result) active.report.noteOrchestration(`Not split: ${result.problem}`);
  else if (!isSplit) active.report.noteOrchestration("Not split: its planner saw no gain in it");
  if (!isSplit) return undefined;
  const outputTokens = resultTokens(candidates, { features, tasks: tasks.length });
  if (outputTokens === undefined) {
    active.report.noteOrchestration(`Not split: ${NO_ROOM}`);
    return undefined;
  }
  const price = priceOfPlan(candidates, tasks);
  const funds = await fundsNow(deps, active, features);
  if (sumOf(price) > funds) {
    active.report.noteOrchestration("Not split: the planned tasks could cost more than there is");
    return undefined;
  }
  // If the request has a cap, its tasks and its answer share it: none takes the share of another.
  const allowances = remainingCap(active) === undefined ? new Map<string, Micros>() : price.tasks;
  return { tasks, allowances, outputTokens, planned };
}
