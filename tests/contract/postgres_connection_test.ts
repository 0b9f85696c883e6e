import { assertEquals } from "@std/assert";
import { connect } from "../../gateway/stores/postgres/connection.ts";
import { postgresBin, startPostgres } from "../fixtures/postgres.ts";

const bin = await postgresBin();

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
}

Deno.test({
  name:
    "connections to PostgreSQL: read what is committed, and are given up where they take nothing",
  ignore: bin === undefined,
  async fn() {
    await using server = await startPostgres(bin ?? "");
    const options = encodeURIComponent("-c default_transaction_isolation=serializable");
    const sql = connect(`${server.urlOf("postgres")}?options=${options}`, { max: 1 });
    try {
      const [settings] = await sql.begin((tx) =>
        tx<{ isolation: string; waits: string }[]>`
          select current_setting('transaction_isolation') as isolation,
            current_setting('tcp_user_timeout') as waits
        `
      );
      assertEquals(settings, { isolation: "read committed", waits: "5000" });
    } finally {
      await sql.end();
    }
  },
});
