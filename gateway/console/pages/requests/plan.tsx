import { formatCredits, parseCredits } from "../../../domain/ledger/money.ts";
import * as ui from "../../components/mod.ts";
import type { InReading, Reading } from "../../page.ts";
import type { Task } from "./answer.ts";
import { nameOf, outcomeMessages } from "./outcome_messages.ts";
import { BOX, layOut } from "./plan_layout.ts";
import { requestPageMessages } from "./request_messages.ts";

/** The call that made the plan: whatever waits for nothing else waits for it. */
const PLANNER = "plan";
/** Letters of a task's name that fit into its box. */
const NAME_MAX = 20;

const STATUS_KINDS: Readonly<Record<string, ui.BadgeKind>> = {
  done: "good",
  failed: "bad",
  skipped: "neutral",
};

/** A split request as its plan: drawn, and as a table whose costs come to the charge. */
export function Plan({ view, tasks }: InReading<{ tasks: readonly Task[] }>) {
  const say = view.say(requestPageMessages);
  const planned = withPlanner(tasks);
  const planner = planned.find(({ taskId }) => taskId === PLANNER);
  const parts = planned.filter(({ taskId }) => taskId !== PLANNER && taskId !== "final");
  const lost = parts.filter(({ status }) => status !== "done");
  const last = planned.find(({ taskId }) => taskId === "final");
  const isAnswered = last?.status === "done";
  return (
    <ui.Panel title={say.plan}>
      {planner?.status === "failed" && parts.length === 0
        ? <FailedPlan view={view} planner={planner} isAnswered={isAnswered} />
        : (
          <p class="muted">
            {say.planIntro(parts.length)}
            {lost.length === 0 ? null : ` ${say.planLost(lost.length, costText(lost))}`}
          </p>
        )}
      {last !== undefined && !isAnswered && parts.length > 0 && (
        <ui.Notice kind="info">{say.planUnfinished(costText(planned))}</ui.Notice>
      )}
      <div class="plan scroll" tabindex={0} role="region" aria-label={say.planPicture}>
        <Drawing view={view} tasks={planned} />
      </div>
      <ui.Sheet caption={say.planCaption} rows={planned} columns={columnsOf(view, planned)} />
    </ui.Panel>
  );
}

/** The planner named no tasks: what became of the request, and what the try has cost. */
function FailedPlan(
  { view, planner, isAnswered }: InReading<{ planner: Task; isAnswered: boolean }>,
) {
  const say = view.say(requestPageMessages);
  const { model, inputTokens, outputTokens, ms } = planner;
  return (
    <ui.Notice kind="info">
      <p>
        {model === null ? say.planUnasked : say.planFailed(model)}{" "}
        {isAnswered ? say.planWentOn : say.planNoAnswer}
      </p>
      <p>
        {say.planCost(ui.roundedCredits(planner.charged), {
          tokens: ui.countText(inputTokens + outputTokens),
          time: ui.durationText(ms ?? 0),
        })}
      </p>
    </ui.Notice>
  );
}

/** The cost of some tasks. */
function costText(tasks: readonly Task[]): string {
  return ui.trimmedCredits(sumOf(tasks));
}

/** Makes the plan the dependency of tasks without one, and sorts the tasks by their beginning. */
function withPlanner(unsorted: readonly Task[]): readonly Task[] {
  const rank = ({ startMs }: Task) => startMs ?? Infinity;
  const tasks = unsorted.toSorted((a, b) =>
    rank(a) === rank(b) ? byName(a.taskId, b.taskId) : rank(a) - rank(b)
  );
  if (!tasks.some(({ taskId }) => taskId === PLANNER)) return tasks;
  return tasks.map((task) =>
    task.taskId === PLANNER || task.dependsOn.length > 0 ? task : { ...task, dependsOn: [PLANNER] }
  );
}

function byName(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

function Drawing({ view, tasks }: InReading<{ tasks: readonly Task[] }>) {
  const layout = layOut(tasks);
  const byId = new Map(tasks.map((task) => [task.taskId, task]));
  return (
    <svg
      width={layout.width}
      height={layout.height}
      viewBox={`0 0 ${layout.width} ${layout.height}`}
      role="img"
      aria-label={view.say(requestPageMessages).planPicture}
    >
      {layout.arrows.map(({ path }) => <path key={path} class="plan-arrow" d={path} />)}
      {layout.tasks.map(({ taskId, x, y }) => {
        const task = byId.get(taskId);
        return task === undefined ? null : <Box key={taskId} view={view} task={task} x={x} y={y} />;
      })}
    </svg>
  );
}

function Box({ view, task, x, y }: InReading<{ task: Task; x: number; y: number }>) {
  const { taskId, status, charged, ms, model } = task;
  const kind = STATUS_KINDS[status] ?? "neutral";
  const word = nameOf(view.say(outcomeMessages).tasks, status);
  const time = ms === null ? word : ui.durationText(ms);
  return (
    <g class={`plan-task plan-${kind}`}>
      <title>{`${taskId}: ${word}${model === null ? "" : `, ${model}`}`}</title>
      <rect x={x} y={y} width={BOX.width} height={BOX.height} rx="6" />
      <rect class="plan-mark" x={x} y={y + 8} width="3" height={BOX.height - 16} />
      <text class="plan-name" x={x + 12} y={y + 25}>{cut(taskId)}</text>
      <text class="plan-second" x={x + 12} y={y + 45}>{status === "done" ? time : word}</text>
      <text class="plan-second plan-cost" x={x + BOX.width - 10} y={y + 45}>
        {ui.roundedCredits(charged)}
      </text>
    </g>
  );
}

function columnsOf(view: Reading, tasks: readonly Task[]): readonly ui.Column<Task>[] {
  const say = view.say(requestPageMessages);
  const names = view.say(outcomeMessages).tasks;
  const count = (title: string, of: "inputTokens" | "outputTokens"): ui.Column<Task> =>
    ui.endColumn(title, (task) => <ui.Count value={task[of]} />, {
      foot: <ui.Count value={tasks.reduce((sum, task) => sum + task[of], 0)} />,
    });
  return [
    ui.column(say.task, ({ taskId }) => taskId, { isHeader: true, foot: say.sum }),
    ui.column(
      say.state,
      ({ status }) => (
        <ui.Badge kind={STATUS_KINDS[status] ?? "neutral"}>{nameOf(names, status)}</ui.Badge>
      ),
    ),
    ui.column(say.model, ({ model, provider }) =>
      model === null ? <span class="muted">–</span> : (
        <>
          {model}
          <span class="second">{provider}</span>
        </>
      )),
    ui.column(
      say.waitsFor,
      ({ dependsOn }) =>
        dependsOn.length === 0
          ? <span class="muted">–</span>
          : dependsOn.toSorted(byName).join(", "),
    ),
    ui.endColumn(say.began, ({ startMs }) => <ui.Duration ms={startMs} />),
    ui.endColumn(say.took, ({ ms }) => <ui.Duration ms={ms} />),
    count(say.input, "inputTokens"),
    count(say.output, "outputTokens"),
    ui.endColumn(say.charged, ({ charged }) => <ui.Credits amount={charged} />, {
      foot: <ui.Credits amount={sumOf(tasks)} />,
    }),
  ];
}

function sumOf(tasks: readonly Task[]): string {
  return formatCredits(tasks.reduce((sum, { charged }) => sum + (parseCredits(charged) ?? 0n), 0n));
}

function cut(name: string): string {
  const letters = [...name];
  return letters.length <= NAME_MAX ? name : `${letters.slice(0, NAME_MAX - 1).join("")}…`;
}
