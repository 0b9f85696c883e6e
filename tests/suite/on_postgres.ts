/**
 * `deno task test:postgres`: runs integration tests with their services on PostgreSQL, on a server
 * that ends with them. Given paths, it runs these; without any, those about money.
 *
 * @module
 */

import { connect } from "../../gateway/stores/postgres/connection.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import { postgresBin, startPostgres } from "../fixtures/postgres.ts";
import { TEMPLATE } from "../fixtures/store_place.ts";

/** Tests about money. */
const MONEY = [
  ...["books", "budget_callers", "checkpoints", "disconnects", "failovers", "hosted_money"],
].map((name) => `tests/integration/${name}_test.ts`);

/** Runs the tests; resolves to their exit status. */
async function runOnPostgres(args: readonly string[]): Promise<number> {
  const bin = await postgresBin();
  if (bin === undefined) {
    console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
    return 0;
  }
  await using server = await startPostgres(bin);
  const root = connect(server.urlOf("postgres"), { max: 1 });
  await root.unsafe(`create database ${TEMPLATE}`);
  await root.end();
  const sql = connect(server.urlOf(TEMPLATE), { max: 1 });
  await migrate(sql);
  await sql.end();
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-P", "--quiet", "--no-check", ...args.length === 0 ? MONEY : args],
    env: { TEST_STORE: server.urlOf("postgres") },
    stdin: "null",
  }).spawn().status;
  return code;
}

if (import.meta.main) Deno.exit(await runOnPostgres(Deno.args));
