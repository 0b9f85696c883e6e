import type { Child } from "@hono/hono/jsx";
import type { Shown, View } from "../page.ts";
import type { Column } from "./column.ts";
import { DataTable } from "./data_table.tsx";
import { EmptyState, PageHead } from "./blocks.tsx";
import {
  type FilterChoices,
  FilterForm,
  filterSelects,
  FilterText,
  hasText,
  hasValue,
} from "./filter_form.tsx";

/** A field above a list that narrows it: a text that a row contains, or one of several values. */
export type ListFilter<Row> =
  & { readonly name: string; readonly label: string }
  & (
    | {
      /** Texts of a row, one of which contains the text that was entered. */
      readonly texts: (row: Row) => readonly string[];
      /** True where a row has the whole text instead. */
      readonly isExact?: boolean;
    }
    | {
      /** Values of a row, one of which is the chosen one. */
      readonly values: (row: Row) => readonly (string | undefined)[];
    } & FilterChoices
  );

/** The description of a page that lists all rows of one kind, to filter and to sort. */
export interface ListPage<Row> {
  readonly say: {
    readonly title: string;
    readonly intro: string;
    /** Name of the table, for readers who do not see it. */
    readonly caption: string;
    readonly count?: ((shown: number, all: number) => string) | undefined;
    /** Title and hint where there is no row at all. @default {those of no match} */
    readonly none?: string;
    readonly noneHint?: string;
    /** Title and hint where no row passes the filters. */
    readonly noneFound?: string;
    readonly noneFoundHint?: string;
  };
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** Address of the page of a row. */
  readonly href: (row: Row) => string;
  /** Link to the page that adds a row. */
  readonly add: { readonly href: string; readonly text: string };
  readonly filters?: readonly ListFilter<Row>[];
  /** Stands between the heading and the filters, such as tabs. */
  readonly above?: Child;
  /** Title of the document, where it is not that of the heading. */
  readonly title?: string;
}

/** A list as a page: its heading, its filters, and a table of the rows that pass them. */
export function listPage<Row>(view: View, list: ListPage<Row>): Shown {
  const { say, rows, columns, href, add, filters = [], above } = list;
  const passing = rows.filter((row) => filters.every((filter) => passes(view, filter, row)));
  const isEmpty = rows.length === 0 || filters.length === 0;
  const [none, hint] = isEmpty && say.none !== undefined
    ? [say.none, say.noneHint]
    : [say.noneFound, say.noneFoundHint];
  return {
    title: list.title ?? say.title,
    body: (
      <>
        <PageHead title={say.title} intro={say.intro}>
          <a class="button primary" href={add.href}>{add.text}</a>
        </PageHead>
        {above}
        {filters.length > 0 && (
          <FilterForm view={view}>
            {filters.map((filter) =>
              "texts" in filter
                ? <FilterText key={filter.name} view={view} {...filter} />
                : filterSelects(view)(filter.name, filter.label, filter)
            )}
          </FilterForm>
        )}
        <DataTable
          {...{ view, caption: say.caption, rows: passing, columns, href }}
          count={say.count?.(passing.length, rows.length)}
          empty={<EmptyState title={none ?? ""} hint={hint ?? ""} />}
        />
      </>
    ),
  };
}

function passes<Row>(view: View, filter: ListFilter<Row>, row: Row): boolean {
  if (!("texts" in filter)) return hasValue(view, filter.name, filter.values(row));
  const has = filter.isExact ? hasValue : hasText;
  return has(view, filter.name, filter.texts(row));
}
