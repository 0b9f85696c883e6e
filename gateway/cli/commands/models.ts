import type { Command } from "../command.ts";
import { type Row, rowOf, rowsOf, textOf } from "../output/json_fields.ts";
import { amount, column, id, optional, table } from "../output/table.ts";

/** `svc models`. */
export const modelCommands: readonly Command[] = [
  {
    words: "models",
    summary: "List the models with the state of the pool",
    run: async ({ client }) => {
      const json = await client.get("/models");
      const empty = "The catalog has no models";
      const rows = rowsOf(json, "models");
      const columns = COLUMNS.filter((column) =>
        !IMAGE_PRICES.includes(column) || rows.some((row) => column.cell(row) !== "")
      );
      return { json, text: ({ width }) => table(columns, rows, { width, empty }) };
    },
  },
];

/** Prices of models that draw or see, shown only if a model has them. */
const IMAGE_PRICES = [
  optional(price("$/IMAGE", "perImage")),
  optional(price("IMAGE IN $/MTOK", "imageInputPerMTok")),
];

const COLUMNS = [
  id("MODEL", "id"),
  optional(column("UPSTREAM", "upstream")),
  id("STATUS", "status"),
  optional(amount("IN FLIGHT", "inFlight")),
  { ...amount("LATENCY MS", "latencyMs"), cell: (row: Row) => wholeNumber(row.latencyMs) },
  optional(price("IN $/MTOK", "inputPerMTok")),
  optional(price("OUT $/MTOK", "outputPerMTok")),
  ...IMAGE_PRICES,
  column("REASON", "reason"),
];

function price(title: string, field: string) {
  return { ...amount(title, field), cell: (row: Row) => textOf(rowOf(row, "price"), field) };
}

function wholeNumber(value: unknown): string {
  return typeof value === "number" ? String(Math.round(value)) : "";
}
