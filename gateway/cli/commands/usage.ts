import type { Command } from "../command.ts";
import { rowsOf, textOf } from "../output/json_fields.ts";
import { timeRange } from "../output/local_time.ts";
import { amount, column, id, optional, table } from "../output/table.ts";

/** `svc usage`. */
export const usageCommands: readonly Command[] = [
  {
    words: "usage",
    options: ["by", "since", "until"],
    summary: "Sum tokens and credits by key, model or day",
    run: async (call) => {
      const json = await call.client.get("/usage", { by: call.option("by"), ...timeRange(call) });
      const by = textOf(json, "by");
      const columns = [
        id(by.toUpperCase(), by),
        ...by === "key" ? [column("NAME", "name")] : [],
        amount("REQUESTS", "requests"),
        amount("INPUT", "inputTokens"),
        optional(amount("CACHED", "cachedInputTokens")),
        amount("OUTPUT", "outputTokens"),
        amount("CHARGED", "charged"),
        optional(amount("WRITTEN OFF", "writtenOff")),
      ];
      const empty = "No usage in this time";
      return { json, text: ({ width }) => table(columns, rowsOf(json, "usage"), { width, empty }) };
    },
  },
];
