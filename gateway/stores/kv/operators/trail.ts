import {
  EMPTY_TRAIL,
  meets,
  type StoredTrailEntry,
  type TrailDraft,
  type TrailEntry,
  type TrailFilter,
  type TrailHead,
} from "../../../domain/operators/trail.ts";
import type { TrailPage, TrailStore } from "../../../ports/trail_store.ts";
import { endAfter, entryOf, linked, TRAIL_SEARCH_MAX } from "../../trail_chain.ts";
import type { Writer } from "../journal/writer.ts";
import { Mutex } from "../mutex.ts";
import { read } from "../read.ts";
import { jsonRow, type Row, textOf } from "../rows.ts";

const ENTRIES: Deno.KvKey = ["audit_trail"];
const HEAD: Deno.KvKey = ["audit_trail_head"];

/** The audit log in Deno KV: a row for each entry, and one for the end, in one commit. */
export class KvTrailStore implements TrailStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #mutex = new Mutex();
  /** End of the chain; absent until it is read, and after a failed commit. */
  #head: TrailHead | undefined;

  constructor(kv: Deno.Kv, writer: Writer) {
    this.#kv = kv;
    this.#writer = writer;
  }

  append(draft: TrailDraft): Promise<TrailEntry> {
    return this.#mutex.run(() => this.#append(draft, []));
  }

  /**
   * Appends an entry with other rows in one commit. `rows` is called when no other change is in
   * progress; where it returns nothing, nothing is stored.
   */
  appendWith(
    draft: TrailDraft,
    rows: () => Promise<readonly Row[] | undefined>,
  ): Promise<TrailEntry | undefined> {
    return this.#mutex.run(async () => {
      const others = await rows();
      return others && await this.#append(draft, others);
    });
  }

  /**
   * Runs work while no other entry is appended. `rowsOf` returns the rows of an entry, which the work
   * writes in the commit of its own change, at most once.
   */
  withEntry<T>(
    work: (rowsOf: (draft: TrailDraft) => readonly Row[]) => Promise<T>,
  ): Promise<T> {
    return this.#mutex.run(async () => {
      const end = this.#head ?? await this.head();
      this.#head = undefined;
      return await work((draft) => {
        const { entry, stored, head } = linked(end, draft);
        return [jsonRow([...ENTRIES, entry.place], stored), jsonRow(HEAD, head)];
      });
    });
  }

  async page(
    { limit, before, ...filter }: TrailFilter & {
      readonly limit: number;
      readonly before?: number | undefined;
    },
  ): Promise<TrailPage> {
    const range = {
      start: ENTRIES,
      end: [...ENTRIES, before ?? Number.MAX_SAFE_INTEGER],
    };
    const rows = this.#kv.list<Uint8Array>(range, { reverse: true, limit: TRAIL_SEARCH_MAX });
    return await read(pageOf(rows, filter, limit));
  }

  async read(from: number, limit: number): Promise<readonly StoredTrailEntry[]> {
    const range = { prefix: ENTRIES, start: [...ENTRIES, from] };
    const rows = await read(Array.fromAsync(this.#kv.list<Uint8Array>(range, { limit })));
    return rows.map(({ value }) => stored(value));
  }

  async head(): Promise<TrailHead> {
    const { value } = await read(this.#kv.get<Uint8Array>(HEAD));
    return value === null ? EMPTY_TRAIL : JSON.parse(textOf(value)) as TrailHead;
  }

  /** Appends entries as they are, in one commit. */
  appendStored(entries: readonly StoredTrailEntry[]): Promise<void> {
    return this.#mutex.run(async () => {
      const before = this.#head ?? await this.head();
      const head = endAfter(before, entries);
      this.#head = undefined;
      await this.#writer.write([
        ...entries.map((entry, at) => jsonRow([...ENTRIES, before.place + 1 + at], entry)),
        jsonRow(HEAD, head),
      ]);
      this.#head = head;
    });
  }

  async #append(draft: TrailDraft, rows: readonly Row[]): Promise<TrailEntry> {
    const { entry, stored, head } = linked(this.#head ?? await this.head(), draft);
    // Read again unless the commit succeeds: one in doubt may have landed.
    this.#head = undefined;
    await this.#writer.write([
      ...rows,
      jsonRow([...ENTRIES, entry.place], stored),
      jsonRow(HEAD, head),
    ]);
    this.#head = head;
    return entry;
  }
}

async function pageOf(
  rows: AsyncIterable<Deno.KvEntry<Uint8Array>>,
  filter: TrailFilter,
  limit: number,
): Promise<TrailPage> {
  const entries: TrailEntry[] = [];
  let last = 1;
  for await (const { value } of rows) {
    const entry = entryOf(stored(value));
    last = entry.place;
    if (meets(entry, filter)) entries.push(entry);
    if (entries.length === limit) break;
  }
  return { entries, before: last > 1 ? last : undefined };
}

function stored(value: Uint8Array): StoredTrailEntry {
  return JSON.parse(textOf(value)) as StoredTrailEntry;
}
