import { assertEquals } from "@std/assert";
import type { RequestRecord } from "../../gateway/ports/request_log.ts";
import { connect } from "../../gateway/stores/postgres/connection.ts";
import { Batches } from "../../gateway/stores/postgres/ledger/batches.ts";
import { PostgresLedger } from "../../gateway/stores/postgres/ledger/ledger.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import { newDatabase, postgresBin, startPostgres } from "../fixtures/postgres.ts";
import { fund, hold, progress, settle } from "./ledger_store_contract.ts";
import { record } from "./request_log_contract.ts";

const bin = await postgresBin();
if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
}

Deno.test({
  name: "PostgreSQL adds up the row of a killed request, whatever sum the request brings",
  ignore: bin === undefined,
  async fn() {
    await using server = await startPostgres(bin ?? "");
    const sql = connect((await newDatabase(server)).url);
    await migrate(sql);
    await sql`insert into instance (id) values ('one')`;
    const batches = new Batches(sql, { id: "one" });
    const ledger = new PostgresLedger(sql, batches);
    await fund(ledger, 100n);
    const killedRow = record(1, { outcome: "killed", charged: "9.000000", inputTokens: 99 });
    const ids = ["first", "other", "one", "two", "streams"];
    for (const id of ids) {
      await ledger.hold(hold(id, 20n, { logId: killedRow.id }), { waitMs: 0 });
    }
    const owed = async () => {
      const rows = await sql<{ line: string }[]>`select line from owed_row`;
      return rows.map(({ line }) => {
        const { charged, inputTokens, cachedInputTokens, outputTokens }: RequestRecord = JSON.parse(
          line,
        );
        return [charged, inputTokens, cachedInputTokens, outputTokens];
      });
    };
    // Before any settlement, and beside a row that is stored.
    await ledger.progress(progress("streams", 5n), () => killedRow);
    assertEquals(await owed(), [["0.000000", 0, 0, 0]]);
    await ledger.settle(settle("first", 1n), { killedRow });
    assertEquals((await ledger.settle(settle("none", 2n), { killedRow })).ok, false);
    // In one batch; one of them is repeated later.
    await Promise.all([
      ledger.settle(settle("one", 4n), { killedRow }),
      ledger.settle(settle("two", 8n), { killedRow }),
    ]);
    await ledger.progress(progress("other", 1n), () => killedRow);
    await ledger.settle(settle("one", 4n), { killedRow });
    await ledger.progress(progress("streams", 6n), () => killedRow);
    assertEquals(await owed(), [["0.000013", 9, 3, 6]]);
    await ledger.settle(settle("streams", 6n), { row: record(1) });
    assertEquals(await owed(), []);
    await ledger.close();
    await batches.close();
    await sql.end();
  },
});
