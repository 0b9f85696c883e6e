import type { JournalEntry } from "../../../domain/ledger/ledger.ts";
import type { RequestEntriesQuery } from "../../../ports/ledger_store.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { decodeEntry } from "./journal_codec.ts";
import { MAX_READ_AHEAD_SEGMENTS, REQUEST_END_SLACK_MS, REQUEST_ENTRIES_BYTES } from "../limits.ts";
import { textOf } from "../rows.ts";
import { decodeSegment, firstSegment } from "../segment.ts";
import type { Tail } from "../rows.ts";

/** A request's entries as far as they have been found. */
interface Found {
  readonly entries: JournalEntry[];
  /** Holds that have not been seen, and those whose end has not. */
  readonly unseen: Set<string>;
  readonly unended: Set<string>;
}

/**
 * Reads one request's entries. Entries are in the order of time, so its holds stand where it began,
 * and the ends of long ones where it ended: what lies in between is not read.
 */
export async function readRequestEntries(
  kv: Deno.Kv,
  journal: Tail,
  query: RequestEntriesQuery,
): Promise<{ readonly entries: readonly JournalEntry[]; readonly isComplete: boolean }> {
  const { holdIds, sinceMs, untilMs } = query;
  const found: Found = { entries: [], unseen: new Set(holdIds), unended: new Set(holdIds) };
  const chain = { name: "journal", last: journal.segment };
  const from = await firstSegment(kv, chain, (header) => header.atMs >= sinceMs);
  const read = await readFrom(kv, { journal, from, logId: query.logId }, found);
  if (!isComplete(found)) {
    const endMs = untilMs - REQUEST_END_SLACK_MS;
    const late = await firstSegment(kv, chain, (header) => header.atMs >= endMs);
    const range = { journal, from: Math.max(late, read), logId: query.logId };
    await readFrom(kv, range, found);
  }
  return { entries: found.entries, isComplete: isComplete(found) };
}

function isComplete({ unseen, unended }: Found): boolean {
  return unseen.size === 0 && unended.size === 0;
}

/** Reads until all is found, or so many bytes; returns the number of the first segment not read. */
async function readFrom(
  kv: Deno.Kv,
  { journal, from, logId }: { journal: Tail; from: number; logId: string },
  found: Found,
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
      // A text is searched by the engine, bytes would be by a loop in JavaScript.
      if (textOf(value).includes(needle)) takeLines(decodeSegment(value).lines, logId, found);
      if (isComplete(found) || bytes >= REQUEST_ENTRIES_BYTES) break;
    }
  } catch (cause) {
    throw new StoreError("Cannot read the journal", { cause });
  }
  return next;
}

function takeLines(lines: readonly string[], logId: string, found: Found): void {
  for (const line of lines) {
    if (!line.includes(logId)) continue;
    const entry = decodeEntry(line);
    if (entry.op === "open" || entry.op === "credit" || entry.log !== logId) continue;
    found.entries.push(entry);
    if (entry.op === "hold") found.unseen.delete(entry.id);
    else if (entry.op !== "progress") found.unended.delete(entry.id);
  }
}
