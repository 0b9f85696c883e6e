import type { Command } from "./command.ts";
import { textOf } from "./json_fields.ts";
import { facts } from "./table.ts";

/** `svc ledger …`. */
export const ledgerCommands: readonly Command[] = [
  {
    words: "ledger verify",
    operands: [],
    required: [],
    options: [],
    summary: "Recompute every balance from the journal and compare",
    run: async ({ client }) => {
      const json = await client.get("/ledger/verify");
      const problems = Array.isArray(json.problems) ? json.problems.map(String) : [];
      return {
        json,
        text: () =>
          facts([
            ["entries", textOf(json, "entries")],
            ["wallets", textOf(json, "wallets")],
            ["open holds", textOf(json, "openHolds")],
            ["problems", String(problems.length)],
          ]) + problems.map((problem) => `${problem}\n`).join(""),
        failure: json.ok === true ? undefined : "The books are wrong",
      };
    },
  },
];
