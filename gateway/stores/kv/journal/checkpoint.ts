import { Buffer } from "node:buffer";
import type { Hold } from "../../../domain/ledger/ledger.ts";
import { entryOfHold, entryOfProgress } from "../../../domain/ledger/decide.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { decodeEntry, encodeEntry } from "./journal_codec.ts";
import { followHold } from "./open_holds.ts";
import { CHECKPOINT_SEGMENTS, PIECE_BYTES } from "../limits.ts";
import { bytesOf, type Checkpoint, CHECKPOINT_CHUNKS, CHECKPOINT_KEY, textOf } from "../rows.ts";
import type { Writer } from "./writer.ts";

/** The state before the first list of open holds: the journal is replayed from its start. */
export const NO_CHECKPOINT: Checkpoint = { segment: 0, chunks: 0 };

/** The open holds at the end of a segment. */
interface HoldList {
  readonly segment: number;
  readonly chunks: readonly Uint8Array[];
}

/**
 * Writes the list of open holds from time to time, so that a start replays only the end of the
 * journal. A list is written in chunks under the number of its segment; the pointer to it comes
 * last, so that an incomplete list does not count.
 */
export class Checkpointer {
  readonly #writer: Writer;
  #last: Checkpoint;
  #running: Promise<void> | undefined;

  constructor(writer: Writer, last: Checkpoint) {
    this.#writer = writer;
    this.#last = last;
  }

  /** Starts a list when one is due, after a fold. */
  tick(): void {
    if (this.#writer.open.count > 0 || this.#running !== undefined) return;
    const { segment } = this.#writer.journal.stored;
    if (segment - this.#last.segment >= CHECKPOINT_SEGMENTS) this.#start(this.#list());
  }

  /**
   * Folds, and writes a list now, unless one is being written or nothing has changed since the
   * last.
   */
  async write(): Promise<void> {
    if (this.#running !== undefined) return await this.#running;
    try {
      const list = await this.#writer.fold(() => this.#list());
      if (list.segment !== this.#last.segment) await this.#start(list);
    } catch (error) {
      // The former list stays valid; the next start only replays more of the journal.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** Returns the open holds at the end of a segment: no commit may be open. */
  #list(): HoldList {
    const { segment } = this.#writer.journal.stored;
    return { segment, chunks: chunkHolds(this.#writer.books.holds.values()) };
  }

  #start(list: HoldList): Promise<void> {
    this.#running = this.#write(list).finally(() => this.#running = undefined);
    return this.#running;
  }

  async #write({ segment, chunks }: HoldList): Promise<void> {
    const former = this.#last;
    try {
      await Promise.all(chunks.map((value, chunk) => {
        const key = [...CHECKPOINT_CHUNKS, segment, chunk];
        return this.#writer.write([{ key, value, bytes: value.length }]);
      }));
      const pointer: Checkpoint = { segment, chunks: chunks.length };
      await this.#writer.write([{ key: CHECKPOINT_KEY, value: pointer, bytes: 64 }]);
      this.#last = pointer;
      await Promise.all(Array.from({ length: former.chunks }, (_, chunk) => {
        const key = [...CHECKPOINT_CHUNKS, former.segment, chunk];
        return this.#writer.write([{ key, bytes: 0 }]);
      }));
    } catch (error) {
      // The former list stays valid; the next start only replays more of the journal.
      if (!(error instanceof StoreError)) throw error;
    }
  }
}

/** Reads the newest list of open holds, by id, oldest first. */
export async function readCheckpoint(
  kv: Deno.Kv,
): Promise<{ checkpoint: Checkpoint; holds: Map<string, Hold> }> {
  const { value } = await kv.get<Checkpoint>(CHECKPOINT_KEY);
  const holds = new Map<string, Hold>();
  if (value === null) return { checkpoint: NO_CHECKPOINT, holds };
  let chunks = 0;
  for await (const row of kv.list<Uint8Array>({ prefix: [...CHECKPOINT_CHUNKS, value.segment] })) {
    if (chunks++ === value.chunks) break;
    for (const line of textOf(row.value).split("\n")) followHold(holds, decodeEntry(line));
  }
  if (chunks < value.chunks) {
    throw new StoreError(`Cannot read checkpoint ${value.segment}: a piece of it is missing`);
  }
  return { checkpoint: value, holds };
}

/** Returns the keys of chunks without a list, left by a writer that died between two commits. */
export async function strayChunks(kv: Deno.Kv, checkpoint: Checkpoint): Promise<Deno.KvKey[]> {
  const stray: Deno.KvKey[] = [];
  for await (const { key } of kv.list({ prefix: CHECKPOINT_CHUNKS })) {
    if (key[1] !== checkpoint.segment) stray.push(key);
  }
  return stray;
}

function chunkHolds(holds: Iterable<Hold>): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let lines: string[] = [];
  let bytes = 0;
  for (const line of linesOf(holds)) {
    const size = Buffer.byteLength(line) + 1;
    if (bytes + size > PIECE_BYTES) {
      chunks.push(bytesOf(lines.join("\n")));
      lines = [];
      bytes = 0;
    }
    lines.push(line);
    bytes += size;
  }
  if (lines.length > 0) chunks.push(bytesOf(lines.join("\n")));
  return chunks;
}

/** Yields the journal lines that recreate the holds. */
function* linesOf(holds: Iterable<Hold>): Iterable<string> {
  for (const hold of holds) {
    yield encodeEntry(entryOfHold(hold));
    if (hold.progress !== undefined) yield encodeEntry(entryOfProgress(hold, hold.progress));
  }
}
