import type { RowCounts } from "./journal/books.ts";
import { decodeKey, linkRows, placeRows } from "./keys/key_rows.ts";
import { eachRow } from "./each_row.ts";
import type { Migration } from "./migration.ts";
import { COUNTS_KEY, type Row } from "./rows.ts";

/** Keys whose rows are written in one commit. */
const KEYS_AT_ONCE = 100;

/** Adds the places of keys in lists, links of keys that are not active, and the counts. */
export const listMigration: Migration = {
  to: 2,
  what: "index the keys",
  async *batches(kv) {
    const counts = await countsOf(kv);
    let rows: Row[] = [];
    let done = 0;
    for await (const { value } of eachRow<Uint8Array>(kv, { prefix: ["key"] })) {
      const key = decodeKey(value);
      const links = key.record.status === "active" ? [] : linkRows(key);
      rows.push(...links, ...placeRows(key.record));
      if (++done % KEYS_AT_ONCE !== 0) continue;
      yield { rows, done, total: counts.keys };
      rows = [];
    }
    const count: Row = { key: COUNTS_KEY, value: counts, bytes: 64 };
    yield { rows: [...rows, count], done, total: counts.keys };
  },
};

async function countsOf(kv: Deno.Kv): Promise<RowCounts> {
  const counts = { wallets: 0, keys: 0 };
  for await (const _row of eachRow(kv, { prefix: ["wallet"] })) counts.wallets++;
  for await (const _row of eachRow(kv, { prefix: ["key"] })) counts.keys++;
  return counts;
}
