/** The modelled database answers and writes what a real PostgreSQL does. */

import { assertEquals, assertGreater } from "@std/assert";
import { connect, type Sql } from "../../../gateway/stores/postgres/connection.ts";
import { migrate } from "../../../gateway/stores/postgres/migrate.ts";
import { verification } from "../../../gateway/stores/postgres/ledger/verify/verification.ts";
import { brokenPlace } from "../../../gateway/system/trail_check.ts";
import { decodeCorrection } from "../../../gateway/stores/correction_json.ts";
import { insertKey } from "../../../gateway/stores/postgres/keys/write_key.ts";
import { PostgresTrail } from "../../../gateway/stores/postgres/operators/trail.ts";
import {
  END_SESSION,
  LOCK_CORRECTIONS,
  READ_OWED,
  READ_ROWS,
  WRITE_ROWS,
} from "../../../gateway/stores/postgres/sql/ledger_batch.ts";
import { newDatabase, postgresBin, startPostgres } from "../../fixtures/postgres.ts";
import { foundedKey } from "./corrections.ts";
import type { Answered } from "./database.ts";
import { InstanceTable } from "./instance_table.ts";
import { SideTables } from "./side_tables.ts";
import { MOVED_KEYS } from "./steps.ts";
import { instanceSteps, runInstances } from "./run.ts";

/** Seeds whose transactions are repeated on the server. */
const SEEDS = [1, 2, 3];

const bin = await postgresBin();
if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
}

Deno.test({
  name: "a modelled PostgreSQL answers as a real one",
  ignore: bin === undefined,
  async fn() {
    repeated.clear();
    await using server = await startPostgres(bin ?? "");
    for (const seed of SEEDS) {
      const transactions: (readonly Answered[])[] = [];
      const steps = instanceSteps({ seed, steps: 200 });
      const { batches } = await runInstances(steps, {
        onTransaction: (statements) => void transactions.push(statements),
      });
      const { url, drop } = await newDatabase(server);
      const sql = connect(url, { max: 1 });
      await migrate(sql);
      for (let number = 0; number < MOVED_KEYS; number++) {
        await sql.begin((tx) => insertKey(tx, foundedKey(number)));
      }
      let written = 0;
      for (const statements of transactions) written += await repeat(sql, statements);
      assertEquals(written, batches);
      assertGreater(batches, 20);
      for await (const { result } of verification(sql)) {
        if (result !== undefined) assertEquals(result.problems, []);
      }
      const trail = new PostgresTrail(sql);
      assertEquals((await brokenPlace(trail)).problem, undefined);
      await sql.end();
      await drop();
    }
    assertEquals(repeated.size, 16, [...repeated].join("\n"));
  },
});

/** Texts of statements of other stores that were repeated. */
const repeated = new Set<string>();

/** Repeats a transaction, and compares the rows that it read. Returns the batches that it wrote. */
async function repeat(sql: Sql, statements: readonly Answered[]): Promise<number> {
  let written = 0;
  for (const { text, parameters, rows } of statements) {
    if (text === READ_ROWS) {
      const answered = await sql.unsafe(READ_ROWS, parameters as string[]);
      assertEquals(plain(answered), plain(rows));
    } else if (text === WRITE_ROWS) {
      await sql.unsafe(WRITE_ROWS, parameters as string[]);
      written++;
    } else if (text === END_SESSION) {
      const answered = await sql.unsafe(END_SESSION, parameters);
      assertEquals([...answered].map(textOf).sort(), rows.map(textOf).sort());
    } else if (text === READ_OWED || InstanceTable.knows(text)) {
      const answered = await sql.unsafe(text, parameters);
      assertEquals(timeless(answered), timeless(rows));
      repeated.add(text);
    } else if (SideTables.knows(text)) {
      if (text === LOCK_CORRECTIONS) await addWaiting(sql, rows);
      const answered = await sql.unsafe(text, parameters);
      // The founding of the keys has announced them.
      const isNumber = text.includes("change_head");
      if (!isNumber) assertEquals([...answered].map(textOf), rows.map(textOf));
      repeated.add(text);
    }
  }
  return written;
}

/** Returns rows as texts, in one order and without the time of the database. */
function timeless(rows: readonly object[]): readonly string[] {
  return rows.map((row) => textOf({ ...row, now_ms: undefined })).sort();
}

/** Stores corrections that wait: the model founds them without a statement. */
async function addWaiting(sql: Sql, rows: readonly object[]): Promise<void> {
  for (const row of rows) {
    const { data } = row as { readonly data: string };
    const { id, version, atMs } = decodeCorrection(data);
    if (version > 1) continue;
    await sql`
      insert into correction (id, version, at_ms, data) values (${id}, 1, ${atMs}, ${data})
      on conflict do nothing
    `;
  }
}

function textOf(row: object): string {
  return JSON.stringify(row, (_, value) => typeof value === "bigint" ? `${value}` : value);
}

/** Returns rows of a kind and JSON in one order, whatever the order and the spaces of the JSON. */
function plain(rows: readonly object[]): readonly string[] {
  return rows.map((row) => {
    const { kind, data } = row as { readonly kind: string; readonly data: string };
    const value: unknown = JSON.parse(data);
    const fields = typeof value === "object" && value !== null
      ? Object.entries(value).sort(([one], [other]) => one < other ? -1 : 1)
      : value;
    return `${kind} ${JSON.stringify(fields)}`;
  }).sort();
}
