import type { Child } from "@hono/hono/jsx";
import type { Column } from "./column.ts";

/** A table that scrolls sideways where there is no room; of the look `cards` a row is a card on a phone. */
export function TableFrame({ caption, look, id, name, headings, children }: {
  /** For readers who do not see the table. */
  caption: string;
  look: "cards" | "sheet";
  id?: string | undefined;
  /** For scripts to find the table by. */
  name?: string | undefined;
  /** Its head cells. */
  headings: Child;
  children: Child;
}) {
  return (
    <div id={id} class={`scroll ${look}`} tabindex={0} role="region" aria-label={caption}>
      <table data-name={name}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>{headings}</tr>
        </thead>
        {children}
      </table>
    </div>
  );
}

/** A head cell that is only a title. */
export function PlainHeading<Row>({ column }: { column: Column<Row> }) {
  return <th scope="col" class={styleOf(column)}>{column.title}</th>;
}

/** The class of the cells of a column. */
export function styleOf<Row>({ align }: Column<Row>): "end" | undefined {
  return align === "end" ? "end" : undefined;
}

/** A short table that is part of a page: whole, in the order in which it comes, with sums at its foot. */
export function Sheet<Row>({ caption, columns, rows, name }: {
  /** For readers who do not see the table. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** For scripts to find the table by. */
  name?: string;
}) {
  const headings = columns.map((column) => <PlainHeading key={column.title} column={column} />);
  return (
    <TableFrame {...{ caption, name, headings }} look="sheet">
      <tbody>
        {rows.map((row) => (
          <tr>
            {columns.map((column) =>
              column.isHeader
                ? <th key={column.title} scope="row" class={styleOf(column)}>{column.cell(row)}</th>
                : <td key={column.title} class={styleOf(column)}>{column.cell(row)}</td>
            )}
          </tr>
        ))}
      </tbody>
      {columns.some(({ foot }) => foot !== undefined) && (
        <tfoot>
          <tr>
            {columns.map((column) => (
              <td key={column.title} class={styleOf(column)}>{column.foot}</td>
            ))}
          </tr>
        </tfoot>
      )}
    </TableFrame>
  );
}
