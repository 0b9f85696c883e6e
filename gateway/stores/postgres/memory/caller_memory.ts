/**
 * The memory for callers of all instances, in PostgreSQL.
 *
 * @module
 */

import {
  type CallerMemory,
  MEMORY_CAPACITY,
  type MemoryKind,
  type MemoryName,
} from "../../../ports/caller_memory.ts";
import { query, type Sql, type Transaction } from "../connection.ts";
import { textId } from "../text_id.ts";

interface Note extends MemoryName {
  readonly text: string;
  readonly size: number;
  /** Notes are numbered in their order. */
  readonly number: number;
}

/** Maximum entries, and their size, of one write. */
const WRITTEN_MAX = 500;
const WRITTEN_SIZE_MAX = 4 * 1024 * 1024;
/** Maximum size of entries that wait while the database is away; the oldest are dropped. */
const WAITING_SIZE_MAX = 16 * 1024 * 1024;
/** Size that every waiting entry counts at least. */
const ENTRY_SIZE_MIN = 200;
/** Time between two attempts to write, in milliseconds. */
const RETRY_MS = 500;
/** Longest time for which an answer waits for the write, in milliseconds. */
const WRITTEN_WAIT_MS = 1_000;
/** Share of the capacity that is freed when it is used up, so that freeing is rare. */
const FREED_SHARE = 1 / 16;

/** Options of {@linkcode PostgresCallerMemory}. */
export interface CallerMemoryOptions {
  /** @default {MEMORY_CAPACITY} */
  readonly capacity?: Readonly<Record<MemoryKind, number>> | undefined;
  /** Hears of failures; each is tried again. @default {nothing hears} */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Writes entries together, soon after they were noted. */
export class PostgresCallerMemory implements CallerMemory {
  readonly #sql: Sql;
  readonly #capacity: Readonly<Record<MemoryKind, number>>;
  readonly #onError: (error: unknown) => void;
  /** By kind and id: of two notes under one name the later counts. */
  #waiting = new Map<string, Note>();
  #waitingSize = 0;
  #lastNumber = 0;
  /** Callers that wait until the notes up to a number are stored, by rising number. */
  #waiters: { readonly number: number; readonly resolve: () => void }[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;
  #wake = () => {};

  constructor(sql: Sql, { capacity = MEMORY_CAPACITY, onError }: CallerMemoryOptions = {}) {
    this.#sql = sql;
    this.#capacity = capacity;
    this.#onError = onError ?? (() => {});
  }

