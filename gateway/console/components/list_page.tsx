import type { Child } from "@hono/hono/jsx";
import type { Shown, View } from "../page.ts";
import type { Column } from "./column.ts";
import { DataTable, ROWS_PER_PAGE } from "./data_table.tsx";
import { EmptyState, PageHead } from "./blocks.tsx";
import {
  type FilterChoices,
  FilterForm,
  filterSelects,
  FilterText,
  filterText,
  hasText,
  hasValue,
} from "./filter_form.tsx";

/** A field above a list that narrows it: a text that a row contains, or one of several values. */
export type ListFilter<Row> =
  & { readonly name: string; readonly label: string }
  & (
    | {
      /** True where the API looks for the text. */
      readonly isApiText: true;
    }
    | {
      /** Values among which the API looks for the chosen one. */
      readonly apiChoices: FilterChoices;
    }
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
  /** Set where the API pages, filters and sorts the rows. */
  readonly page?: ListPart | undefined;
}

/** The part of a list that the API has given. */
export interface ListPart {
  readonly cursor: string | null;
  /** Number of all rows, also those that the filters leave out. */
  readonly total: number;
  /** True for a column that the API can sort by. */
  readonly sortsBy: (id: string) => boolean;
}

/** A list as a page: its heading, its filters, and a table of the rows that pass them. */
export function listPage<Row>(view: View, list: ListPage<Row>): Shown {
  const { say, rows, columns, href, add, filters = [], above, page } = list;
  const passing = rows.filter((row) => filters.every((filter) => passes(view, filter, row)));
  const isEmpty = (page?.total ?? rows.length) === 0 || filters.length === 0;
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
              "texts" in filter || "isApiText" in filter
                ? <FilterText key={filter.name} view={view} {...filter} />
                : filterSelects(view)(
                  filter.name,
                  filter.label,
                  "apiChoices" in filter ? filter.apiChoices : filter,
                )
            )}
          </FilterForm>
        )}
        <DataTable
          {...{ view, caption: say.caption, rows: passing, columns, href }}
          {...page === undefined ? {} : tablePart(page, passing.length)}
          count={countOf(view, list, passing.length)}
          empty={<EmptyState title={none ?? ""} hint={hint ?? ""} />}
        />
      </>
    ),
  };
}

function tablePart({ cursor, sortsBy }: ListPart, shown: number) {
  return { cursor, sortsBy, isCut: cursor !== null && shown < ROWS_PER_PAGE };
}

/** Returns the number of rows as a sentence, where all rows that pass the filters are known. */
function countOf<Row>(
  view: View,
  { say, rows, page, filters = [] }: ListPage<Row>,
  shown: number,
): string | undefined {
  if (page === undefined) return say.count?.(shown, rows.length);
  const isFiltered = filters.some(({ name }) => filterText(view, name) !== "");
  if (!isFiltered) return say.count?.(page.total, page.total);
  const isWhole = page.cursor === null && !view.query.has("cursor");
  return isWhole ? say.count?.(shown, page.total) : undefined;
}

/** Returns the value of `sort` that the API is asked for; `undefined` for its own order. */
export function sortOf<Sort extends string>(
  view: Pick<View, "query">,
  sorts: readonly Sort[],
): Sort | undefined {
  const wanted = view.query.get("sort");
  return sorts.find((sort) => sort === wanted);
}

function passes<Row>(view: View, filter: ListFilter<Row>, row: Row): boolean {
  if ("isApiText" in filter || "apiChoices" in filter) return true;
  if (!("texts" in filter)) return hasValue(view, filter.name, filter.values(row));
  const has = filter.isExact ? hasValue : hasText;
  return has(view, filter.name, filter.texts(row));
}
