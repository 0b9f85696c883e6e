import type { AnswerOf } from "../../../admin_api/operations.ts";
import * as ui from "../../components/mod.ts";
import type { InView, Outcome, Page, Shown, View } from "../../page.ts";
import type { Refusal } from "../../api.ts";
import { operatorMessages } from "./messages.ts";

type List = AnswerOf<"GET /operators">;
type Session = AnswerOf<"GET /sessions">["sessions"][number];

/** Operators, the rights of the roles, and sessions of the console, which can be ended here. */
export const operatorList: Page = {
  path: "/operators",
  show: (view) => shown(view),
  async change(view, form): Promise<Outcome> {
    const id = form.get("session") ?? "";
    const ended = await view.api.call("DELETE /sessions/{id}", { id });
    if (!ended.ok) return await shown(view, ended.refusal);
    return { goTo: "/operators", done: view.say(operatorMessages).ended };
  },
};

async function shown(view: View, refusal?: Refusal): Promise<Shown> {
  const say = view.say(operatorMessages);
  const [list, { sessions }] = await Promise.all([
    view.load("GET /operators"),
    view.load("GET /sessions"),
  ]);
  return {
    title: say.title,
    status: refusal?.status ?? 200,
    body: (
      <>
        <ui.PageHead title={say.title} intro={say.intro}>
          <a class="button primary" href="/console/operators/-/new">{say.new}</a>
        </ui.PageHead>
        {refusal !== undefined && <ui.Notice kind="problem">{refusal.message}</ui.Notice>}
        <OperatorTable view={view} list={list} />
        <RolePanel view={view} list={list} />
        <SessionPanel view={view} sessions={sessions} />
      </>
    ),
  };
}

function OperatorTable({ view, list }: InView<{ list: List }>) {
  const say = view.say(operatorMessages);
  return (
    <ui.DataTable<List["operators"][number]>
      view={view}
      caption={say.caption}
      rows={list.operators}
      href={({ id }) => `/console/operators/${encodeURIComponent(id)}`}
      columns={[
        ui.column(say.name, ({ name }) => name, {
          ...{ id: "name", isHeader: true },
          sort: ({ name }) => name,
        }),
        ui.column(say.role, ({ role }) => <ui.Badge kind="neutral">{role}</ui.Badge>, {
          id: "role",
          sort: ({ role }) => role,
        }),
        ui.column(say.grants, ({ grants }) => grants.join(", ")),
        ui.column(say.state, ({ state }) => say.states[state]),
        ui.endColumn(
          say.tokens,
          ({ tokens }) => tokens.filter(({ isInForce }) => isInForce).length,
        ),
      ]}
      empty={<ui.EmptyState title={say.none} hint={say.noneHint} />}
    />
  );
}

/** The table of what each role may do, as the API enforces it. */
function RolePanel({ view, list }: InView<{ list: List }>) {
  const say = view.say(operatorMessages);
  return (
    <ui.Panel title={say.rights}>
      <ui.Sheet<List["roles"][number]>
        caption={say.rights}
        rows={list.roles}
        columns={[
          ui.column(say.role, ({ role }) => role, { isHeader: true }),
          ui.column(say.rights, ({ rights }) => rights.join(", ")),
        ]}
      />
    </ui.Panel>
  );
}

function SessionPanel({ view, sessions }: InView<{ sessions: readonly Session[] }>) {
  const say = view.say(operatorMessages);
  const end = ({ id, who }: Session) => (
    <form method="post">
      <ui.HiddenFields values={{ session: id }} />
      <button type="submit" class="button" aria-label={`${say.end}: ${who.name}`}>{say.end}</button>
    </form>
  );
  return (
    <ui.Panel title={say.sessions}>
      <p class="hint">{say.sessionsIntro}</p>
      <ui.Sheet<Session>
        caption={say.sessions}
        rows={sessions}
        columns={[
          ui.column(say.who, ({ who }) => who.name, { isHeader: true }),
          ui.column(say.role, ({ who }) => who.role ?? say.allRights),
          ui.column(say.address, ({ address }) => address ?? ""),
          ui.column(say.began, ({ beganAt }) => <ui.Time at={beganAt} />),
          ui.column(say.used, ({ usedAt }) => <ui.Time at={usedAt} />),
          ui.endColumn(say.end, end),
        ]}
      />
    </ui.Panel>
  );
}
