import { isJsonObject } from "@svc/sdk/protocol";
import type { Call, Command, Output } from "../../command.ts";
import { CliFailure } from "../../failures.ts";
import { type Row, rowOf, textOf } from "../../output/json_fields.ts";
import { exportLedger } from "./ledger_export.ts";
import { progressBar } from "../../output/progress_bar.ts";
import { facts, printable } from "../../output/table.ts";

/** `svc ledger …`. */
export const ledgerCommands: readonly Command[] = [
  {
    words: "ledger verify",
    summary: "Recompute every balance from the journal and compare",
    run: verify,
  },
  {
    words: "ledger export",
    options: ["since", "until", "wallet", "format", "output", "force"],
    summary: "Write the journal down, to check it elsewhere",
    meanings: { wallet: "Only entries of this wallet" },
    run: exportLedger,
  },
];

async function verify(call: Call): Promise<Output> {
  const json = await resultOf(call);
  const problems = Array.isArray(json.problems) ? json.problems.map(String) : [];
  const more = Number(json.moreProblems ?? 0);
  return {
    json,
    text: () =>
      facts([
        ["entries", textOf(json, "entries")],
        ["segments", textOf(json, "segments")],
        ["head", textOf(json, "head")],
        ["wallets", textOf(json, "wallets")],
        ["keys", textOf(json, "keys")],
        ["open holds", textOf(json, "openHolds")],
        ["problems", String(problems.length + more)],
      ]) + problems.map((problem) => `${printable(problem)}\n`).join("") +
      (more === 0 ? "" : `and ${more} more\n`),
    failure: json.ok === true ? undefined : "The books are wrong",
  };
}

async function resultOf(call: Call): Promise<Row> {
  const { lines } = await call.client.stream("/ledger/verify");
  const bar = progressBar(call.io, { label: "Verifying", quiet: call.has("json") });
  try {
    for await (const batch of lines) {
      for (const { row } of batch) {
        if (isJsonObject(row.result)) return row.result;
        const progress = rowOf(row, "progress");
        bar.show(Number(progress.entries ?? 0), Number(progress.total ?? 0));
      }
    }
  } finally {
    bar.end();
  }
  throw new CliFailure("The verification was cut off: run it again");
}
