import { strict } from "../admin_api/fields.ts";
import { KEY_HOLDER_OPERATIONS, type OwnAnswer, type OwnQuery } from "../admin_api/key_holder.ts";
import { PAGE_LIMIT, queryFields } from "../admin_api/query_fields.ts";
import * as ui from "../console/components/mod.ts";
import { rangeMessages } from "../console/messages/range.ts";
import type { InReading, Reading } from "../console/page.ts";
import { Group, GroupingFields, groupingOf, groupTitle } from "../console/pages/usage/grouping.tsx";
import { usageMessages } from "../console/pages/usage/messages.ts";
import { formatCredits, parseCredits } from "../domain/ledger/money.ts";
import { validate } from "../http/validation.ts";
import { ownMessages } from "./messages.ts";
import type { HolderPage, HolderView } from "./view.ts";

type Row = OwnAnswer<"usage">["usage"][number];

/** Times that can be chosen, in days; the last is as far back as usage is summed. */
const DAYS = ["7", "30", "92"] as const;
const DAYS_UNASKED = "30";

/** The usage of the key, by day, model, user or tag. */
export async function usagePage(view: HolderView): Promise<HolderPage> {
  const say = view.say(ownMessages);
  const query = queryOf(view);
  return {
    title: say.sections.usage,
    body: (
      <>
        <ui.PageHead title={say.sections.usage} intro={say.usageIntro} />
        <UsageFilter view={view} />
        {query === undefined
          ? <ui.Notice kind="info">{view.say(usageMessages).noTag}</ui.Notice>
          : <Sums view={view} usage={await usageOf(view, query)} />}
      </>
    ),
  };
}

function usageOf(view: HolderView, query: OwnQuery<"usage">): Promise<OwnAnswer<"usage">> {
  return view.records.usage(view.session.key, { query, signal: view.signal });
}

/**
 * Returns the query of the page as the sum has it; `undefined` while the tag to group by has no name.
 * Throws where a condition is malformed.
 */
function queryOf(view: HolderView): OwnQuery<"usage"> | undefined {
  const by = groupingOf(view);
  if (by === undefined) return undefined;
  const wanted = ui.queryFields(view, ["tag", "user", "cursor"]);
  wanted.set("by", by);
  const days = DAYS.find((each) => each === view.query.get("days")) ?? DAYS_UNASKED;
  wanted.set("since", `${days}d`);
  wanted.set("limit", String(isShort(by) ? PAGE_LIMIT : ui.ROWS_PER_PAGE));
  const fields = KEY_HOLDER_OPERATIONS.usage.query(queryFields(view.nowMs));
  return validate(strict(fields), Object.fromEntries(wanted));
}

/** True for a grouping with few groups, which come whole: days and models. */
function isShort(by: string): boolean {
  return by === "day" || by === "model";
}

function UsageFilter({ view }: InReading<Record<never, never>>) {
  const say = view.say(ownMessages);
  return (
    <ui.FilterForm view={view}>
      <GroupingFields view={view} words={["model", "user", "tag"]} />
      {ui.filterSelects(view)("days", view.say(rangeMessages).time, {
        all: say.last(DAYS_UNASKED),
        options: DAYS.filter((days) => days !== DAYS_UNASKED)
          .map((days) => [days, say.last(days)]),
      })}
    </ui.FilterForm>
  );
}

function Sums(
  { view, usage: { by, usage, cursor } }: InReading<{ usage: OwnAnswer<"usage"> }>,
) {
  const say = view.say(ownMessages);
  const caption = say.sections.usage;
  const columns = columnsOf(view, { by, usage });
  const empty = <ui.EmptyState title={say.noUsage} hint={view.say(usageMessages).noneHint} />;
  if (usage.length === 0) return empty;
  if (!isShort(by)) {
    return <ui.DataTable rows={usage} {...{ view, caption, cursor, columns, empty }} />;
  }
  return <ui.Sheet rows={by === "day" ? usage.toReversed() : usage} {...{ caption, columns }} />;
}

function columnsOf(
  view: Reading,
  { by, usage }: { readonly by: string; readonly usage: readonly Row[] },
): readonly ui.Column<Row>[] {
  const say = view.say(ownMessages);
  const count = (
    title: string,
    of: "requests" | "inputTokens" | "cachedInputTokens" | "outputTokens",
  ) =>
    ui.endColumn<Row>(title, ({ [of]: value }) => <ui.RoundedCount value={value} />, {
      // A split request counts once for each of its models: their sum is no number of requests.
      foot: by === "model" && of === "requests"
        ? undefined
        : <ui.RoundedCount value={usage.reduce((sum, row) => sum + row[of], 0)} />,
    });
  const charged = usage.reduce((sum, row) => sum + (parseCredits(row.charged) ?? 0n), 0n);
  return [
    ui.column(groupTitle(view), (row) => <Group view={view} row={row} />, { isHeader: true }),
    count(say.calls, "requests"),
    count(say.input, "inputTokens"),
    count(say.cached, "cachedInputTokens"),
    count(say.output, "outputTokens"),
    ui.endColumn(say.charged, (row) => <ui.Credits amount={row.charged} />, {
      foot: <ui.Credits amount={formatCredits(charged)} />,
    }),
  ];
}
