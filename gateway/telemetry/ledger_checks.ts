import type { Clock } from "../ports/clock.ts";
import type { Verification, VerificationStep } from "../ports/ledger_store.ts";

/** Remembers the result of the last verification of the ledger. */
export class LedgerChecks {
  readonly #clock: Clock;
  #last: { readonly result: Verification; readonly atMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The last completed verification; `undefined` before any. */
  get last(): { readonly result: Verification; readonly atMs: number } | undefined {
    return this.#last;
  }

  /** Passes the steps of a verification on, and notes its result. */
  async *check(
    steps: AsyncGenerator<VerificationStep, void>,
  ): AsyncGenerator<VerificationStep, void> {
    for await (const step of steps) {
      if (step.result !== undefined) {
        this.#last = { result: step.result, atMs: this.#clock.nowMs() };
      }
      yield step;
    }
  }
}
