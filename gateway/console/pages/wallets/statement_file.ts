import { TextLineStream } from "@std/streams";
import { csvLine } from "../../../system/csv.ts";
import { queryFields } from "../../components/mod.ts";
import type { Feed } from "../../page.ts";

const COLUMNS = [
  "at",
  "kind",
  "change",
  "charged",
  "amount",
  "held",
  "model",
  "key",
  "log",
  "note",
];

/** A wallet's journal as a table of comma-separated values, oldest entry first; a cut one has no end line. */
export const statementFile: Feed = {
  path: "/feeds/wallets/:id/statement.csv",
  method: "GET",
  async answer(view) {
    const id = view.param("id");
    const query = queryFields(view, ["since", "until"]);
    query.set("wallet", id);
    const answer = await view.api.ask(`/ledger/export?${query}`, { signal: view.signal });
    if (!answer.ok || answer.body === null) return answer;
    const rows = answer.body.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream()).pipeThrough(csvRows());
    const name = id.replace(/[^A-Za-z0-9._-]/g, "_");
    return new Response(rows.pipeThrough(new TextEncoderStream()), {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": `attachment; filename="${name}.csv"`,
      },
    });
  },
};

/** Lines of JSON as lines of a table. */
function csvRows(): TransformStream<string, string> {
  return new TransformStream({
    start(controller) {
      controller.enqueue(csvLine(COLUMNS));
    },
    transform(line, controller) {
      if (line !== "") controller.enqueue(csvRow(line));
    },
  });
}

function csvRow(line: string): string {
  const row: Readonly<Record<string, unknown>> = JSON.parse(line);
  return csvLine(COLUMNS.map((name) => textOf(row[name])));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : value == null ? "" : JSON.stringify(value);
}
