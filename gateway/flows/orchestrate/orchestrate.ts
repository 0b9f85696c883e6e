/**
 * One request, several models, one answer: gate, plan, run, synthesise.
 *
 * @module
 */

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
import { AnswerStream } from "../stream/answer_stream.ts";
import type { GatewayContext } from "../context.ts";
import { capLeft } from "../call/take_hold.ts";
import type { ModelAnswer } from "../model_answer.ts";
import { Breakdown } from "./breakdown.ts";
import { makePlan } from "./make_plan.ts";
import { OrchestratedAnswer, type OrchestrationSurface } from "./orchestrated_answer.ts";
import { TaskRun } from "./task_run.ts";
import { whileCallerConnected } from "./while_connected.ts";
import { fundsNow, type OpenPlan } from "../plan/route_plan.ts";
import type { RequestTrace } from "../request_trace.ts";

/** An answer that may not even be this long, in tokens, is not worth tasks. */
const LEAST_ANSWER_TOKENS = 128;
const NO_ROOM = "with the results of its tasks it would be too long for every model";

/** A request that may be split. */
export interface SplittableRequest {
  /** As a chat request. */
  readonly body: JsonBody;
  readonly features: RequestFeatures;
  /** How it would be served as one call. */
  readonly plan: OpenPlan;
  /** Told of tasks and asked for the answer, by who is sent what. */
  surface(split: {
    readonly breakdown: Breakdown;
    /** Whether the caller is sent what tasks say. */
    readonly isShown: boolean;
  }): OrchestrationSurface;
  /** A stream has been settled, or could not be. */
  onEnd(): void;
}

/**
 * Answers a request by tasks of several models, where it gains from that, may be split, and can be
 * paid for. `undefined` where it runs as one call; what its planner has cost is on its bill then.
 * Throws a `ServiceFault` where nothing could be answered, and `CallerDisconnected` where nobody waits.
 */
export async function orchestrate(
  gateway: GatewayContext,
  trace: RequestTrace,
  request: SplittableRequest,
): Promise<ModelAnswer | undefined> {
  const gate = await mayGain(gateway, trace, request);
  if (gate === undefined) return undefined;
  trace.planning();
  const breakdown = new Breakdown(trace);
  const plan = await planTasks(gateway, trace, { ...request, breakdown });
  if (plan === undefined) return undefined;

  const { tasks } = plan;
  trace.orchestration = `Split into ${tasks.length} tasks: ${gate.reason}`;
  const abort = new AbortController();
  const isShown = trace.caller.stream && gate.stream === "all";
  const run = new TaskRun(gateway, {
    trace,
    breakdown,
    ...plan,
    body: request.body,
    endpoint: request.features.endpoint,
    isShown,
    signal: abort.signal,
  });
  const surface = request.surface({ breakdown, isShown });
  const answer = new OrchestratedAnswer(gateway, { trace, run, breakdown, surface, abort });
  if (!trace.caller.stream) return { kind: "json", text: await answer.complete() };
  const stream = new AnswerStream(gateway, { answer, trace, onEnd: () => request.onEnd() });
  return { kind: "stream", bytes: new ReadableStream(stream) };
}

/** The gate: whether a split would help, is allowed and can be paid for; what it costs is looked at last. */
async function mayGain(
  gateway: GatewayContext,
  trace: RequestTrace,
  { body, features, plan }: SplittableRequest,
): Promise<{ readonly reason: string; readonly stream: "all" | "final" } | undefined> {
  const { caller } = trace;
  const { mode, stream } = orchestrationFor({
    policy: caller.key.policy,
    tier: plan.tier,
    dialect: caller.dialect,
    choice: caller.orchestration,
  });
  if (mode === "off" || features.choices > 1 || features.hostedTools.length > 0) return undefined;
  const text = lastUserText(body);
  if (text === undefined || features.needs.includes("audio")) return undefined;
  if (isAnswerBound(body, features)) return undefined;
  const { compound, signals } = judgeCompound(text);
  if (!compound && mode !== "always") return undefined;
  // Each task sends the request once more.
  if (caller.hold?.tryTake(EXPECTED_TASKS * body.text.length) === false) {
    trace.orchestration = "Not split: it is too long to be held once for each task";
    return undefined;
  }
  if (resultTokens(plan.candidates, { features, tasks: EXPECTED_TASKS }) === undefined) {
    trace.orchestration = `Not split: ${NO_ROOM}`;
    return undefined;
  }
  const funds = await fundsNow(gateway, trace, features);
  if (expectedPrice(plan.candidates) > funds) {
    trace.orchestration = "Not split: the tasks could cost more than there is";
    return undefined;
  }
  const found = signals.map(([signal, weight]) => `${signal} ${weight > 0 ? "+" : ""}${weight}`);
  return { reason: compound ? found.join(", ") : "the key's policy asks for it", stream };
}

/** Whether the answer is a call of a function, or is too short to be worth tasks, whatever is asked. */
function isAnswerBound({ value }: JsonBody, { requestedOutputTokens }: RequestFeatures): boolean {
  if (requestedOutputTokens !== undefined && requestedOutputTokens < LEAST_ANSWER_TOKENS) {
    return true;
  }
  const choice = value["tool_choice"] ?? value["function_call"] ?? "auto";
  return choice !== "auto" && choice !== "none";
}

/** A plan that is to be run. */
interface PaidPlan {
  readonly tasks: readonly PlannedTask[];
  readonly allowances: ReadonlyMap<string, Micros>;
  /** Most output of one task, in tokens. */
  readonly outputTokens: number;
  /** What making it has cost. */
  readonly planned: OrchestrationTask;
}

/** The plan, paid for and affordable; `undefined` where there is none, and the trace says why. */
async function planTasks(
  gateway: GatewayContext,
  trace: RequestTrace,
  request: SplittableRequest & { readonly breakdown: Breakdown },
): Promise<PaidPlan | undefined> {
  const { body, features, breakdown, plan: { candidates } } = request;
  const part = trace.part({ name: "plan", stream: false, allowance: capLeft(trace) });
  const abort = new AbortController();
  const asked = { part, body, candidates, endpoint: features.endpoint, signal: abort.signal };
  const made = await whileCallerConnected(
    gateway,
    trace.caller,
    abort,
    () => makePlan(gateway, asked),
  )
    .catch((error) => {
      breakdown.planned(part, []);
      throw error;
    });
  const tasks = "tasks" in made ? made.tasks : [];
  // One task would be the request itself, asked twice.
  const isSplit = tasks.length > 1;
  const planned = breakdown.planned(part, tasks);
  if ("problem" in made) trace.orchestration = `Not split: ${made.problem}`;
  else if (!isSplit) trace.orchestration = "Not split: its planner saw no gain in it";
  if (!isSplit) return undefined;
  const outputTokens = resultTokens(candidates, { features, tasks: tasks.length });
  if (outputTokens === undefined) {
    trace.orchestration = `Not split: ${NO_ROOM}`;
    return undefined;
  }
  const price = priceOfPlan(candidates, tasks);
  const funds = await fundsNow(gateway, trace, features);
  if (sumOf(price) > funds) {
    trace.orchestration = "Not split: the planned tasks could cost more than there is";
    return undefined;
  }
  // Where there is a cap for the request, its tasks and its answer share it: none takes another's.
  const allowances = capLeft(trace) === undefined ? new Map<string, Micros>() : price.tasks;
  return { tasks, allowances, outputTokens, planned };
}
