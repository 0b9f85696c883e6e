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
import { entryOf, TRAIL_SEARCH_MAX } from "../../trail_chain.ts";
import type { Writer } from "../journal/writer.ts";
import { read } from "../read.ts";
import { textOf, TRAIL_ENTRIES, TRAIL_HEAD } from "../rows.ts";

/**
 * The audit log in Deno KV: a row for each entry, and one for the end, in one commit. Any commit may
 * add entries, by `note` of its stage.
 */
export class KvTrailStore implements TrailStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;

  constructor(kv: Deno.Kv, writer: Writer) {
    this.#kv = kv;
    this.#writer = writer;
  }

  append(draft: TrailDraft): Promise<TrailEntry> {
    return this.#writer.submit((stage) => stage.note(draft));
  }

  async page(
    { limit, before, ...filter }: TrailFilter & {
      readonly limit: number;
      readonly before?: number | undefined;
    },
  ): Promise<TrailPage> {
    const range = {
      start: TRAIL_ENTRIES,
      end: [...TRAIL_ENTRIES, before ?? Number.MAX_SAFE_INTEGER],
    };
    const rows = this.#kv.list<Uint8Array>(range, { reverse: true, limit: TRAIL_SEARCH_MAX });
    return await read(pageOf(rows, filter, limit));
  }

  async read(from: number, limit: number): Promise<readonly StoredTrailEntry[]> {
    const range = { prefix: TRAIL_ENTRIES, start: [...TRAIL_ENTRIES, from] };
    const rows = await read(Array.fromAsync(this.#kv.list<Uint8Array>(range, { limit })));
    return rows.map(({ value }) => stored(value));
  }

  async head(): Promise<TrailHead> {
    const { value } = await read(this.#kv.get<Uint8Array>(TRAIL_HEAD));
    return value === null ? EMPTY_TRAIL : JSON.parse(textOf(value)) as TrailHead;
  }

  /** Appends entries as they are, in one commit. */
  appendStored(entries: readonly StoredTrailEntry[]): Promise<void> {
    return this.#writer.submit((stage) => stage.noteStored(entries));
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
