import type { Command } from "./command.ts";
import { rowsOf, textOf } from "./json_fields.ts";
import { amount, column, table } from "./table.ts";

/** `svc usage`. */
export const usageCommands: readonly Command[] = [
  {
    words: "usage",
    operands: [],
    required: [],
    options: ["by", "since", "until"],
    summary: "Sum tokens and credits by key, model or day",
    run: async ({ client, option }) => {
      const json = await client.get("/usage", {
        by: option("by"),
        since: option("since"),
        until: option("until"),
      });
      const by = textOf(json, "by");
      const columns = [
        column(by.toUpperCase(), by),
        ...by === "key" ? [column("NAME", "name")] : [],
        amount("REQUESTS", "requests"),
        amount("INPUT", "inputTokens"),
        amount("CACHED", "cachedInputTokens"),
        amount("OUTPUT", "outputTokens"),
        amount("CHARGED", "charged"),
        amount("WRITTEN OFF", "writtenOff"),
      ];
      const empty = "No usage in this time";
      return { json, text: ({ width }) => table(columns, rowsOf(json, "usage"), { width, empty }) };
    },
  },
];
