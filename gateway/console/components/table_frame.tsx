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
