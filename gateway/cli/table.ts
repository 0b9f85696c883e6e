import { textOf, timeOf } from "./json_fields.ts";
import type { Row } from "./json_fields.ts";

/** A column of a table. */
export interface Column {
  readonly title: string;
  /** The text of a row in this column. */
  readonly cell: (row: Row) => string;
  /** Amounts stand at the right and are never cut. */
  readonly align?: "right";
}

const GAP = "  ";
const NARROWEST = 6;

/** A column that shows a field as it is. */
export function column(title: string, field: string): Column {
  return { title, cell: (row) => textOf(row, field) };
}

/** A column of numbers. */
export function amount(title: string, field: string): Column {
  return { title, cell: (row) => textOf(row, field), align: "right" };
}

/** A column of times. */
export function time(title: string, field: string): Column {
  return { title, cell: (row) => timeOf(row, field) };
}

/**
 * Lines of a table. Where it is wider than the page, the widest texts are cut first, with an
 * ellipsis; numbers stay whole.
 */
export function table(
  columns: readonly Column[],
  rows: readonly Row[],
  options: { width: number; empty: string },
): string {
  if (rows.length === 0) return `${options.empty}\n`;
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ cell }) => printable(cell(row)))),
  ];
  const widths = fit(columns, lines, options.width);
  return lines.map((cells) => {
    const padded = cells.map((text, index) =>
      pad(text, widths[index] ?? 0, columns[index]?.align === "right")
    );
    return `${padded.join(GAP).trimEnd()}\n`;
  }).join("");
}

/** Lines of a list of facts, the values under one another. */
export function facts(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([name]) => displayWidth(name)));
  return pairs.map(([name, value]) =>
    `${pad(name, width)}${GAP}${printable(value)}`.trimEnd() + "\n"
  )
    .join("");
}

function fit(
  columns: readonly Column[],
  lines: readonly (readonly string[])[],
  page: number,
): number[] {
  const widths = columns.map((_, index) =>
    Math.max(...lines.map((cells) => displayWidth(cells[index] ?? "")))
  );
  let excess = widths.reduce((sum, width) => sum + width, GAP.length * (columns.length - 1)) - page;
  while (excess > 0) {
    const widest = widths.reduce(
      (best, width, index) =>
        columns[index]?.align !== "right" && width > (widths[best] ?? 0) ? index : best,
      columns.findIndex(({ align }) => align !== "right"),
    );
    const width = widths[widest] ?? 0;
    if (width <= NARROWEST) break;
    widths[widest] = width - 1;
    excess--;
  }
  return widths;
}

function pad(text: string, width: number, right = false): string {
  const shown = cut(text, width);
  const space = " ".repeat(Math.max(0, width - displayWidth(shown)));
  return right ? space + shown : shown + space;
}

function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let shown = "";
  let used = 1;
  for (const character of text) {
    used += displayWidth(character);
    if (used > width) break;
    shown += character;
  }
  return `${shown}…`;
}

// Chinese, Japanese and Korean scripts, full-width forms and emoji take two columns.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const INVISIBLE = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** Columns that a text takes on a terminal. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!INVISIBLE.test(character)) width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

/** Text without line ends, escape sequences and changes of direction: it may come from anybody. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, "?");
}
