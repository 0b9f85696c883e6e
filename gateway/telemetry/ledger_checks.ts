import type { Clock } from "../ports/clock.ts";
import type { Verification, VerificationStep } from "../ports/ledger_store.ts";

/** Remembers what the last check of the books came to. */
export class LedgerChecks {
  readonly #clock: Clock;
  #last: { readonly result: Verification; readonly atMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The last check that came to its end; `undefined` before any. */
  get last(): { readonly result: Verification; readonly atMs: number } | undefined {
    return this.#last;
  }

  /** Hands the steps of a check on, and looks at its result. */
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
