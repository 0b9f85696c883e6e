import type { z } from "zod";
import type { exportEndAnswer } from "../../../admin_api/answers/ledger.ts";
import type { AnswerLine } from "../../admin_client.ts";
import type { Call, Output } from "../../command.ts";
import { csvLine } from "../../../system/csv.ts";
import { CliFailure, UsageError } from "../../failures.ts";
import { textOf } from "../../output/field_text.ts";
import { timeRange } from "../../output/local_time.ts";
import { progressBar } from "../../output/progress_bar.ts";
import { facts } from "../../output/table.ts";

/** A file format of exports. */
interface Format {
  readonly before: string;
  /** Formats an entry, or the end line, which may have no output. */
  line(line: AnswerLine<ExportLine>, isFirst: boolean): string;
  readonly after: string;
}

/**
 * Columns of the table: every field of an entry, so that nothing is omitted. Amounts are credits:
 * `change` of the available credits, `cost` of a call in flight, which moves none.
 */
export const COLUMNS = [
  ...["place", "segment", "at", "kind", "wallet", "change", "amount", "held", "charged"] as const,
  ...["writtenOff", "cost", "id", "key", "budget", "budgets", "log", "model"] as const,
  ...[
    "priceVersion",
    "inputTokens",
    "cachedInputTokens",
    "outputTokens",
    "estimated",
    "recovered",
  ] as const,
  ...["tier", "note", "reason", "user", "tags"] as const,
  // Of corrections.
  ...["expected", "counted", "before", "moved", "from"] as const,
];
const KNOWN: ReadonlySet<string> = new Set(COLUMNS);

const FORMATS: Readonly<Record<string, Format>> = {
  ndjson: { before: "", line: ({ text }) => `${text}\n`, after: "" },
  json: {
    before: "[",
    line: ({ text }, isFirst) => `${isFirst ? "\n" : ",\n"}${text}`,
    after: "\n]\n",
  },
  // One line per entry and no other line: the sum of a column is the sum of the journal.
  csv: {
    before: csvLine(COLUMNS),
    line: ({ value }) => value.kind === "end" ? "" : csvRow(value),
    after: "",
  },
};

/** Destination of an export. */
interface Sink {
  write(text: string): void;
}

/** The last line of an export. */
type Ending = Readonly<z.output<typeof exportEndAnswer>>;

/** A line of an export: an entry of any kind, or the end. */
type ExportLine = Ending | { readonly kind: string; readonly place: number };

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
  const { headers, lines } = await call.client.stream<"GET /ledger/export", ExportLine>(
    "GET /ledger/export",
    { query },
  );
  const total = Number(headers.get("x-ledger-entries") ?? 0);
  // A bar in the middle of the printed journal would be unreadable.
  const quiet = call.has("json") || (call.option("output") === undefined && call.io.isTerminal);
  const bar = progressBar(call.io, { label: "Exporting", quiet });
  let count = 0;
  let ending: Ending | undefined;
  try {
    sink.write(format.before);
    for await (const batch of lines) {
      let text = "";
      for (const line of batch) {
        text += format.line(line, count === 0 && text === "");
        if (isEnding(line.value)) ending = line.value;
        else count++;
      }
      sink.write(text);
      const last = batch.at(-1)?.value;
      bar.show(last === undefined || isEnding(last) ? total : last.place, total);
    }
  } finally {
    bar.end();
  }
  if (ending === undefined || ending.entries !== count) {
    throw new CliFailure("The export was interrupted before its end: run it again");
  }
  sink.write(format.after);
  return ending;
}

function summaryOf(ending: Ending, file: { path: string; format: string }): Output {
  const { entries, journal } = ending;
  return {
    json: { file: file.path, format: file.format, entries, journal },
    text: () =>
      facts([
        ["file", file.path],
        ["entries", String(entries)],
        ["of", String(journal.entries)],
        ["head", journal.head],
      ]),
  };
}

function isEnding(line: ExportLine): line is Ending {
  return line.kind === "end";
}

function csvRow(row: object): string {
  const other = Object.keys(row).find((name) => !KNOWN.has(name));
  if (other !== undefined) {
    throw new CliFailure(
      `The table has no column "${other}", which a later gateway added: export it as ndjson`,
    );
  }
  return csvLine(COLUMNS.map((name) => textOf(Reflect.get(row, name))));
}
