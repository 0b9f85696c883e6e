import type { AnswerOf } from "../../../admin_api/operations.ts";
import * as ui from "../../components/mod.ts";
import type { Feed, Page, View } from "../../page.ts";
import { auditMessages } from "./messages.ts";

type Entry = AnswerOf<"GET /audit">["entries"][number];

/** Longest text of a change in the table, in characters. */
const CHANGE_CHARS = 300;

/** The audit log, to search. */
export const auditLog: Page = {
  path: "/audit",
  async show(view) {
    const say = view.say(auditMessages);
    const text = (name: string) => ui.filterText(view, name) || undefined;
    const { entries, cursor } = await view.load("GET /audit", {
      query: {
        ...{ who: text("who"), action: text("action"), subject: text("subject") },
        ...{ cursor: text("cursor"), limit: String(ui.ROWS_PER_PAGE) },
      },
    });
    return {
      title: say.title,
      body: (
        <>
          <ui.PageHead title={say.title} intro={say.intro}>
            <a class="button" href="/console/feeds/audit">{say.export}</a>
          </ui.PageHead>
          <ui.FilterForm view={view}>
            <ui.FilterText view={view} name="who" label={say.whoFilter} />
            <ui.FilterText view={view} name="action" label={say.actionFilter} />
            <ui.FilterText view={view} name="subject" label={say.subjectFilter} />
          </ui.FilterForm>
          <ui.DataTable<Entry>
            {...{ view, caption: say.caption, rows: entries, cursor, columns: columnsOf(view) }}
            isCut={cursor !== null && entries.length < ui.ROWS_PER_PAGE}
            empty={<ui.EmptyState title={say.none} hint={say.noneHint} />}
          />
        </>
      ),
    };
  },
};

/** The whole log as a file. */
export const auditFile: Feed = {
  path: "/feeds/audit",
  method: "GET",
  async answer({ api }) {
    const response = await api.ask("/audit/export");
    if (!response.ok) return response;
    const headers = new Headers(response.headers);
    headers.set("content-disposition", 'attachment; filename="audit.ndjson"');
    return new Response(response.body, { headers });
  },
};

function columnsOf(view: View): readonly ui.Column<Entry>[] {
  const say = view.say(auditMessages);
  return [
    ui.column(say.at, ({ at }) => <ui.Time at={at} />, { isHeader: true }),
    ui.column(say.who, ({ who }) => who.name),
    ui.column(say.address, ({ address }) => address ?? ""),
    ui.column(say.action, ({ action }) => action),
    ui.column(
      say.stage,
      ({ stage }) => (
        <ui.Badge kind={stage === "refused" ? "warn" : "neutral"}>{say.stages[stage]}</ui.Badge>
      ),
    ),
    ui.column(say.subject, ({ subject }) => subject),
    ui.column(say.change, (entry) => <code>{changeText(entry)}</code>),
  ];
}

function changeText({ values, before, after, remark }: Entry): string {
  const text = remark ??
    (before === null && after === null
      ? values === null ? "" : JSON.stringify(values)
      : `${JSON.stringify(before)} → ${JSON.stringify(after)}`);
  return text.length <= CHANGE_CHARS ? text : `${text.slice(0, CHANGE_CHARS)} …`.toWellFormed();
}
