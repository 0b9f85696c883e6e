import type { Column } from "./column.ts";

/** A short table that is part of a page: whole, in the order in which it comes, with sums at its foot. */
export function Sheet<Row>(
  { caption, columns, rows, name }: {
    /** For those who do not see it. */
    caption: string;
    columns: readonly Column<Row>[];
    rows: readonly Row[];
    /** For scripts to find it by. */
    name?: string;
  },
) {
  const hasFoot = columns.some(({ foot }) => foot !== undefined);
  const style = ({ align }: Column<Row>) => align === "end" ? "end" : undefined;
  return (
    <div class="scroll sheet" tabindex={0} role="region" aria-label={caption}>
      <table data-name={name}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={style(column)}>{column.title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map((column) =>
                column.isHeader
                  ? <th key={column.title} scope="row" class={style(column)}>{column.cell(row)}</th>
                  : <td key={column.title} class={style(column)}>{column.cell(row)}</td>
              )}
            </tr>
          ))}
        </tbody>
        {hasFoot && (
          <tfoot>
            <tr>
              {columns.map((column) => (
                <td key={column.title} class={style(column)}>{column.foot}</td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}
