import type { AttemptOutcome } from "@svc/sdk/protocol";
import type { Clock } from "../ports/clock.ts";

/** How far back attempts are counted, in minutes: the current one, and those before it. */
export const RECENT_MINUTES = 15;
const MINUTE_MS = 60_000;

/** What the attempts of the last minutes came to. */
export interface RecentCounts {
  readonly attempts: number;
  /** Those that the upstream failed: not what a caller left, nor input that it refused. */
  readonly failures: number;
  /** Failures after which another model was asked. */
  readonly failovers: number;
}

/** An attempt as it was reported. */
interface Reported {
  readonly upstream: string;
  readonly outcome: AttemptOutcome;
  /** It was reported before, as begun, and has broken off. */
  readonly hadBegun: boolean;
}

interface Minute {
  readonly number: number;
  readonly counts: Map<string, { -readonly [Name in keyof RecentCounts]: number }>;
}

/** Attempts of the last minutes, by upstream: how an upstream is doing, beside how it stands now. */
export class RecentAttempts {
  readonly #clock: Clock;
  /** Oldest first. */
  #minutes: Minute[] = [];

  /** Counts nothing yet. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts an attempt, and once more where its answer broke off. */
  note({ upstream, outcome, hadBegun }: Reported): void {
    const count = this.#countOf(upstream);
    if (!hadBegun) count.attempts++;
    if (isFailure(outcome)) count.failures++;
  }

  /** Counts a failure after which another model is asked. */
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
