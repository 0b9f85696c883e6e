import { textOf, timeText } from "./field_text.ts";

/** A column of a table of rows. */
export interface Column<Row> {
  readonly title: string;
  /** Returns the text of a row in this column. */
  readonly cell: (row: Row) => string;
  /**
   * `text` may be cut; an `id` and a `time` are cut only when nothing else can be cut; an `amount`
   * is aligned right and never cut.
   */
  readonly kind: "text" | "id" | "time" | "amount";
  /** Omitted on a narrow page. */
  readonly optional?: boolean;
}

/** Name of a field that some kind of row has. */
type FieldOf<Row> = Row extends unknown ? keyof Row & string : never;

const GAP = "  ";
const NARROWEST = 6;

/** A column of plain text. */
export function column<Row extends object>(title: string, field: FieldOf<Row>): Column<Row> {
  return fieldColumn(title, field, "text");
}

/** A column of ids, which people copy, or of fixed words: useless when cut. */
export function id<Row extends object>(title: string, field: FieldOf<Row>): Column<Row> {
  return fieldColumn(title, field, "id");
}

/** A column of numbers. */
export function amount<Row extends object>(title: string, field: FieldOf<Row>): Column<Row> {
  return fieldColumn(title, field, "amount");
}

/** A column of times. */
export function time<Row extends object>(title: string, field: FieldOf<Row>): Column<Row> {
  return fieldColumn(title, field, "time");
}

/** Marks a column as omitted on a narrow page. */
export function optional<Row>(column: Column<Row>): Column<Row> {
  return { ...column, optional: true };
}

function fieldColumn<Row extends object>(
  title: string,
  field: string,
  kind: Column<Row>["kind"],
): Column<Row> {
  const cell = (row: Row) => {
    const text = textOf(Reflect.get(row, field));
    return kind === "time" ? timeText(text) : text;
  };
  return { title, cell, kind };
}

/**
 * Formats a table. If it is wider than the page, optional columns are omitted, the last first; then
 * the widest texts are cut, with an ellipsis.
 */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: { width: number; empty: string },
): string {
  if (rows.length === 0) return `${options.empty}\n`;
  const { width: page } = options;
  const drawn = shrink(selectColumns(columns.map((spec) => draw(spec, rows)), page), page);
  return Array.from({ length: rows.length + 1 }, (_, line) => {
    const cells = drawn.map(({ spec, cells, width }) =>
      pad(cells[line] ?? "", width, spec.kind === "amount")
    );
    return `${cells.join(GAP).trimEnd()}\n`;
  }).join("");
}

/** Formats a table under a title, after an empty line; nothing for a table without rows. */
export function section<Row>(
  title: string,
  columns: readonly Column<Row>[],
  { rows, width }: { readonly rows: readonly Row[]; readonly width: number },
): string {
  return rows.length === 0 ? "" : `\n${title}\n${table(columns, rows, { width, empty: "" })}`;
}

interface DrawnColumn {
  readonly spec: Pick<Column<never>, "kind" | "optional">;
  /** The title and a text per row. */
  readonly cells: readonly string[];
  readonly width: number;
}

function draw<Row>(spec: Column<Row>, rows: readonly Row[]): DrawnColumn {
  const cells = [spec.title, ...rows.map((row) => printable(spec.cell(row)))];
  return {
    spec,
    cells,
    width: cells.reduce((most, text) => Math.max(most, displayWidth(text)), 0),
  };
}

/** Omits optional columns as long as even cutting all texts would not make the table fit. */
function selectColumns(drawn: readonly DrawnColumn[], page: number): readonly DrawnColumn[] {
  const least = drawn.map(({ spec, width }) => ({
    width: spec.kind === "text" ? Math.min(width, NARROWEST) : width,
  }));
  const last = drawn.findLastIndex(({ spec }) => spec.optional);
  if (totalWidth(least) <= page || last < 0) return drawn;
  return selectColumns(drawn.filter((_, index) => index !== last), page);
}

/** Cuts the widest column by one, repeatedly, until the table fits. */
function shrink(drawn: readonly DrawnColumn[], page: number): readonly DrawnColumn[] {
  let columns = drawn;
  for (let excess = totalWidth(drawn) - page; excess > 0; excess--) {
    const widest = widestToCut(columns);
    if (widest === undefined) break;
    columns = columns.map((each) => each === widest ? { ...each, width: each.width - 1 } : each);
  }
  return columns;
}

function widestToCut(columns: readonly DrawnColumn[]): DrawnColumn | undefined {
  const wide = columns.filter(({ spec, width }) => spec.kind !== "amount" && width > NARROWEST);
  const texts = wide.filter(({ spec }) => spec.kind === "text");
  const [first, ...others] = texts.length > 0 ? texts : wide;
  return others.reduce((best, each) => best && each.width > best.width ? each : best, first);
}

function totalWidth(columns: readonly { readonly width: number }[]): number {
  return columns.reduce((sum, { width }) => sum + width, GAP.length * (columns.length - 1));
}

/** Formats a list of facts with aligned values. */
export function facts(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([name]) => displayWidth(name)));
  return pairs.map(([name, value]) =>
    `${pad(name, width)}${GAP}${printable(value)}`.trimEnd() + "\n"
  )
    .join("");
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

/** Returns the number of terminal columns of a text. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!INVISIBLE.test(character)) width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

/** Replaces line ends, escape sequences and changes of direction in untrusted text. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, "?");
}
