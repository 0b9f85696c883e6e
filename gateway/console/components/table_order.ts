import type { Reading } from "../page.ts";

/** Key that rows are sorted by; all rows of a column have keys of one type. */
export type SortKey = string | number | bigint;

/** The order of the rows of a table. */
export interface Order<Row> {
  /** The column; `undefined` where the rows stay as they came. */
  readonly by: string | undefined;
  readonly direction: "ascending" | "descending";
  sorted(rows: readonly Row[]): readonly Row[];
}

interface Sortable<Row> {
  readonly id?: string;
  readonly sort?: (row: Row) => SortKey;
}

/** The order that the query asks for, of a column that can be sorted by; else the one that rows have. */
export function orderOf<Row>(
  view: Pick<Reading, "query">,
  columns: readonly Sortable<Row>[],
): Order<Row> {
  const wanted = view.query.get("sort") ?? "";
  const isDown = wanted.startsWith("-");
  const column = columns.find(({ id }) => id === wanted.slice(isDown ? 1 : 0));
  const key = column?.sort;
  if (key === undefined) return { by: undefined, direction: "ascending", sorted: (rows) => rows };
  return {
    by: column?.id,
    direction: isDown ? "descending" : "ascending",
    sorted: (rows) =>
      rows.toSorted((a, b) => isDown ? compare(key(b), key(a)) : compare(key(a), key(b))),
  };
}

function compare(a: SortKey, b: SortKey): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** This page's address with some of its query changed; `null` removes a field. */
export function withQuery(
  view: Pick<Reading, "url">,
  changes: Readonly<Record<string, string | null | undefined>>,
): string {
  const query = new URLSearchParams(view.url.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined) query.delete(name);
    else query.set(name, value);
  }
  return query.size === 0 ? view.url.pathname : `${view.url.pathname}?${query}`;
}
