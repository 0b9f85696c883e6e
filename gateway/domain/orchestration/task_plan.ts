/**
 * A plan: the tasks of a split request, and the order in which they may begin.
 *
 * @module
 */

import { isJsonObject, ORCHESTRATION_FINAL_TASK_ID } from "@svc/sdk/protocol";

/** Maximum number of tasks in a plan. */
export const PLAN_TASKS_MAX = 6;
/** Maximum number of tasks that run at once. */
export const TASKS_AT_ONCE = 3;
/** Id of the planner's own call in the list of tasks. */
export const PLAN_TASK_ID = "plan";
/** Maximum length of a title, in UTF-16 code units; the rest is cut. */
export const TITLE_MAX_CHARS = 80;
/** Maximum length of an instruction, in UTF-16 code units. */
export const INSTRUCTION_MAX_CHARS = 4_000;

/** Maximum length of a plan, in UTF-16 code units: six of the longest tasks, in escapes. */
export const PLAN_MAX_CHARS = 200_000;

/** A task of a plan. */
export interface PlannedTask {
  /** Unique in its plan; neither `plan` nor `final`. */
  readonly taskId: string;
  /** Title for people. */
  readonly title: string;
  /** Instruction for the model; `$id` stands for the result of another task. */
  readonly instruction: string;
  /**
   * Ids of the tasks whose results the task reads, including those that its instruction names as
   * `$id`.
   */
  readonly dependsOn: readonly string[];
  /** Feature tags that the model of the task should carry. */
  readonly needs: readonly string[];
}

/** A valid plan, or its problem in words for the planner. */
export type PlanReading =
  | { readonly ok: true; readonly tasks: readonly PlannedTask[] }
  | { readonly ok: false; readonly problem: string };

type Fields = Readonly<Record<string, unknown>>;

const TASK_ID = /^[a-z][a-z0-9_]{0,31}$/;
const REFERENCE = /(?<![\w$])\$([a-z][a-z0-9_]{0,31})\b/g;
/** Control and formatting characters, such as escapes and changes of direction. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const RESERVED: readonly string[] = [PLAN_TASK_ID, ORCHESTRATION_FINAL_TASK_ID];

/** The plan's shape as a JSON schema, for models that follow one. */
export const PLAN_SCHEMA = {
  type: "object",
  properties: {
    tasks: {
      type: "array",
      items: {
        type: "object",
        properties: {
          task_id: { type: "string" },
          title: { type: "string" },
          instruction: { type: "string" },
          depends_on: { type: "array", items: { type: "string" } },
          needs: { type: "array", items: { type: "string" } },
        },
        required: ["task_id", "title", "instruction", "depends_on", "needs"],
        additionalProperties: false,
      },
    },
  },
  required: ["tasks"],
  additionalProperties: false,
} as const;

/**
 * Parses a planner's answer: JSON, in a code block or bare. A plan without tasks is valid: the
 * request is not worth a split. Needs outside `knownNeeds` are dropped.
 */
export function readPlan(text: string, knownNeeds: readonly string[]): PlanReading {
  if (text.length > PLAN_MAX_CHARS) {
    return wrong(`The plan is longer than ${PLAN_MAX_CHARS} characters`);
  }
  const value = jsonIn(text);
  if (!isJsonObject(value)) return wrong("The plan is not a JSON object");
  const list = value["tasks"];
  if (!Array.isArray(list)) return wrong('The plan has no array "tasks"');
  if (list.length > PLAN_TASKS_MAX) {
    return wrong(`The plan has ${list.length} tasks; it may have ${PLAN_TASKS_MAX} at most`);
  }
  const tasks: PlannedTask[] = [];
  for (const [at, item] of list.entries()) {
    const task = readTask(item, { at, knownNeeds });
    if (typeof task === "string") return wrong(task);
    if (tasks.some(({ taskId }) => taskId === task.taskId)) {
      return wrong(`Two tasks have the task_id "${task.taskId}"`);
    }
    tasks.push(task);
  }
  const namedTasks = tasks.map((task) => withNamed(task, tasks));
  const problem = strangeDependency(namedTasks) ?? cycle(namedTasks);
  return problem === undefined ? { ok: true, tasks: namedTasks } : wrong(problem);
}

/** Progress of a plan. */
export interface TaskStates {
  readonly done: ReadonlySet<string>;
  /** Failed and skipped tasks. */
  readonly lost: ReadonlySet<string>;
  readonly running: ReadonlySet<string>;
}

/** The next step of a plan. */
export interface NextTasks {
  /** Tasks that begin now, in the plan's order. */
  readonly begin: readonly PlannedTask[];
  /** Tasks that can never run because a task that they depend on was lost. */
  readonly skip: readonly PlannedTask[];
}

