import type { JournalEntry } from "../../domain/ledger/ledger.ts";
import { formatCredits, type Micros } from "../../domain/ledger/money.ts";

/** A settled call in the journal. */
export type Settlement = Extract<JournalEntry, { op: "settle" }>;

/** What usage is summed by. */
export type Grouping = "key" | "model" | "day";

/** What a key, a model or a day came to; amounts in credits, as decimal strings. */
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

  /** A request's settlements lie close together: `remembered` requests are kept in mind, not more. */
  constructor(by: Grouping, options: { remembered: number } = { remembered: 100_000 }) {
    this.#by = by;
    this.#remembered = options.remembered;
  }

  /** Counts a settlement in. */
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

  /** Days in their order; keys and models by what they cost, dearest first. */
  rows(): readonly UsageRow[] {
    const sums = [...this.#sums].sort(([a, left], [b, right]) =>
      this.#by === "day" || left.charged === right.charged
        ? (a < b ? -1 : 1)
        : (left.charged > right.charged ? -1 : 1)
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

  /** A request may settle several calls; it counts once in each group. */
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
