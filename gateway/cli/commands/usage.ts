import { nextPage } from "./wallets.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import type { Command } from "../command.ts";
import { timeRange } from "../output/local_time.ts";
import { amount, type Column, column, id, optional, table } from "../output/table.ts";

type Usage = AnswerOf<"GET /usage">["usage"][number];

/** `svc usage`. */
export const usageCommands: readonly Command[] = [
  {
    words: "usage",
    options: ["by", "since", "until", "limit", "cursor"],
    summary: "Sum tokens and credits by key, model or day",
    run: async (call) => {
      const query = {
        by: call.option("by"),
        ...timeRange(call),
        limit: call.option("limit"),
        cursor: call.option("cursor"),
      };
      const json = await call.client.call("GET /usage", { query });
      const { by, usage } = json;
      const columns: readonly Column<Usage>[] = [
        id(by.toUpperCase(), by),
        ...by === "key" ? [column<Usage>("NAME", "name")] : [],
        amount("REQUESTS", "requests"),
        amount("INPUT", "inputTokens"),
        optional(amount("CACHED", "cachedInputTokens")),
        amount("OUTPUT", "outputTokens"),
        amount("CHARGED", "charged"),
        optional(amount("WRITTEN OFF", "writtenOff")),
      ];
      const empty = "No usage in this time";
      return {
        json,
        text: ({ width }) => table(columns, usage, { width, empty }) + nextPage(json),
      };
    },
  },
];
