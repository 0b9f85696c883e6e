import { sharedMessages } from "../messages/shared.ts";
import type { View } from "../page.ts";
import { Notice } from "./notice.tsx";
import { withQuery } from "./table_order.ts";

/** Links to the next page of a table and to its beginning. */
export function Pager(
  { view, name, next = {}, range, cut }: {
    view: View;
    name: string | undefined;
    next?: Readonly<Record<string, string | null | undefined>>;
    range?: string | undefined;
    /** Said where the API stopped before the page was full. */
    cut: string | undefined;
  },
) {
  const say = view.say(sharedMessages);
  const place = placeName(name);
  const isLater = [place, "cursor"].some((field) => view.query.has(field));
  const hasNext = Object.values(next).some((place) => typeof place === "string");
  if (!isLater && !hasNext) return null;
  const first = withQuery(view, { [place]: null, cursor: null }) + anchorOf(name);
  return (
    <>
      {cut !== undefined && <Notice kind="info">{cut}</Notice>}
      <nav class="pager" aria-label={say.pages}>
        {isLater && <a class="button" href={first}>{say.first}</a>}
        {range !== undefined && <span class="number">{range}</span>}
        {hasNext && (
          <a class="button" href={withQuery(view, next) + anchorOf(name)} rel="next">
            {cut === undefined ? say.next : say.goOn}
          </a>
        )}
      </nav>
    </>
  );
}

/** The field of the query that says where a table begins. */
export function placeName(name: string | undefined): string {
  return name === undefined ? "from" : `${name}-from`;
}

/** The anchor of a table, so that a page of several tables returns to the table that was used. */
export function anchorOf(name: string | undefined): string {
  return name === undefined ? "" : `#${name}`;
}
