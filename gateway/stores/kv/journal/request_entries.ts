import type { JournalEntry } from "../../../domain/ledger/ledger.ts";
import type { RequestEntriesQuery } from "../../../ports/ledger_store.ts";
import { decodeEntry } from "./journal_codec.ts";
import { MAX_READ_AHEAD_SEGMENTS, REQUEST_END_SLACK_MS, REQUEST_ENTRIES_BYTES } from "../limits.ts";
import { type Chain, firstSegment, segmentRows } from "../chain.ts";
import { textOf } from "../rows.ts";
import { decodeSegment } from "../segment.ts";

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
  journal: Chain,
  query: RequestEntriesQuery,
): Promise<{ readonly entries: readonly JournalEntry[]; readonly isComplete: boolean }> {
  const { holdIds, sinceMs, untilMs } = query;
  const collected: CollectedEntries = {
    entries: [],
    unseen: new Set(holdIds),
    unended: new Set(holdIds),
  };
  const from = await firstSegment(kv, journal, (header) => header.atMs >= sinceMs);
  const nextSegment = await readFrom(kv, { journal, from, logId: query.logId }, collected);
  if (!isComplete(collected)) {
    const endMs = untilMs - REQUEST_END_SLACK_MS;
    const late = await firstSegment(kv, journal, (header) => header.atMs >= endMs);
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
  { journal, from, logId }: { journal: Chain; from: number; logId: string },
  collected: CollectedEntries,
): Promise<number> {
  const needle = `"log":${JSON.stringify(logId)}`;
  const range = { from, batchSize: MAX_READ_AHEAD_SEGMENTS / 4 };
  let bytes = 0;
  let next = from;
  for await (const { number, value } of segmentRows(kv, journal, range)) {
    const row = value as Uint8Array;
    next = Number(number) + 1;
    bytes += row.length;
    // The engine searches text natively; bytes would need a loop in JavaScript.
    if (textOf(row).includes(needle)) takeLines(decodeSegment(row).lines, logId, collected);
    if (isComplete(collected) || bytes >= REQUEST_ENTRIES_BYTES) break;
  }
  return next;
}

function takeLines(lines: readonly string[], logId: string, collected: CollectedEntries): void {
  for (const line of lines) {
    if (!line.includes(logId)) continue;
    const entry = decodeEntry(line);
    if (!("log" in entry) || entry.log !== logId) continue;
    collected.entries.push(entry);
    if (entry.op === "hold") collected.unseen.delete(entry.id);
    else if ("held" in entry) collected.unended.delete(entry.id);
  }
}
