/**
 * The ledger under contention: one wallet, 64 callers, on a file, beside the same work with one
 * commit an operation.
 *
 * @module
 */

import { type Finding, ledgerFindings, type LedgerRound } from "./marks.ts";
import { asTask, start } from "./process.ts";

/** The duration of a measurement, and its folder. */
export interface OneWallet {
  readonly folder: string;
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly say: (text: string) => void;
}

/** Rounds of either in turn, in a process of its own that has the service's flags. */
export async function oneWallet(options: OneWallet): Promise<Finding[]> {
  const { folder, rounds, roundSeconds, say } = options;
  const args = [folder, `${roundSeconds}`, `${rounds}`];
  await using ledger = start("tests/bench/one_wallet_process.ts", args, await asTask());
  const measured: LedgerRound[] = [];
  for (let round = 1; round <= rounds; round++) {
    const { grouped, single }: LedgerRound = JSON.parse(await ledger.line());
    measured.push({ grouped, single });
    const shown = [grouped, single].map(({ callsPerSecond, p50Ms, p99Ms }) =>
      `${callsPerSecond.toFixed(0)} a second, p50 ${p50Ms.toFixed(2)}, p99 ${p99Ms.toFixed(2)} ms`
    );
    say(`one wallet, round ${round} of ${rounds}: ${shown[0]}; one commit each: ${shown[1]}`);
  }
  // The books of both are recomputed from their journals.
  if (await ledger.line() !== "verified") throw new Error("The journal has errors");
  return ledgerFindings(measured);
}
