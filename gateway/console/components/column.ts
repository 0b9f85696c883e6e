import type { Child } from "@hono/hono/jsx";
import type { SortKey } from "./table_order.ts";

/** Properties of a column beside its title and its cells. */
export interface ColumnOptions<Row> {
  /** Name in the query: `?sort=id`, or `?sort=-id` for descending order. A column with `sort` has one. */
  readonly id?: string;
  /** Key to sort by; a column without it cannot be sorted by. */
  readonly sort?: (row: Row) => SortKey;
  /**
   * Set where the API pages and can reverse the order of this column: the field of the query that does
   * so, and its value for ascending order; without the field the rows descend.
   */
  readonly apiOrder?: { readonly field: string; readonly ascending: string };
  /** True when its cell names the row; at most one column. */
  readonly isHeader?: boolean;
  /** Follows the cell, outside of the row's link. */
  readonly beside?: (row: Row) => Child;
  /** Stands under the column of a sheet, such as its sum. */
  readonly foot?: Child;
}

/** A column of a table. */
export interface Column<Row> extends ColumnOptions<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Child;
  /** `end` for numbers. */
  readonly align: "start" | "end";
}

/** A column of texts. */
export function column<Row>(
  title: string,
  cell: (row: Row) => Child,
  options: ColumnOptions<Row> = {},
): Column<Row> {
  return { ...options, title, cell, align: "start" };
}

/** A column of numbers, aligned at their ends. */
export function endColumn<Row>(
  title: string,
  cell: (row: Row) => Child,
  options: ColumnOptions<Row> = {},
): Column<Row> {
  return { ...options, title, cell, align: "end" };
}
