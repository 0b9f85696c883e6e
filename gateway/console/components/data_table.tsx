import type { Child } from "@hono/hono/jsx";
import { sharedMessages } from "../messages/shared.ts";
import type { InReading, Reading } from "../page.ts";
import { Notice } from "./blocks.tsx";
import type { Column } from "./column.ts";
import { PlainHeading, styleOf, TableFrame } from "./table_frame.tsx";
import { orderOf, withQuery } from "./table_order.ts";

/** Rows of a list that come on one page. */
export const ROWS_PER_PAGE = 50;

/** Properties of a table. */
export interface DataTableProps<Row> {
  readonly view: Reading;
  /** Name of the table, for readers who do not see it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Returns the address that the heading of a row links to. */
  readonly href?: (row: Row) => string;
  /** The number of rows, as a sentence. */
  readonly count?: string | undefined;
  /** Shown in place of a table without rows. */
  readonly empty: Child;
  /**
   * Cursor of the next page, for a list that the API pages; `null` at the end. The rows then keep the
   * order in which they came. Without it the rows are complete: they are sorted and paged here.
   */
  readonly cursor?: string | null;
  /** With a cursor: true for a column that the API sorts by as `?sort=` says. @default {none} */
  readonly sortsBy?: ((id: string) => boolean) | undefined;
  /** With a cursor: the API stopped before the page was full, and there may be more beyond. */
  readonly isCut?: boolean;
  /** Name of the table in the page's address, for pages with several tables. */
  readonly name?: string;
}

/**
 * A table with headings to sort by, pages, and links; it scrolls sideways where there is no room. On a
 * phone each row is a card, with the names of the columns in it.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { view, caption, columns, href, count, empty, cursor, isCut = false, name, sortsBy } =
    props;
  const say = view.say(sharedMessages);
  if (props.rows.length === 0) {
    return (
      <>
        {isCut ? null : view.query.has("cursor") ? <p>{say.noneLeft}</p> : empty}
        <Pager view={view} name={name} next={{ cursor }} cut={isCut ? say.cutEmpty : undefined} />
      </>
    );
  }
  const isWhole = cursor === undefined;
  const place = placeName(name);
  const rows = isWhole ? orderOf(view, columns).sorted(props.rows) : props.rows;
  const from = isWhole ? startOf(view, { place, all: rows.length }) : 0;
  const shown = isWhole ? rows.slice(from, from + ROWS_PER_PAGE) : rows;
  const next = isWhole
    ? { [place]: from + ROWS_PER_PAGE < rows.length ? String(from + ROWS_PER_PAGE) : null }
    : { cursor };
  const range = isWhole && rows.length > ROWS_PER_PAGE
    ? say.range(from + 1, from + shown.length, rows.length)
    : undefined;
  const headings = columns.map((column) => (
    <Heading
      key={column.title}
      {...{ view, column, columns, name }}
      isStatic={!isWhole && sortsBy?.(column.id ?? "") !== true}
    />
  ));
  return (
    <>
      {count !== undefined && <p class="count" role="status">{count}</p>}
      <TableFrame {...{ caption, id: name, headings }} look="cards">
        <tbody>
          {shown.map((row, at) => <DataRow key={at} columns={columns} row={row} href={href} />)}
        </tbody>
      </TableFrame>
      <Pager {...{ view, name, next, range }} cut={isCut ? say.cut : undefined} />
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
      {columns.map((column) => <Cell key={column.title} column={column} row={row} href={href} />)}
    </tr>
  );
}

function Heading<Row>({ view, column, columns, name, isStatic }: InReading<{
  column: Column<Row>;
  columns: readonly Column<Row>[];
  name: string | undefined;
  isStatic: boolean;
}>) {
  const { title } = column;
  const order = isStatic ? apiOrderOf(view, column) : ownOrderOf(view, { column, columns, name });
  if (order === undefined) return <PlainHeading column={column} />;
  const { direction, href } = order;
  return (
    <th scope="col" class={styleOf(column)} aria-sort={direction}>
      <a class="sort" href={href} title={view.say(sharedMessages).sortBy(title)}>
        {title}
        <span class="sort-mark" aria-hidden="true">
          {direction === undefined ? "↕" : direction === "ascending" ? "↑" : "↓"}
        </span>
      </a>
    </th>
  );
}

/** The present order of a column, and the address of the page in the reverse order. */
interface HeadingOrder {
  readonly direction: "ascending" | "descending" | undefined;
  readonly href: string;
}

function ownOrderOf<Row>(
  view: Reading,
  { column: { id, sort }, columns, name }: {
    column: Column<Row>;
    columns: readonly Column<Row>[];
    name: string | undefined;
  },
): HeadingOrder | undefined {
  if (sort === undefined || id === undefined) return undefined;
  const order = orderOf(view, columns);
  const direction = order.by === id ? order.direction : undefined;
  const changes = {
    sort: direction === "ascending" ? `-${id}` : id,
    [placeName(name)]: null,
    cursor: null,
  };
  return { direction, href: withQuery(view, changes) + anchorOf(name) };
}

function apiOrderOf<Row>(view: Reading, { apiOrder }: Column<Row>): HeadingOrder | undefined {
  if (apiOrder === undefined) return undefined;
  const { field, ascending } = apiOrder;
  const isAscending = view.query.get(field) === ascending;
  const href = withQuery(view, { [field]: isAscending ? null : ascending, cursor: null });
  return { direction: isAscending ? "ascending" : "descending", href };
}

function Cell<Row>(
  { column, row, href }: {
    column: Column<Row>;
    row: Row;
    href: ((row: Row) => string) | undefined;
  },
) {
  const { title, cell, isHeader } = column;
  const style = styleOf(column);
  const after = column.beside?.(row);
  if (isHeader !== true) return <td class={style} data-title={title}>{cell(row)}{after}</td>;
  return (
    <th scope="row" class={style} data-title={title}>
      {href === undefined ? cell(row) : <a href={href(row)}>{cell(row)}</a>}
      {after}
    </th>
  );
}

function startOf(view: Reading, { place, all }: { place: string; all: number }): number {
  const from = Number(view.query.get(place) ?? "0");
  return Number.isSafeInteger(from) && from > 0 && from < all ? from : 0;
}

/** Links to the next page of a table and to its beginning. */
export function Pager(
  { view, name, next = {}, range, cut }: {
    view: Reading;
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
