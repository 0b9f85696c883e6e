import { auditChange } from "../../../admin_api/audit_change.ts";
import type { AnswerOf } from "../../../admin_api/operations.ts";
import * as ui from "../../components/mod.ts";
import { rangeMessages } from "../../messages/range.ts";
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
    const { entries, cursor } = await view.load("GET /audit", { query: queryOf(view) });
    return {
      title: say.title,
      scripts: ["range.js"],
      body: (
        <>
          <ui.PageHead title={say.title} intro={say.intro}>
            <a class="button" href="/console/feeds/audit">{say.export}</a>
          </ui.PageHead>
          <AuditFilter view={view} />
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

function queryOf(view: View): URLSearchParams {
  const query = ui.queryFields(view, ["who", "action", "subject", "cursor"]);
  const { sinceMs, untilMs } = ui.readRange(view, "any");
  if (sinceMs !== undefined) query.set("since", new Date(sinceMs).toISOString());
  if (untilMs !== undefined) query.set("until", new Date(untilMs).toISOString());
  query.set("limit", String(ui.ROWS_PER_PAGE));
  return query;
}

function AuditFilter({ view }: { view: View }) {
  const say = view.say(auditMessages);
  const range = view.say(rangeMessages);
  const spans = ui.SPANS.map((span) => [span, range.last[span]] as const);
  const select = ui.filterSelects(view);
  return (
    <ui.FilterForm view={view}>
      <ui.FilterText view={view} name="who" label={say.whoFilter} />
      <ui.FilterText view={view} name="action" label={say.actionFilter} />
      <ui.FilterText view={view} name="subject" label={say.subjectFilter} />
      {select("range", range.time, { all: range.any, options: [...spans, ["own", range.own]] })}
      <ui.OwnRange view={view} />
    </ui.FilterForm>
  );
}

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

function changeText(entry: Entry): string {
  const text = auditChange(entry, "→");
  return text.length <= CHANGE_CHARS ? text : `${text.slice(0, CHANGE_CHARS)} …`.toWellFormed();
}
