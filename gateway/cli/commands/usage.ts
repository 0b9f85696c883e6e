import { nextPage } from "./wallets.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import type { Command } from "../command.ts";
import { timeRange } from "../output/local_time.ts";
import { amount, type Column, column, id, optional, table } from "../output/table.ts";

type Usage = AnswerOf<"GET /usage">["usage"][number];

/** The column of the groups. Sums of calls without a name, and of all further names, are marked. */
function groupColumn(by: AnswerOf<"GET /usage">["by"]): Column<Usage> {
  if (by === "key" || by === "model" || by === "day") return id(by.toUpperCase(), by);
  const cell = (row: Usage) => {
    if (!("kind" in row)) return "";
    if (row.kind !== "named") return `(${row.kind})`;
    return "user" in row ? row.user : row.value;
  };
  return { title: by === "user" ? "USER" : by, cell, kind: "id" };
}

/** `svc usage`. */
export const usageCommands: readonly Command[] = [
  {
    words: "usage",
    options: ["by", "tag", "user", "since", "until", "limit", "cursor"],
    summary: "Sum tokens and credits by key, model, day, user or tag",
    run: async (call) => {
      const query = {
        by: call.option("by"),
        tag: call.option("tag"),
        user: call.option("user"),
        ...timeRange(call),
        limit: call.option("limit"),
        cursor: call.option("cursor"),
      };
      const json = await call.client.call("GET /usage", { query });
      const { by, usage } = json;
      const columns: readonly Column<Usage>[] = [
        groupColumn(by),
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
