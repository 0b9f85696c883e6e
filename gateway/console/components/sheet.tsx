import type { Column } from "./column.ts";
import { PlainHeading, styleOf, TableFrame } from "./table_frame.tsx";

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
