import type { PageQuery } from "../admin_api/query_fields.ts";
import { SORTED_MAX } from "../admin_api/sorts.ts";
import { ServiceFault } from "../domain/fault.ts";

const POSITION = /^p\.(\d{1,9})$/;

/** A page of rows. */
export interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** Cursor of the next page; `null` on the last. */
  readonly cursor: string | null;
}

/**
 * Returns a page of rows that are in memory. Its cursor is a position: rows that come or go between
 * two pages move the others. The cursor of another list reads as the end.
 */
export function pageOf<Row>(rows: readonly Row[], { limit, cursor }: PageQuery): RowPage<Row> {
  const from = cursor === undefined ? 0 : Number(POSITION.exec(cursor)?.[1] ?? rows.length);
  const to = from + limit;
  return { rows: rows.slice(from, to), cursor: to < rows.length ? `p.${to}` : null };
}

/** Throws when a list is too long to be sorted by a field. */
export function requireSortable(what: "wallets" | "keys", total: number, natural: string): void {
  if (total <= SORTED_MAX) return;
  throw new ServiceFault("invalid_request", {
    message: `Cannot sort ${total} ${what} by this field: beyond ${SORTED_MAX} the order is ` +
      `"${natural}", or its reverse`,
    param: "sort",
  });
}

/** Sorts rows by a key; rows with equal keys stay in their order. */
export function sortedBy<Row>(
  rows: readonly Row[],
  key: (row: Row) => string | number | bigint,
  isDescending: boolean,
): readonly Row[] {
  const keyed = rows.map((row) => ({ row, key: key(row) }));
  const sign = isDescending ? -1 : 1;
  keyed.sort(({ key: a }, { key: b }) => sign * (a < b ? -1 : a > b ? 1 : 0));
  return keyed.map(({ row }) => row);
}
