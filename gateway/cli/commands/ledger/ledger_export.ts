import type { AnswerLine } from "../../admin_client.ts";
import type { Call, Output } from "../../command.ts";
import { csvLine } from "../../../system/csv.ts";
import { CliFailure, UsageError } from "../../failures.ts";
import { type Row, rowOf, textOf } from "../../output/json_fields.ts";
import { timeRange } from "../../output/local_time.ts";
import { progressBar } from "../../output/progress_bar.ts";
import { facts } from "../../output/table.ts";

/** How lines become a file. */
interface Format {
  readonly before: string;
  /** Of an entry, and of the end: that one may have none. */
  line(line: AnswerLine, isFirst: boolean): string;
  readonly after: string;
}

/**
 * Columns of the table: every field that an entry can have, so that nothing is left out. Amounts are
 * credits: `change` of what is available, `cost` of a call that is under way, which moves none.
 */
export const COLUMNS = [
  ...["place", "segment", "at", "kind", "wallet", "change", "amount", "held", "charged"] as const,
  ...["writtenOff", "cost", "id", "key", "budget", "log", "model", "priceVersion"] as const,
  ...["inputTokens", "cachedInputTokens", "outputTokens", "estimated", "recovered"] as const,
  ...["tier", "note", "reason"] as const,
];
const KNOWN: ReadonlySet<string> = new Set(COLUMNS);

const FORMATS: Readonly<Record<string, Format>> = {
  ndjson: { before: "", line: ({ text }) => `${text}\n`, after: "" },
  json: {
    before: "[",
    line: ({ text }, isFirst) => `${isFirst ? "\n" : ",\n"}${text}`,
    after: "\n]\n",
  },
  // A line for each entry and for nothing else: who adds up a column adds up the journal.
  csv: {
    before: csvLine(COLUMNS),
    line: ({ row }) => row.kind === "end" ? "" : csvRow(row),
    after: "",
  },
};

/** Where an export goes. */
interface Sink {
  write(text: string): void;
}

/** What the last line says. */
type Ending = Row;

/** `svc ledger export`: the journal, as a file or on standard output. */
export async function exportLedger(call: Call): Promise<Output | undefined> {
  const asJson = call.has("json");
  const path = call.option("output");
  const name = call.option("format") ?? (asJson && path === undefined ? "json" : "ndjson");
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (format === undefined) {
    throw new UsageError(`There is no format "${name}": choose ndjson, csv or json`);
  }
  if (path === undefined) {
    if (call.has("force")) throw new UsageError("--force replaces a file: name it by --output");
    if (asJson && name !== "json") {
      throw new UsageError(`--json prints a JSON document: give --output for --format ${name}`);
    }
    await copy(call, format, { write: (text) => call.io.stdout(text) });
    return undefined;
  }
  const file = await call.io.createFile(path, { force: call.has("force") });
  try {
    const ending = await copy(call, format, file);
    await file.finish();
    return summaryOf(ending, { path, format: name });
  } finally {
    await file.discard();
  }
}

async function copy(call: Call, format: Format, sink: Sink): Promise<Ending> {
  const query = { ...timeRange(call), wallet: call.option("wallet") };
  const { headers, lines } = await call.client.stream("/ledger/export", query);
  const total = Number(headers.get("x-ledger-entries") ?? 0);
  // A bar in the midst of what is shown would help nobody.
  const quiet = call.has("json") || (call.option("output") === undefined && call.io.isTerminal);
  const bar = progressBar(call.io, { label: "Exporting", quiet });
  let written = 0;
  let ending: Ending | undefined;
  try {
    sink.write(format.before);
    for await (const batch of lines) {
      let text = "";
      for (const line of batch) {
        text += format.line(line, written === 0 && text === "");
        if (line.row.kind === "end") ending = line.row;
        else written++;
      }
      sink.write(text);
      bar.show(Number(batch.at(-1)?.row.place ?? total), total);
    }
  } finally {
    bar.end();
  }
  if (ending === undefined || ending.entries !== written) {
    throw new CliFailure("The export was cut off before its end: run it again");
  }
  sink.write(format.after);
  return ending;
}

function summaryOf(ending: Ending, file: { path: string; format: string }): Output {
  const journal = rowOf(ending, "journal");
  return {
    json: { file: file.path, format: file.format, entries: ending.entries, journal },
    text: () =>
      facts([
        ["file", file.path],
        ["entries", textOf(ending, "entries")],
        ["of", textOf(journal, "entries")],
        ["head", textOf(journal, "head")],
      ]),
  };
}

function csvRow(row: Row): string {
  const other = Object.keys(row).find((name) => !KNOWN.has(name));
  if (other !== undefined) {
    throw new CliFailure(
      `The table has no column "${other}", which a later gateway writes: export it as ndjson`,
    );
  }
  return csvLine(COLUMNS.map((name) => textOf(row, name)));
}
