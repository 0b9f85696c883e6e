import type { AnswerOf } from "../../../admin_api/operations.ts";
import type { Call, Command, Output } from "../../command.ts";
import { CliFailure } from "../../failures.ts";
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
    summary: "Export the journal, for a check elsewhere",
    meanings: { wallet: "Only entries of this wallet" },
    run: exportLedger,
  },
];

/** A line of a verification: its progress, or at last the result. */
interface VerificationLine {
  readonly progress?: { readonly entries: number; readonly total: number };
  readonly result?: AnswerOf<"GET /ledger/verify">;
}

async function verify(call: Call): Promise<Output> {
  const json = await resultOf(call);
  const { problems, moreProblems: more } = json;
  return {
    json,
    text: () =>
      facts([
        ["entries", String(json.entries)],
        ["segments", String(json.segments)],
        ["head", json.head],
        ["wallets", String(json.wallets)],
        ["keys", String(json.keys)],
        ["open holds", String(json.openHolds)],
        ["problems", String(problems.length + more)],
      ]) + problems.map((problem) => `${printable(problem)}\n`).join("") +
      (more === 0 ? "" : `and ${more} more\n`),
    failure: json.ok ? undefined : "The journal has errors",
  };
}

async function resultOf(call: Call): Promise<AnswerOf<"GET /ledger/verify">> {
  const stream = call.client.stream<"GET /ledger/verify", VerificationLine>("GET /ledger/verify");
  const { lines } = await stream;
  const bar = progressBar(call.io, { label: "Verifying", quiet: call.has("json") });
  try {
    for await (const batch of lines) {
      for (const { value: { result, progress } } of batch) {
        if (result !== undefined) return result;
        if (progress !== undefined) bar.show(progress.entries, progress.total);
      }
    }
  } finally {
    bar.end();
  }
  throw new CliFailure("The verification was interrupted: run it again");
}
