import type { Child } from "@hono/hono/jsx";
import { sharedMessages } from "../messages/shared.ts";
import type { View } from "../page.ts";
import { orderOf, type SortKey, withQuery } from "./table_order.ts";

/** Rows of a list that come on one page. */
export const ROWS_PER_PAGE = 50;

/** A column of a table. */
export interface Column<Row> {
  /** Name in the query: `?sort=id`, or `?sort=-id` for the other way round. */
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => Child;
  /** What to sort by; without it the column cannot be sorted by. */
  readonly sort?: (row: Row) => SortKey;
  /** `end` for numbers. @default {"start"} */
  readonly align?: "start" | "end";
  /** Whether its cell names the row; at most one column. */
  readonly isHeader?: boolean;
}

/** What a table shows. */
export interface DataTableProps<Row> {
  readonly view: View;
  /** For those who do not see it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Where the heading of a row leads. */
  readonly href?: (row: Row) => string;
  /** How many there are, in words. */
  readonly count?: string;
  /** In place of a table without rows. */
  readonly empty: Child;
  /**
   * Where the API pages: its cursor of the next page, `null` at the end. The rows then keep the order
   * in which they came. Left out, the rows are all there are: they are sorted and paged here.
   */
  readonly cursor?: string | null;
}

/** A table with headings to sort by, pages, and links; it scrolls sideways where there is no room. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { view, caption, columns, href, count, empty, cursor } = props;
  if (props.rows.length === 0) {
    return (
      <>
        {empty}
        <Pager view={view} />
      </>
    );
  }
  const isWhole = cursor === undefined;
  const rows = isWhole ? orderOf(view, columns).sorted(props.rows) : props.rows;
  const from = isWhole ? startOf(view, rows.length) : 0;
  const shown = isWhole ? rows.slice(from, from + ROWS_PER_PAGE) : rows;
  const next = isWhole
    ? { from: from + ROWS_PER_PAGE < rows.length ? String(from + ROWS_PER_PAGE) : null }
    : { cursor };
  const range = isWhole && rows.length > ROWS_PER_PAGE
    ? view.say(sharedMessages).range(from + 1, from + shown.length, rows.length)
    : undefined;
  return (
    <>
      {count === undefined ? null : <p class="count" role="status">{count}</p>}
      <div class="scroll" tabindex={0} role="region" aria-label={caption}>
        <table>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <Heading {...{ view, column, columns }} isStatic={!isWhole} />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, at) => <DataRow key={at} columns={columns} row={row} href={href} />)}
          </tbody>
        </table>
      </div>
      <Pager view={view} next={next} range={range} />
    </>
  );
}

/** A row of a table, for scripts that add to one. */
export function DataRow<Row>(
  { columns, row, href }: {
    columns: readonly Column<Row>[];
    row: Row;
    href?: ((row: Row) => string) | undefined;
  },
) {
  return (
    <tr>
      {columns.map((column) => <Cell key={column.id} column={column} row={row} href={href} />)}
    </tr>
  );
}

function Heading<Row>(
  { view, column, columns, isStatic }: {
    view: View;
    column: Column<Row>;
    columns: readonly Column<Row>[];
    isStatic: boolean;
  },
) {
  const { id, title, align, sort } = column;
  const order = orderOf(view, columns);
  const direction = order.by === id ? order.direction : undefined;
  if (sort === undefined || isStatic) {
    return <th scope="col" class={align === "end" ? "end" : undefined}>{title}</th>;
  }
  const href = withQuery(view, {
    sort: direction === "ascending" ? `-${id}` : id,
    from: null,
  });
  return (
    <th scope="col" class={align === "end" ? "end" : undefined} aria-sort={direction}>
      <a class="sort" href={href} title={view.say(sharedMessages).sortBy(title)}>
        {title}
        <span class="sort-mark" aria-hidden="true">
          {direction === undefined ? "↕" : direction === "ascending" ? "↑" : "↓"}
        </span>
      </a>
    </th>
  );
}

function Cell<Row>(
  { column, row, href }: {
    column: Column<Row>;
    row: Row;
    href: ((row: Row) => string) | undefined;
  },
) {
  const { cell, align, isHeader } = column;
  const style = align === "end" ? "end" : undefined;
  if (isHeader !== true) return <td class={style}>{cell(row)}</td>;
  return (
    <th scope="row" class={style}>
      {href === undefined ? cell(row) : <a href={href(row)}>{cell(row)}</a>}
    </th>
  );
}

function Pager(
  { view, next = {}, range }: {
    view: View;
    next?: Readonly<Record<string, string | null | undefined>>;
    range?: string | undefined;
  },
) {
  const say = view.say(sharedMessages);
  const isLater = ["from", "cursor"].some((name) => view.query.has(name));
  const hasNext = Object.values(next).some((place) => typeof place === "string");
  if (!isLater && !hasNext) return null;
  return (
    <nav class="pager" aria-label={say.pages}>
      {isLater
        ? <a class="button" href={withQuery(view, { from: null, cursor: null })}>{say.first}</a>
        : null}
      {range === undefined ? null : <span class="number">{range}</span>}
      {hasNext ? <a class="button" href={withQuery(view, next)} rel="next">{say.next}</a> : null}
    </nav>
  );
}

function startOf(view: View, all: number): number {
  const from = Number(view.query.get("from") ?? "0");
  return Number.isSafeInteger(from) && from > 0 && from < all ? from : 0;
}
