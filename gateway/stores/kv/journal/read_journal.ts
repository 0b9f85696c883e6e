import type { JournalRange, JournalReading, PlacedEntry } from "../../../ports/ledger_store.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { decodeEntry } from "./journal_codec.ts";
import { journalRows } from "./journal_rows.ts";
import { type Chain, firstSegment } from "../chain.ts";
import { decodeSegment } from "../segment.ts";

/** Reads the journal up to its present end, with a few segments in memory at a time. */
export function readJournal(kv: Deno.Kv, journal: Chain, range: JournalRange): JournalReading {
  const { segment: segments, hash: head, total } = journal.end;
  return { total, segments, head, entries: () => entriesOf(kv, journal, range) };
}

async function* entriesOf(
  kv: Deno.Kv,
  journal: Chain,
  { sinceMs = -Infinity, untilMs = Infinity, walletId }: JournalRange,
): AsyncGenerator<readonly PlacedEntry[], void> {
  const from = await firstSegment(kv, journal, (header) => header.atMs >= sinceMs);
  const needle = walletId === undefined ? "" : `"wallet":${JSON.stringify(walletId)}`;
  for await (const { number, value } of journalRows(kv, journal, from)) {
    if (!(value instanceof Uint8Array)) {
      const message = `Cannot read journal segment ${String(number)}: it is damaged`;
      throw new StoreError(message, { isDamage: true });
    }
    const { header, lines } = decodeSegment(value);
    const first = header.total - lines.length + 1;
    yield lines.flatMap((line, index) => {
      if (!line.includes(needle)) return [];
      const entry = decodeEntry(line);
      const { wallet, at } = entry;
      const isMatch = at >= sinceMs && at <= untilMs && (walletId ?? wallet) === wallet;
      return isMatch ? [{ place: first + index, segment: header.segment, entry }] : [];
    });
  }
}
