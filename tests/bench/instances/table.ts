import type { Finding } from "../marks.ts";
import type { Counts } from "./statements.ts";

/** Medians of one side. */
interface Medians {
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly gatewayMicros: number;
  readonly serverMicros: number;
}

/** A gateway on a file, or some instances on a database. */
export interface Side {
  readonly name: string;
  readonly loaded: Medians;
  /** With one caller; absent where it was not measured. */
  readonly alone: Medians | undefined;
}

/** Returns the figures as a table for the documentation: a column for each side. */
export function figures(sides: readonly Side[], counts: readonly Counts[]): string {
  const row = (name: string, read: (side: Side, at: number) => string) => [
    name,
    ...sides.map(read),
  ];
  const one = counts.find(({ callers }) => callers === 1);
  const many = counts.find(({ callers }) => callers > 1);
  const onlyOne = (text: string | undefined) => (_: Side, at: number) => at === 1 ? text ?? "" : "";
  const rows = [
    row("", ({ name }) => name),
    row("requests a second", ({ loaded }) => loaded.rate.toFixed(0)),
    row("p50, ms", ({ loaded }) => loaded.p50Ms.toFixed(1)),
    row("p99, ms", ({ loaded }) => loaded.p99Ms.toFixed(1)),
    row("CPU a request, gateways, us", ({ loaded }) => loaded.gatewayMicros.toFixed(0)),
    row(
      "CPU a request, PostgreSQL, us",
      ({ loaded }, at) => at === 0 ? "" : loaded.serverMicros.toFixed(0),
    ),
    row("one caller: p50, ms", ({ alone }) => alone?.p50Ms.toFixed(2) ?? ""),
    row("one caller: p99, ms", ({ alone }) => alone?.p99Ms.toFixed(2) ?? ""),
    row("statements a request", onlyOne(many?.statements.toFixed(2))),
    row("round trips a request", onlyOne(many?.roundTrips.toFixed(2))),
    row("one caller: statements a request", onlyOne(one?.statements.toFixed(1))),
    row("one caller: round trips a request", onlyOne(one?.roundTrips.toFixed(1))),
  ];
  const [head = [], ...body] = rows.map((cells) => `| ${cells.join(" | ")} |`);
  return [head, `| --- |${" --- |".repeat(sides.length)}`, ...body].join("\n");
}

/** Returns the figures as rows of the report, without marks: they belong to a machine. */
export function instancesFindings(sides: readonly Side[], counts: readonly Counts[]): Finding[] {
  const plain = (name: string, measured: string): Finding => ({
    ...{ name: `PostgreSQL, ${name}`, measured, mark: "none", met: undefined },
  });
  const [file, ...others] = sides;
  if (file === undefined) return [];
  const [first] = others;
  const added = (read: (medians: Medians) => number) =>
    first?.alone === undefined || file.alone === undefined
      ? "not measured"
      : `${(read(first.alone) - read(file.alone)).toFixed(2)} ms`;
  return [
    ...others.flatMap(({ name, loaded }) => [
      plain(
        `${name}: requests a second / a file`,
        `${loaded.rate.toFixed(0)} / ${file.loaded.rate.toFixed(0)} = ` +
          (loaded.rate / file.loaded.rate).toFixed(2),
      ),
      plain(
        `${name}: CPU a request`,
        `${loaded.gatewayMicros.toFixed(0)} us of gateways (a file: ` +
          `${file.loaded.gatewayMicros.toFixed(0)}), ${
            loaded.serverMicros.toFixed(0)
          } us of PostgreSQL`,
      ),
    ]),
    plain("added to one caller's request, p50", added(({ p50Ms }) => p50Ms)),
    plain("added to one caller's request, p99", added(({ p99Ms }) => p99Ms)),
    ...counts.map(({ callers, statements, roundTrips }) =>
      plain(
        `1 instance, ${callers} callers: of a request`,
        `${statements.toFixed(2)} statements, ${roundTrips.toFixed(2)} round trips`,
      )
    ),
  ];
}
