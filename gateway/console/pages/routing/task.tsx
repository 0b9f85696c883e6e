import * as ui from "../../components/mod.ts";
import type { InView, Page, Shown, View } from "../../page.ts";
import { type Task, taskDigits, taskRequestsHref } from "./answers.ts";
import { routingMessages } from "./messages.ts";
import { QualityText, Saving } from "./quality.tsx";
import { inksOf, ShareBar } from "./share_bar.tsx";

type Model = Task["models"][number];
type Plan = Task["plans"][number];

/** One task: its models with their outcomes, and its plans of verified answers. */
export const taskPage: Page = { path: "/routing/:task", show };

async function show(view: View): Promise<Shown> {
  const say = view.say(routingMessages);
  const task = await view.load("GET /routing/tasks/{task}", { task: view.param("task") });
  const intro = (
    <>
      <code class="id">{task.task}</code> ·{" "}
      <a href={`/console/wallets/${encodeURIComponent(task.wallet)}`}>{task.wallet}</a> ·{" "}
      <ui.RelativeTime at={task.lastUsedAt} nowMs={view.nowMs} language={view.language} />
    </>
  );
  return {
    title: say.taskTitle(taskDigits(task.task)),
    body: (
      <>
        <p class="back">
          <a href="/console/routing">← {say.back}</a>
        </p>
        <ui.PageHead title={say.taskTitle(taskDigits(task.task))} intro={intro}>
          <a class="button" href={taskRequestsHref(task.task)}>{say.taskRequests}</a>
        </ui.PageHead>
        <TaskFigures view={view} task={task} />
        <ui.Panel title={say.taskModels}>
          <ShareBar view={view} parts={task.models} inks={inksOf(task.models)} />
          <Models view={view} rows={task.models} />
        </ui.Panel>
        <ui.Panel title={say.plans}>
          <p class="hint">{say.plansHint}</p>
          {task.plans.length === 0
            ? <p class="muted">{say.noPlans}</p>
            : <Plans view={view} rows={task.plans} />}
        </ui.Panel>
      </>
    ),
  };
}

function TaskFigures({ view, task }: InView<{ task: Task }>) {
  const say = view.say(routingMessages);
  const credits = (name: string, amount: string, remark: string) => ({
    ...{ name, remark },
    value: <ui.RoundedCredits amount={amount} />,
  });
  return (
    <ui.Figures
      items={[
        { name: say.requests, value: <ui.RoundedCount value={task.requests} /> },
        {
          name: say.quality,
          value: <QualityText view={view} quality={task.quality} />,
          remark: say.qualityHint,
        },
        credits(say.cost, task.charged, say.credits),
        credits(say.alwaysBest, task.bestCharged, say.wouldHave),
        credits(say.alwaysCheapest, task.cheapestCharged, say.wouldHave),
        { name: say.saving, value: <Saving {...task} />, remark: say.savingHint },
        { name: say.auditCount, value: task.audits },
      ]}
    />
  );
}

function Models({ view, rows }: InView<{ rows: readonly Model[] }>) {
  const say = view.say(routingMessages);
  return (
    <ui.Sheet<Model>
      caption={say.taskModels}
      rows={rows}
      columns={[
        ui.column(say.model, ({ model }) => model, { isHeader: true }),
        ui.endColumn(say.requests, ({ requests }) => <ui.RoundedCount value={requests} />),
        ui.endColumn(
          say.share,
          ({ share }) => <span class="number">{ui.percentText(share, 1)}</span>,
        ),
        ui.endColumn(say.quality, ({ quality }) => <QualityText view={view} quality={quality} />),
        ui.endColumn(say.cost, ({ charged }) => <ui.RoundedCredits amount={charged} />),
        ui.endColumn(say.outcomes, ({ outcomes }) => <ui.RoundedCount value={outcomes} />),
        ui.column(say.sources, ({ sources }) =>
          sources.map(({ source, weight, good }) => (
            <span class="second">
              {say.sourceText(
                say.sourceNames[source],
                weight.toFixed(1),
                ui.percentText(good, 1),
              )}
            </span>
          ))),
      ]}
    />
  );
}

function Plans({ view, rows }: InView<{ rows: readonly Plan[] }>) {
  const say = view.say(routingMessages);
  const percent = (title: string, of: "quality" | "cost") =>
    ui.endColumn<Plan>(title, (row) => <span class="number">{ui.percentText(row[of], 1)}</span>);
  return (
    <ui.Sheet<Plan>
      caption={say.plans}
      rows={rows}
      columns={[
        ui.column(say.together, ({ cheap }) => cheap.join(" + "), { isHeader: true }),
        ui.column(say.better, ({ better }) => better),
        percent(say.equal, "quality"),
        percent(say.relativeCost, "cost"),
        ui.endColumn(say.auditCount, ({ audits }) => <ui.Count value={audits} />),
      ]}
    />
  );
}
