import type { AttemptOutcome } from "@svc/sdk/protocol";
import type { Clock } from "../ports/clock.ts";

/** Number of minutes in which attempts are counted, the current one included. */
export const RECENT_MINUTES = 15;
const MINUTE_MS = 60_000;

/** Counts of the attempts in the last minutes. */
export interface RecentCounts {
  readonly attempts: number;
  /** Failures of the upstream: without cancelled calls, and without input that it refused. */
  readonly failures: number;
  /** Failures that led to a call of another model. */
  readonly failovers: number;
}

/** A reported attempt. */
interface Reported {
  readonly upstream: string;
  readonly outcome: AttemptOutcome;
  /** True when the attempt was reported before, at its start, and has broken off. */
  readonly hadBegun: boolean;
}

interface Minute {
  readonly number: number;
  readonly counts: Map<string, { -readonly [Name in keyof RecentCounts]: number }>;
}

/** Counts of attempts in the last minutes, by upstream. */
export class RecentAttempts {
  readonly #clock: Clock;
  /** Oldest first. */
  #minutes: Minute[] = [];

  /** Counts nothing yet. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts an attempt, and once more if its answer broke off. */
  note({ upstream, outcome, hadBegun }: Reported): void {
    const count = this.#countOf(upstream);
    if (!hadBegun) count.attempts++;
    if (isFailure(outcome)) count.failures++;
  }

  /** Counts a failure after which another model is called. */
  failedOver(upstream: string): void {
    this.#countOf(upstream).failovers++;
  }

  /** Counts of one upstream. */
  of(upstream: string): RecentCounts {
    const oldest = this.#minuteNow() - RECENT_MINUTES;
    const sum = noCounts();
    for (const { number, counts } of this.#minutes) {
      const count = number > oldest ? counts.get(upstream) : undefined;
      sum.attempts += count?.attempts ?? 0;
      sum.failures += count?.failures ?? 0;
      sum.failovers += count?.failovers ?? 0;
    }
    return sum;
  }

  #countOf(upstream: string) {
    const { counts } = this.#current();
    const count = counts.get(upstream) ?? noCounts();
    counts.set(upstream, count);
    return count;
  }

  #current(): Minute {
    const number = this.#minuteNow();
    const last = this.#minutes.at(-1);
    if (last?.number === number) return last;
    const minute = { number, counts: new Map() };
    this.#minutes = [...this.#minutes.slice(1 - RECENT_MINUTES), minute];
    return minute;
  }

  #minuteNow(): number {
    return Math.floor(this.#clock.monotonicMs() / MINUTE_MS);
  }
}

function noCounts() {
  return { attempts: 0, failures: 0, failovers: 0 };
}

function isFailure(outcome: AttemptOutcome): boolean {
  return outcome !== "ok" && outcome !== "cancelled" && outcome !== "refused_input";
}
