import type { JournalEntry } from "../../../domain/ledger/ledger.ts";
import type { RequestEntriesQuery } from "../../../ports/ledger_store.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { decodeEntry } from "./journal_codec.ts";
import { MAX_READ_AHEAD_SEGMENTS, REQUEST_END_SLACK_MS, REQUEST_ENTRIES_BYTES } from "../limits.ts";
import { textOf } from "../rows.ts";
import { decodeSegment, firstSegment } from "../segment.ts";
import type { Tail } from "../rows.ts";

/** Entries of a request collected so far. */
interface CollectedEntries {
  readonly entries: JournalEntry[];
  /** Holds not yet seen, and holds whose end was not yet seen. */
  readonly unseen: Set<string>;
  readonly unended: Set<string>;
}

/**
 * Reads the entries of one request. Entries are in order of time: its holds are where it began, and
 * the ends of long holds where it ended; the part in between is not read.
 */
export async function readRequestEntries(
  kv: Deno.Kv,
  journal: Tail,
  query: RequestEntriesQuery,
): Promise<{ readonly entries: readonly JournalEntry[]; readonly isComplete: boolean }> {
  const { holdIds, sinceMs, untilMs } = query;
  const collected: CollectedEntries = {
    entries: [],
    unseen: new Set(holdIds),
    unended: new Set(holdIds),
  };
  const chain = { name: "journal", last: journal.segment };
  const from = await firstSegment(kv, chain, (header) => header.atMs >= sinceMs);
  const nextSegment = await readFrom(kv, { journal, from, logId: query.logId }, collected);
  if (!isComplete(collected)) {
    const endMs = untilMs - REQUEST_END_SLACK_MS;
    const late = await firstSegment(kv, chain, (header) => header.atMs >= endMs);
    const range = { journal, from: Math.max(late, nextSegment), logId: query.logId };
    await readFrom(kv, range, collected);
  }
  return { entries: collected.entries, isComplete: isComplete(collected) };
}

function isComplete({ unseen, unended }: CollectedEntries): boolean {
  return unseen.size === 0 && unended.size === 0;
}

/**
 * Reads until everything is collected, or a maximum of bytes; returns the number of the first
 * segment not read.
 */
async function readFrom(
  kv: Deno.Kv,
  { journal, from, logId }: { journal: Tail; from: number; logId: string },
  collected: CollectedEntries,
): Promise<number> {
  const needle = `"log":${JSON.stringify(logId)}`;
  const range = { start: ["journal", from], end: ["journal", journal.segment + 1] };
  const rows = kv.list<Uint8Array>(range, { batchSize: MAX_READ_AHEAD_SEGMENTS / 4 });
  let bytes = 0;
  let next = from;
  try {
    for await (const { key, value } of rows) {
      next = Number(key[1]) + 1;
      bytes += value.length;
      // The engine searches text natively; bytes would need a loop in JavaScript.
      if (textOf(value).includes(needle)) takeLines(decodeSegment(value).lines, logId, collected);
      if (isComplete(collected) || bytes >= REQUEST_ENTRIES_BYTES) break;
    }
  } catch (cause) {
    throw new StoreError("Cannot read the journal", { cause });
  }
  return next;
}

function takeLines(lines: readonly string[], logId: string, collected: CollectedEntries): void {
  for (const line of lines) {
    if (!line.includes(logId)) continue;
    const entry = decodeEntry(line);
    if (entry.op === "open" || entry.op === "credit" || entry.log !== logId) continue;
    collected.entries.push(entry);
    if (entry.op === "hold") collected.unseen.delete(entry.id);
    else if (entry.op !== "progress") collected.unended.delete(entry.id);
  }
}
