import type { JournalEntry } from "../../domain/ledger/ledger.ts";
import { formatCredits, type Micros } from "../../domain/ledger/money.ts";

/** The journal entry of a settled call. */
export type Settlement = Extract<JournalEntry, { op: "settle" }>;

/** Groups of usage. */
export type Grouping = "key" | "model" | "day";

/** Usage of a key, a model or a day; amounts in credits, as decimal strings. */
export interface UsageRow {
  readonly group: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly charged: string;
  readonly writtenOff: string;
}

interface Sum {
  requests: number;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  charged: Micros;
  writtenOff: Micros;
}

/** Sums settlements by key, model or UTC day. */
export class UsageSums {
  readonly #by: Grouping;
  readonly #remembered: number;
  readonly #sums = new Map<string, Sum>();
  readonly #seen = new Set<string>();

  /**
   * A request's settlements are close together: the last `remembered` requests suffice to count
   * each once.
   */
  constructor(by: Grouping, options: { remembered: number } = { remembered: 100_000 }) {
    this.#by = by;
    this.#remembered = options.remembered;
  }

  /** Adds a settlement. */
  add(entry: Settlement): void {
    const group = this.#groupOf(entry);
    const sum = this.#sums.get(group) ?? emptySum();
    this.#sums.set(group, sum);
    sum.requests += this.#isFirstOf(entry.log, group) ? 1 : 0;
    sum.inputTokens += entry.inputTokens;
    sum.cachedInputTokens += entry.cachedInputTokens;
    sum.outputTokens += entry.outputTokens;
    sum.charged += entry.charged;
    sum.writtenOff += entry.writtenOff;
  }

  /** Returns days in order; keys and models by cost, highest first. */
  rows(): readonly UsageRow[] {
    const sums = [...this.#sums].sort(([a, first], [b, second]) =>
      this.#by === "day" || first.charged === second.charged
        ? (a < b ? -1 : 1)
        : (first.charged > second.charged ? -1 : 1)
    );
    return sums.map(([group, sum]) => ({
      group,
      ...sum,
      charged: formatCredits(sum.charged),
      writtenOff: formatCredits(sum.writtenOff),
    }));
  }

  #groupOf(entry: Settlement): string {
    return this.#by === "day" ? new Date(entry.at).toISOString().slice(0, 10) : entry[this.#by];
  }

  /** Returns true for the first settlement of a request in a group: a request counts once there. */
  #isFirstOf(log: string, group: string): boolean {
    const mark = `${log} ${group}`;
    if (this.#seen.has(mark)) return false;
    this.#seen.add(mark);
    if (this.#seen.size > this.#remembered) {
      for (const oldest of this.#seen.keys().take(1)) this.#seen.delete(oldest);
    }
    return true;
  }
}

function emptySum(): Sum {
  return {
    requests: 0,
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
    charged: 0n,
    writtenOff: 0n,
  };
}