  note({ kind, id }: MemoryName, { text, size }: { readonly text: string; readonly size: number }) {
    if (this.#isClosed) return;
    this.#wait({ kind, id: textId(id), text, size, number: ++this.#lastNumber });
    this.#writing ??= this.#write();
  }

  async written(): Promise<void> {
    if (this.#writing === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, WRITTEN_WAIT_MS);
    this.#waiters.push({ number: this.#lastNumber, resolve });
    await promise;
    clearTimeout(timer);
  }

  async read(
    names: readonly MemoryName[],
  ): Promise<readonly (MemoryName & { readonly text: string })[]> {
    const byName = new Map(names.map(({ kind, id }) => [nameOf({ kind, id: textId(id) }), id]));
    const wanted = names.map(({ kind, id }) => ({ kind, id: textId(id) }));
    const rows = await query(this.#sql<{ kind: MemoryKind; id: string; content: string }[]>`
      select m.kind, m.id, m.content
      from jsonb_to_recordset(${JSON.stringify(wanted)}::text::jsonb) as w(kind text, id text)
      join caller_memory m on m.kind = w.kind and m.id = w.id
    `);
    return rows.map(({ kind, id, content }) => ({
      kind,
      id: byName.get(nameOf({ kind, id })) ?? id,
      text: JSON.parse(content),
    }));
  }

  /** Writes what waits, in one attempt, and takes nothing more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#writing;
  }

  #wait(note: Note): void {
    const name = nameOf(note);
    this.#take(name);
    this.#waiting.set(name, note);
    this.#waitingSize += waitingSize(note);
    for (const oldest of this.#waiting.keys()) {
      if (this.#waitingSize <= WAITING_SIZE_MAX) return;
      this.#take(oldest);
    }
  }

  #take(name: string): Note | undefined {
    const note = this.#waiting.get(name);
    if (note === undefined) return undefined;
    this.#waiting.delete(name);
    this.#waitingSize -= waitingSize(note);
    return note;
  }

  async #write(): Promise<void> {
    // Entries of one turn of the event loop belong together.
    await Promise.resolve();
    while (this.#waiting.size > 0) {
      const notes = this.#next();
      try {
        await this.#sql.begin((tx) => this.#store(tx, notes));
        this.#resolveWaiters();
      } catch (error) {
        this.#onError(error);
        if (this.#isClosed) break;
        this.#waitAgain(notes);
        await this.#pause();
      }
    }
    this.#writing = undefined;
    for (const { resolve } of this.#waiters.splice(0)) resolve();
  }

  /** Resolves the waits for notes that are all stored, since notes are stored in their order. */
  #resolveWaiters(): void {
    const [oldest] = this.#waiting.values();
    const next = oldest?.number ?? Infinity;
    const at = this.#waiters.findIndex(({ number }) => number >= next);
    for (const { resolve } of this.#waiters.splice(0, at < 0 ? Infinity : at)) resolve();
  }

  #next(): readonly Note[] {
    const notes: Note[] = [];
    let size = 0;
    for (const name of this.#waiting.keys()) {
      if (notes.length >= WRITTEN_MAX || size >= WRITTEN_SIZE_MAX) break;
      const note = this.#take(name);
      if (note === undefined) continue;
      notes.push(note);
      size += note.size;
    }
    return notes;
  }

  /** Puts notes before those that came since, which count more. */
  #waitAgain(notes: readonly Note[]): void {
    const later = [...this.#waiting.values()];
    this.#waiting = new Map();
    this.#waitingSize = 0;
    for (const note of [...notes, ...later]) this.#wait(note);
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, RETRY_MS);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
  }

  async #store(tx: Transaction, notes: readonly Note[]): Promise<void> {
    const kinds = [...new Set(notes.map(({ kind }) => kind))].sort();
    await tx`
      insert into caller_memory_head (kind)
      select kind from jsonb_array_elements_text(${JSON.stringify(kinds)}::text::jsonb) as t(kind)
      on conflict (kind) do update set kind = excluded.kind
    `;
    const rows = notes.map(({ kind, id, size, text }, place) => (
      { kind, id, size, content: JSON.stringify(text), place }
    ));
    const heads = await tx<{ kind: MemoryKind; size: bigint }[]>`
      with note as (
        select kind, id, size, content, place from jsonb_to_recordset(${
      JSON.stringify(rows)
    }::text::jsonb)
          as t(kind text, id text, size bigint, content text, place int)
      ), before as (
        select m.kind, sum(m.size) as size
        from note join caller_memory m on m.kind = note.kind and m.id = note.id group by m.kind
      ), stored as (
        insert into caller_memory (kind, id, size, content)
        select kind, id, size, content from note order by place
        on conflict (kind, id) do update
          set number = excluded.number, size = excluded.size, content = excluded.content
      )
      update caller_memory_head h set size = h.size + added.size - coalesce(before.size, 0)
      from (select kind, sum(size) as size from note group by kind) added
        left join before on before.kind = added.kind
      where h.kind = added.kind
      returning h.kind, h.size
    `;
    for (const { kind, size } of heads) {
      const capacity = this.#capacity[kind];
      if (Number(size) > capacity) {
        await this.#free(tx, kind, Number(size) - Math.floor(capacity * (1 - FREED_SHARE)));
      }
    }
  }

  /** Deletes the oldest entries of a kind, of this size together at least. */
  async #free(tx: Transaction, kind: MemoryKind, excess: number): Promise<void> {
    await tx`
      with entry as (
        select number, size, sum(size) over (order by number) as total
        from caller_memory where kind = ${kind}
      ), gone as (
        delete from caller_memory where kind = ${kind}
          and number in (select number from entry where total - size < ${excess})
        returning size
      )
      update caller_memory_head set size = size - (select coalesce(sum(size), 0) from gone)
      where kind = ${kind}
    `;
  }
}

function nameOf({ kind, id }: MemoryName): string {
  return `${kind} ${id}`;
}

function waitingSize({ size }: Note): number {
  return Math.max(size, ENTRY_SIZE_MIN);
}
