import { z } from "zod";
import type { JournalEntry } from "../domain/ledger.ts";
import { formatCredits, type Micros } from "../domain/money.ts";
import type { AdminApp, AdminContext, AdminDeps } from "./deps.ts";
import { readQuery } from "./request_query.ts";
import { resource } from "./resource.ts";

type Settlement = Extract<JournalEntry, { op: "settle" }>;
type Grouping = "key" | "model" | "day";

/** A request's settlements lie close together: as many requests are remembered, not more. */
const REMEMBERED_REQUESTS = 100_000;

/** `/usage`: tokens and credits, summed from the journal. */
export function serveUsage(app: AdminApp, deps: AdminDeps): void {
  resource(app, "/usage", { GET: (context) => showUsage(context, deps) });
}

async function showUsage(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const { by, since, until } = readQuery(context, deps, ({ time }) => ({
    by: z.enum(["key", "model", "day"]).default("day"),
    since: time,
    until: time,
  }));
  const sums = new UsageSums(by);
  for await (const entry of deps.ledger.entries(since === undefined ? {} : { sinceMs: since })) {
    if (entry.op === "settle" && entry.at >= (since ?? 0) && entry.at <= (until ?? Infinity)) {
      sums.add(entry);
    }
  }
  const names = by === "key" ? await keyNames(deps) : new Map<string, string>();
  const usage = sums.rows().map(({ group, ...sum }) => {
    const name = names.get(group);
    return { [by]: group, ...name === undefined ? {} : { name }, ...sum };
  });
  return context.json({ by, usage });
}

async function keyNames(deps: AdminDeps): Promise<Map<string, string>> {
  return new Map((await deps.keys.list()).map((key) => [key.id, key.name]));
}

interface Sum {
  requests: number;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  charged: Micros;
  writtenOff: Micros;
}

class UsageSums {
  readonly #by: Grouping;
  readonly #sums = new Map<string, Sum>();
  readonly #seen = new Set<string>();

  constructor(by: Grouping) {
    this.#by = by;
  }

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
  rows() {
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
    if (this.#seen.size > REMEMBERED_REQUESTS) {
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
