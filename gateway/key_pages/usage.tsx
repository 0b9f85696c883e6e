import type { OwnAnswer } from "../admin_api/key_holder.ts";
import * as ui from "../console/components/mod.ts";
import { formatCredits, parseCredits } from "../domain/ledger/money.ts";
import { ownMessages } from "./messages.ts";
import type { HolderPage, HolderView } from "./view.ts";

type Row = OwnAnswer<"usage">["usage"][number];

const DAY_MS = 86_400_000;
/** Times that can be chosen, in days; the last is as far back as usage is summed. */
const DAYS = [7, 30, 92] as const;
/** Rows that are shown: there are fewer days, and about as many models. */
const ROWS = 500;

/** The usage of the key, by day or by model. */
export async function usagePage(view: HolderView): Promise<HolderPage> {
  const say = view.say(ownMessages);
  const by = view.query.get("by") === "model" ? "model" : "day";
  const days = DAYS.find((each) => String(each) === view.query.get("days")) ?? 30;
  const { usage } = await view.records.usage(view.session.key, {
    query: { by, since: view.nowMs - days * DAY_MS, limit: ROWS },
    signal: view.signal,
  });
  const groups = (["day", "model"] as const).map((each) => ({
    text: each === "day" ? say.byDay : say.byModel,
    href: ui.withQuery(view, { by: each }),
    isHere: each === by,
  }));
  const times = DAYS.map((each) => ({
    text: say.last(each),
    href: ui.withQuery(view, { days: String(each) }),
    isHere: each === days,
  }));
  return {
    title: say.sections.usage,
    body: (
      <>
        <ui.PageHead title={say.sections.usage} intro={say.usageIntro} />
        <ui.LinkNav look="tabs" label={say.by} links={groups} />
        <ui.LinkNav look="tabs" label={say.last(days)} links={times} />
        {usage.length === 0
          ? <ui.EmptyState title={say.noUsage} hint={say.noUsageHint} />
          : (
            <ui.Sheet
              caption={say.sections.usage}
              rows={by === "day" ? usage.toReversed() : usage}
              columns={columnsOf(view, { by, usage })}
            />
          )}
      </>
    ),
  };
}

function columnsOf(
  view: HolderView,
  { by, usage }: { readonly by: "day" | "model"; readonly usage: readonly Row[] },
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
    ui.column(by === "day" ? say.day : say.model, groupText, { isHeader: true }),
    count(say.calls, "requests"),
    count(say.input, "inputTokens"),
    count(say.cached, "cachedInputTokens"),
    count(say.output, "outputTokens"),
    ui.endColumn(say.charged, (row) => <ui.Credits amount={row.charged} />, {
      foot: <ui.Credits amount={formatCredits(charged)} />,
    }),
  ];
}

/** Returns the name of a row: the page groups by day or by model only. */
function groupText(row: Row): string {
  if ("day" in row) return row.day;
  return "model" in row ? row.model : "";
}