/** Decides which tasks begin: each as soon as all its dependencies are done, within the limit. */
export function nextTasks(tasks: readonly PlannedTask[], states: TaskStates): NextTasks {
  const { done, running } = states;
  const lost = new Set(states.lost);
  const skip: PlannedTask[] = [];
  const waiting = tasks.filter(({ taskId }) =>
    !done.has(taskId) && !lost.has(taskId) && !running.has(taskId)
  );
  // A task that depends on a skipped one is skipped with it, in any order of the plan.
  for (let hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (const task of waiting) {
      if (lost.has(task.taskId) || !task.dependsOn.some((id) => lost.has(id))) continue;
      lost.add(task.taskId);
      skip.push(task);
      hasChanged = true;
    }
  }
  const ready = waiting.filter(({ taskId, dependsOn }) =>
    !lost.has(taskId) && dependsOn.every((id) => done.has(id))
  );
  return { begin: ready.slice(0, Math.max(0, TASKS_AT_ONCE - running.size)), skip };
}

function readTask(
  item: unknown,
  { at, knownNeeds }: { readonly at: number; readonly knownNeeds: readonly string[] },
): PlannedTask | string {
  if (!isJsonObject(item)) return `tasks.${at} is not an object`;
  const { task_id: taskId, title, instruction } = item;
  if (typeof taskId !== "string" || !TASK_ID.test(taskId)) {
    return `tasks.${at}.task_id is not an identifier of lower-case letters, digits and "_"`;
  }
  if (RESERVED.includes(taskId)) return `The task_id "${taskId}" is reserved`;
  const titleText = typeof title === "string" ? shownTitle(title) : "";
  if (titleText === "") return `The task "${taskId}" has no title`;
  if (typeof instruction !== "string" || instruction.trim() === "") {
    return `The task "${taskId}" has no instruction`;
  }
  if (instruction.length > INSTRUCTION_MAX_CHARS) {
    return `The instruction of "${taskId}" is longer than ${INSTRUCTION_MAX_CHARS} characters`;
  }
  const dependsOn = textsIn(item["depends_on"])?.map((id) => id.replace(/^\$/, ""));
  const needs = textsIn(item["needs"]);
  if (dependsOn === undefined || !dependsOn.every((id) => TASK_ID.test(id))) {
    return `depends_on of "${taskId}" is not an array of task_ids`;
  }
  if (needs === undefined) return `needs of "${taskId}" is not an array of texts`;
  return {
    taskId,
    title: titleText,
    instruction: instruction.trim(),
    dependsOn: [...new Set(dependsOn)],
    needs: [...new Set(needs)].filter((need) => knownNeeds.includes(need)),
  };
}

/**
 * Adds the tasks that an instruction names to its dependencies. A `$` refers to a task only before
 * the id of another task of the plan: otherwise it is a price or a variable of the request.
 */
function withNamed(task: PlannedTask, tasks: readonly PlannedTask[]): PlannedTask {
  const others = new Set(tasks.map(({ taskId }) => taskId));
  others.delete(task.taskId);
  const named = Array.from(task.instruction.matchAll(REFERENCE), ([, id = ""]) => id)
    .filter((id) => others.has(id));
  return { ...task, dependsOn: [...new Set([...task.dependsOn, ...named])] };
}

/** Returns a model's text for a screen: one line, without control characters. */
function shownTitle(text: string): string {
  const line = text.slice(0, 10 * TITLE_MAX_CHARS).replace(/\s+/g, " ").replace(UNSEEN, "");
  return line.trim().slice(0, TITLE_MAX_CHARS).toWellFormed().trim();
}

function strangeDependency(tasks: readonly PlannedTask[]): string | undefined {
  const ids = new Set(tasks.map(({ taskId }) => taskId));
  for (const { taskId, dependsOn } of tasks) {
    const strange = dependsOn.find((id) => !ids.has(id));
    if (strange !== undefined) {
      return `The task "${taskId}" depends on "${strange}", which is no task of the plan`;
    }
  }
  return undefined;
}

function cycle(tasks: readonly PlannedTask[]): string | undefined {
  const done = new Set<string>();
  for (;;) {
    const ready = tasks.filter(({ taskId, dependsOn }) =>
      !done.has(taskId) && dependsOn.every((id) => done.has(id))
    );
    if (ready.length === 0) break;
    for (const { taskId } of ready) done.add(taskId);
  }
  const stuck = tasks.filter(({ taskId }) => !done.has(taskId)).map(({ taskId }) => `"${taskId}"`);
  return stuck.length === 0 ? undefined : `The tasks ${stuck.join(", ")} wait for each other`;
}

/** Returns the JSON value of a text: all of it, a code block, or the outermost braces. */
function jsonIn(text: string): unknown {
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  if (start < 0 || end < start) return undefined;
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    // The caller reports that this is no plan.
    return undefined;
  }
}

function textsIn(value: unknown): readonly string[] | undefined {
  const list = value ?? [];
  if (!Array.isArray(list) || !list.every((item) => typeof item === "string")) return undefined;
  return list;
}

function wrong(problem: string): PlanReading {
  return { ok: false, problem };
}
