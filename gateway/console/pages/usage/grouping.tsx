import type { AnswerOf } from "../../../admin_api/operations.ts";
import * as ui from "../../components/mod.ts";
import type { InReading, Reading } from "../../page.ts";
import { usageMessages } from "./messages.ts";

/** Words of the query by which usage is grouped; without one it is by day. */
export type GroupWord = "key" | "model" | "user" | "tag";

/** Returns the grouping as the API has it; `undefined` while the tag to group by has no name. */
export function groupingOf(view: Reading): string | undefined {
  const by = ui.filterText(view, "by") || "day";
  if (by !== "tag") return by;
  const name = ui.filterText(view, "name");
  return name === "" ? undefined : `tag:${name}`;
}

/** Returns the title of the column that names the groups. */
export function groupTitle(view: Reading): string {
  const say = view.say(usageMessages);
  const by = ui.filterText(view, "by");
  if (by === "tag") return ui.filterText(view, "name");
  return Object.entries(say.groups).find(([word]) => word === by)?.[1] ?? say.day;
}

/** The grouping, and the names that select calls. */
export function GroupingFields({ view, words }: InReading<{ words: readonly GroupWord[] }>) {
  const say = view.say(usageMessages);
  return (
    <>
      {ui.filterSelects(view)("by", say.by, {
        all: say.byDay,
        options: words.map((word) => [word, say.groups[word]]),
      })}
      <ui.FilterText view={view} name="name" label={say.tagName} />
      <ui.FilterText view={view} name="tag" label={say.tag} />
      <ui.FilterText view={view} name="user" label={say.user} />
    </>
  );
}

/** The name of a group. */
export function Group(
  { view, row }: InReading<{ row: AnswerOf<"GET /usage">["usage"][number] }>,
) {
  const { kinds } = view.say(usageMessages);
  if ("kind" in row && row.kind !== "named") return <em>{kinds[row.kind]}</em>;
  if ("day" in row) return <>{row.day}</>;
  if ("model" in row) return <>{row.model}</>;
  if ("user" in row) return <>{row.user}</>;
  return <>{"key" in row ? row.name ?? row.key : row.value}</>;
}
