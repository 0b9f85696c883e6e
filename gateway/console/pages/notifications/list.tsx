import type { AnswerOf } from "../../../admin_api/operations.ts";
import * as ui from "../../components/mod.ts";
import type { InView, Outcome, Page, View } from "../../page.ts";
import { unreadForm } from "../../view.ts";
import { noticeMessages } from "./messages.ts";

/** A target of notifications. */
export type Target = AnswerOf<"GET /notify/targets">["targets"][number];
type Incident = AnswerOf<"GET /notify/incidents">["incidents"][number];
type Delivery = AnswerOf<"GET /notify/deliveries">["deliveries"][number];

const LIST = "/notifications";
/** Incidents, and messages that were given up, that the page shows. */
const SHOWN = "100";

/** Targets, incidents, and messages that were given up. */
export const notificationList: Page = {
  path: LIST,
  async show(view) {
    const say = view.say(noticeMessages);
    const [{ targets }, { incidents }, { deliveries }] = await Promise.all([
      view.load("GET /notify/targets"),
      view.load("GET /notify/incidents", { query: { limit: SHOWN } }),
      view.load("GET /notify/deliveries", { query: { limit: SHOWN, state: "dead" } }),
    ]);
    return {
      title: say.title,
      body: (
        <>
          <ui.PageHead title={say.title} intro={say.intro}>
            <a class="button primary" href={`/console${LIST}/-/new`}>{say.add}</a>
          </ui.PageHead>
          <TargetPanel view={view} of={targets} />
          <IncidentPanel view={view} of={incidents} />
          <DeadPanel view={view} of={deliveries} />
        </>
      ),
    };
  },
  change,
};

async function change(view: View, form: URLSearchParams): Promise<Outcome> {
  const say = view.say(noticeMessages);
  const id = form.get("id") ?? "";
  if (form.get("do") === "retry") {
    await view.load("POST /notify/deliveries/{id}/retry", { id });
    return { goTo: LIST, done: say.retried };
  }
  if (form.get("do") !== "test") throw unreadForm(view);
  const { ok, problem } = await view.load("POST /notify/targets/{id}/test", { id });
  const name = form.get("name") ?? id;
  return { goTo: LIST, done: ok ? say.testOk(name) : say.testFailed(name, problem ?? "") };
}

function TargetPanel({ view, of }: InView<{ of: readonly Target[] }>) {
  const say = view.say(noticeMessages);
  const columns: readonly ui.Column<Target>[] = [
    ui.column(say.name, ({ name }) => name, { id: "name", isHeader: true }),
    ui.column(say.kind, ({ kind }) => say.kinds[kind], { id: "kind" }),
    ui.column(say.place, ({ place }) => place, { id: "place" }),
    ui.column(say.actions, ({ id, name }) => (
      <div class="actions">
        <Action {...{ values: { do: "test", id, name }, text: say.test }} />
        <a class="button" href={`/console${LIST}/${encodeURIComponent(id)}/remove`}>
          {say.remove}
        </a>
      </div>
    ), { id: "actions" }),
  ];
  return (
    <ui.Panel title={say.targets}>
      <ui.DataTable
        {...{ view, caption: say.targets, columns, rows: of, name: "targets" }}
        empty={<ui.EmptyState title={say.noTargets} hint={say.noTargetsHint} />}
      />
    </ui.Panel>
  );
}

function IncidentPanel({ view, of }: InView<{ of: readonly Incident[] }>) {
  const say = view.say(noticeMessages);
  const columns: readonly ui.Column<Incident>[] = [
    ui.column(say.incident, ({ text }) => text, { id: "incident", isHeader: true }),
    ui.column(say.began, ({ beganAt }) => <ui.Time at={beganAt} />, { id: "began" }),
    ui.column(
      say.ended,
      ({ endedAt }) =>
        endedAt === null ? <ui.Badge kind="warn">{say.open}</ui.Badge> : <ui.Time at={endedAt} />,
      { id: "ended" },
    ),
  ];
  return (
    <ui.Panel title={say.incidents}>
      <ui.DataTable
        {...{ view, caption: say.incidents, columns, rows: of, name: "incidents" }}
        empty={<ui.EmptyState title={say.noIncidents} hint={say.noIncidentsHint} />}
      />
    </ui.Panel>
  );
}

function DeadPanel({ view, of }: InView<{ of: readonly Delivery[] }>) {
  const say = view.say(noticeMessages);
  const columns: readonly ui.Column<Delivery>[] = [
    ui.column(say.message, ({ text }) => text, { id: "message", isHeader: true }),
    ui.column(say.problem, ({ problem }) => problem, { id: "problem" }),
    ui.endColumn(say.attempts, ({ attempts }) => attempts, { id: "attempts" }),
    ui.column(
      say.actions,
      ({ id }) => <Action values={{ do: "retry", id }} text={say.retry} />,
      { id: "actions" },
    ),
  ];
  return (
    <ui.Panel title={say.dead}>
      <ui.DataTable
        {...{ view, caption: say.dead, columns, rows: of, name: "dead" }}
        empty={<ui.EmptyState title={say.noDead} hint={say.noDeadHint} />}
      />
    </ui.Panel>
  );
}

function Action(
  { values, text }: { values: Readonly<Record<string, string>>; text: string },
) {
  return (
    <form method="post" action={`/console${LIST}`}>
      <ui.HiddenFields values={values} />
      <button type="submit" class="button">{text}</button>
    </form>
  );
}

/** The step before a target is removed. */
export const removeTarget: Page = {
  path: `${LIST}/:id/remove`,
  async show(view) {
    const say = view.say(noticeMessages);
    return ui.confirmPage(view, {
      title: say.removeTitle(await nameOf(view)),
      warning: say.removeWarning,
      submit: say.remove,
      cancelHref: `/console${LIST}`,
    });
  },
  async change(view) {
    const name = await nameOf(view);
    await view.load("DELETE /notify/targets/{id}", { id: view.param("id") });
    return { goTo: LIST, done: view.say(noticeMessages).removed(name) };
  },
};

async function nameOf(view: View): Promise<string> {
  const { targets } = await view.load("GET /notify/targets");
  const id = view.param("id");
  return targets.find((target) => target.id === id)?.name ?? id;
}
