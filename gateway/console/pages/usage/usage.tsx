import type { AnswerOf } from "../../../admin_api/operations.ts";
import * as ui from "../../components/mod.ts";
import { rangeMessages } from "../../messages/range.ts";
import type { Page, Shown, View } from "../../page.ts";
import { Group, GroupingFields, groupingOf, groupTitle } from "./grouping.tsx";
import { usageMessages } from "./messages.ts";

type Usage = AnswerOf<"GET /usage">["usage"][number];

/** Tokens and credits, by what the query names. */
export const usagePage: Page = { path: "/usage", show };

async function show(view: View): Promise<Shown> {
  const say = view.say(usageMessages);
  const frame = (body: Shown["body"]) => (
    <>
      <ui.PageHead title={say.title} intro={say.intro} />
      <UsageFilter view={view} />
      {body}
    </>
  );
  const page = { title: say.title, scripts: ["range.js"] } as const;
  const query = queryOf(view);
  if (query === undefined) {
    return { ...page, body: frame(<ui.Notice kind="info">{say.noTag}</ui.Notice>) };
  }
  const answer = await view.api.call("GET /usage", { query });
  if (!answer.ok) {
    const { message, status } = answer.refusal;
    return { ...page, status, body: frame(<ui.Notice kind="problem">{message}</ui.Notice>) };
  }
  const { usage, cursor } = answer.value;
  return {
    ...page,
    body: frame(
      <ui.DataTable<Usage>
        {...{ view, caption: say.caption, rows: usage, cursor, columns: columnsOf(view) }}
        empty={<ui.EmptyState title={say.none} hint={say.noneHint} />}
      />,
    ),
  };
}

/** Returns the query of the operator's API; `undefined` while the tag to group by has no name. */
function queryOf(view: View): URLSearchParams | undefined {
  const by = groupingOf(view);
  if (by === undefined) return undefined;
  const query = ui.queryFields(view, ["tag", "user", "cursor"]);
  query.set("by", by);
  const { sinceMs, untilMs } = ui.readRange(view, "any");
  if (sinceMs !== undefined) query.set("since", new Date(sinceMs).toISOString());
  if (untilMs !== undefined) query.set("until", new Date(untilMs).toISOString());
  query.set("limit", String(ui.ROWS_PER_PAGE));
  return query;
}

function UsageFilter({ view }: { view: View }) {
  const range = view.say(rangeMessages);
  const spans = ui.SPANS.map((span) => [span, range.last[span]] as const);
  const select = ui.filterSelects(view);
  return (
    <ui.FilterForm view={view}>
      <GroupingFields view={view} words={["key", "model", "user", "tag"]} />
      {select("range", range.time, { all: range.any, options: [...spans, ["own", range.own]] })}
      <ui.OwnRange view={view} />
    </ui.FilterForm>
  );
}

function columnsOf(view: View): readonly ui.Column<Usage>[] {
  const say = view.say(usageMessages);
  return [
    ui.column(groupTitle(view), (row) => <Group view={view} row={row} />, { isHeader: true }),
    ui.endColumn(say.requests, ({ requests }) => ui.countText(requests)),
    ui.endColumn(say.input, ({ inputTokens }) => ui.countText(inputTokens)),
    ui.endColumn(say.cached, ({ cachedInputTokens }) => ui.countText(cachedInputTokens)),
    ui.endColumn(say.output, ({ outputTokens }) => ui.countText(outputTokens)),
    ui.endColumn(say.charged, ({ charged }) => <ui.Credits amount={charged} />),
    ui.endColumn(say.writtenOff, ({ writtenOff }) => <ui.Credits amount={writtenOff} />),
  ];
}
