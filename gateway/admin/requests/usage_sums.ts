import type { JournalEntry } from "../../domain/ledger/ledger.ts";
import { hasTag, valueOf } from "../../domain/requests/attribution.ts";
import { BoundedNames, type NamedGroup, type NameKind } from "../../domain/requests/named_sums.ts";
import { formatCredits, type Micros } from "../../domain/ledger/money.ts";

/** Beginning of a grouping by a tag. */
const TAG_GROUPING = "tag:";

/** The journal entry of a settled call. */
export type Settlement = Extract<JournalEntry, { op: "settle" }>;

/** Groups of usage; `tag:` is followed by the name of a tag. */
export type Grouping = "key" | "model" | "day" | "user" | `tag:${string}`;

/** Conditions on settlements; all present conditions must hold. */
export interface NameFilter {
  /** A tag, as `name=value`. */
  readonly tag?: string | undefined;
  readonly user?: string | undefined;
}

/** Usage of a group; amounts in credits, as decimal strings. */
export interface UsageRow {
  readonly group: string;
  readonly kind: NameKind;
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

/** Sums settlements by key, model, UTC day, user, or the value of a tag. */
export class UsageSums {
  readonly #by: Grouping;
  readonly #remembered: number;
  readonly #tag: string | undefined;
  readonly #filter: NameFilter;
  readonly #names = new BoundedNames();
  readonly #sums = new Map<string, { readonly group: NamedGroup; readonly sum: Sum }>();
  readonly #seen = new Set<string>();

  /**
   * A request's settlements are close together: the last `remembered` requests suffice to count
   * each once.
   */
  constructor(
    by: Grouping,
    { remembered = 100_000, ...filter }: NameFilter & { readonly remembered?: number } = {},
  ) {
    this.#by = by;
    this.#tag = by.startsWith(TAG_GROUPING) ? by.slice(TAG_GROUPING.length) : undefined;
    this.#filter = filter;
    this.#remembered = remembered;
  }

  /** Adds a settlement that meets the conditions. */
  add(entry: Settlement): void {
    const { tag, user } = this.#filter;
    if (tag !== undefined && !hasTag(entry.tags, tag)) return;
    if (user !== undefined && entry.user !== user) return;
    const group = this.#groupOf(entry);
    const key = `${group.kind} ${group.name}`;
    const { sum } = this.#sums.get(key) ?? { sum: emptySum() };
    this.#sums.set(key, { group, sum });
    sum.requests += this.#isFirstOf(entry.log, key) ? 1 : 0;
    sum.inputTokens += entry.inputTokens;
    sum.cachedInputTokens += entry.cachedInputTokens;
    sum.outputTokens += entry.outputTokens;
    sum.charged += entry.charged;
    sum.writtenOff += entry.writtenOff;
  }

  /** Returns days in order; all others by cost, highest first. */
  rows(): readonly UsageRow[] {
    const sums = [...this.#sums].sort(([a, { sum: first }], [b, { sum: second }]) =>
      this.#by === "day" || first.charged === second.charged
        ? (a < b ? -1 : 1)
        : (first.charged > second.charged ? -1 : 1)
    );
    return sums.map(([, { group: { name: group, kind }, sum }]) => ({
      group,
      kind,
      ...sum,
      charged: formatCredits(sum.charged),
      writtenOff: formatCredits(sum.writtenOff),
    }));
  }

  #groupOf(entry: Settlement): NamedGroup {
    const { at } = entry;
    if (this.#tag !== undefined) return this.#names.groupOf(valueOf(entry.tags, this.#tag), at);
    if (this.#by === "user") return this.#names.groupOf(entry.user, at);
    if (this.#by === "day") return named(new Date(at).toISOString().slice(0, 10));
    return named(this.#by === "key" ? entry.key : entry.model);
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

/** Returns a row as the answer has it, for groupings other than by key. */
export function usageRowJson(
  by: Exclude<Grouping, "key">,
  { group, kind, ...sum }: UsageRow,
) {
  if (by === "day") return { day: group, ...sum };
  if (by === "model") return { model: group, ...sum };
  return by === "user" ? { user: group, kind, ...sum } : { value: group, kind, ...sum };
}

function named(name: string): NamedGroup {
  return { name, kind: "named" };
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
