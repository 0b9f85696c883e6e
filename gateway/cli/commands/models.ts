import type { AnswerOf } from "../../admin_api/operations.ts";
import type { Command } from "../command.ts";
import { amount, type Column, column, id, optional, table } from "../output/table.ts";

type Model = AnswerOf<"GET /models">["models"][number];

/** `svc models`. */
export const modelCommands: readonly Command[] = [
  {
    words: "models",
    summary: "List the models with the state of the pool",
    run: async ({ client }) => {
      const json = await client.call("GET /models");
      const empty = "The catalog has no models";
      const columns = COLUMNS.filter((column) =>
        !IMAGE_PRICES.includes(column) || json.models.some((model) => column.cell(model) !== "")
      );
      return { json, text: ({ width }) => table(columns, json.models, { width, empty }) };
    },
  },
];

/** Prices of models that draw or see, shown only if a model has them. */
const IMAGE_PRICES = [
  optional(price("$/IMAGE", "perImage")),
  optional(price("IMAGE IN $/MTOK", "imageInputPerMTok")),
];

const COLUMNS: readonly Column<Model>[] = [
  id("MODEL", "id"),
  optional(column("UPSTREAM", "upstream")),
  id("STATUS", "status"),
  optional(amount("IN FLIGHT", "inFlight")),
  { ...amount("LATENCY MS", "latencyMs"), cell: ({ latencyMs }) => wholeNumber(latencyMs) },
  optional(price("IN $/MTOK", "inputPerMTok")),
  optional(price("OUT $/MTOK", "outputPerMTok")),
  ...IMAGE_PRICES,
  column("REASON", "reason"),
];

function price(title: string, field: keyof Model["price"]): Column<Model> {
  return { title, cell: ({ price }) => price[field] ?? "", kind: "amount" };
}

function wholeNumber(value: number | null): string {
  return value === null ? "" : String(Math.round(value));
}
