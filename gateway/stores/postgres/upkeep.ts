import type { PostgresLedger } from "./ledger/ledger.ts";
import type { PostgresRequestLog } from "./log/request_log.ts";
import type { PostgresBlobs } from "./values/blobs.ts";
import type { PostgresResponses } from "./values/responses.ts";

/** Time between two rounds, in milliseconds. */
const ROUND_MS = 1_000;
/** Rounds between two deletions of expired values, and between two counts of wallets. */
const SWEEP_ROUNDS = 60;

/** The stores that need work now and then. */
interface Kept {
  readonly ledger: Pick<PostgresLedger, "count">;
  readonly log: Pick<PostgresRequestLog, "tick">;
  readonly blobs: Pick<PostgresBlobs, "sweep">;
  readonly responses: Pick<PostgresResponses, "sweep">;
}

/**
 * Sums of the log, deletion of what has expired, and counts, each second or minute on every instance.
 * A failure is reported, and the work is tried again in its next round.
 */
export class Upkeep {
  readonly #kept: Kept;
  readonly #onError: (error: unknown) => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #round = 0;
  #working: Promise<void> | undefined;

  constructor(kept: Kept, onError: (error: unknown) => void = () => {}) {
    this.#kept = kept;
    this.#onError = onError;
    this.#timer = setInterval(() => {
      this.#working ??= this.#work().finally(() => this.#working = undefined);
    }, ROUND_MS);
  }

  /** Resolves when the last round is over. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
  }

  async #work(): Promise<void> {
    const { ledger, log, blobs, responses } = this.#kept;
    const round = ++this.#round;
    try {
      await log.tick();
      if (round % SWEEP_ROUNDS > 0) return;
      // It reads an entry of the index for each wallet.
      await ledger.count();
      await blobs.sweep();
      await responses.sweep();
    } catch (error) {
      this.#onError(error);
    }
  }
}
