import * as ui from "../../components/mod.ts";
import type { InView } from "../../page.ts";
import { taskDigits, taskHref, type TaskList, type TaskSummary } from "./answers.ts";
import { routingMessages } from "./messages.ts";
import { QualityText, Saving } from "./quality.tsx";
import { type Inks, ShareBar } from "./share_bar.tsx";

/** The sums over all tasks. */
export function Totals({ view, list, inks }: InView<{ list: TaskList; inks: Inks }>) {
  const say = view.say(routingMessages);
  const { totals } = list;
  return (
    <ui.Panel title={say.totals}>
      <ui.Figures
        items={[
          {
            name: say.requests,
            value: <ui.RoundedCount value={totals.requests} />,
            remark: say.ofTasks(totals.tasks),
          },
          {
            name: say.quality,
            value: <QualityText view={view} quality={totals.quality} />,
            remark: say.qualityHint,
          },
          {
            name: say.cost,
            value: <ui.RoundedCredits amount={totals.charged} />,
            remark: say.credits,
          },
          {
            name: say.alwaysBest,
            value: <ui.RoundedCredits amount={totals.bestCharged} />,
            remark: say.wouldHave,
          },
          {
            name: say.alwaysCheapest,
            value: <ui.RoundedCredits amount={totals.cheapestCharged} />,
            remark: say.wouldHave,
          },
          { name: say.saving, value: <Saving {...totals} />, remark: say.savingHint },
        ]}
      />
      <h3>{say.shares}</h3>
      <ShareBar view={view} parts={totals.models} inks={inks} />
    </ui.Panel>
  );
}

/** Every task with its models, its quality and its cost. */
export function Tasks({ view, list, inks }: InView<{ list: TaskList; inks: Inks }>) {
  const say = view.say(routingMessages);
  const credits = (
    id: "charged" | "bestCharged" | "cheapestCharged",
    title: string,
  ): ui.Column<TaskSummary> =>
    ui.endColumn(title, (row) => <ui.RoundedCredits amount={row[id]} />, {
      id,
      sort: (row) => ui.creditsOrder(row[id]),
    });
  return (
    <ui.Panel title={say.tasks}>
      <p class="hint">{say.tasksHint}</p>
      <ui.DataTable<TaskSummary>
        view={view}
        name="tasks"
        caption={say.tasksCaption}
        rows={list.tasks}
        href={({ task }) => taskHref(task)}
        columns={[
          ui.column(say.task, ({ task }) => <code title={task}>{taskDigits(task)}</code>, {
            isHeader: true,
          }),
          ui.column(say.wallet, ({ wallet }) => wallet, {
            id: "wallet",
            sort: ({ wallet }) => wallet,
          }),
          ui.endColumn(say.requests, ({ requests }) => <ui.RoundedCount value={requests} />, {
            id: "requests",
            sort: ({ requests }) => requests,
          }),
          ui.column(
            say.models,
            ({ models }) => <ShareBar view={view} parts={models} inks={inks} />,
          ),
          ui.endColumn(
            say.quality,
            ({ quality }) => <QualityText view={view} quality={quality} />,
            { id: "quality", sort: ({ quality }) => quality?.p ?? -1 },
          ),
          credits("charged", say.cost),
          ui.endColumn(say.saving, (row) => <Saving {...row} />),
          credits("bestCharged", say.alwaysBest),
          credits("cheapestCharged", say.alwaysCheapest),
          ui.column(
            say.lastUsed,
            ({ lastUsedAt }) => (
              <ui.RelativeTime at={lastUsedAt} nowMs={view.nowMs} language={view.language} />
            ),
            { id: "last", sort: ({ lastUsedAt }) => lastUsedAt },
          ),
        ]}
        empty={null}
      />
      {list.totals.tasks > list.tasks.length && (
        <p class="hint">{say.moreTasks(list.totals.tasks - list.tasks.length)}</p>
      )}
    </ui.Panel>
  );
}
