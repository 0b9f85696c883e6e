/**
 * `deno task test:postgres`: runs integration tests with their services on PostgreSQL, on a server
 * that ends with them. Given paths, it runs these; without any, those about money; with `--all` also
 * those about faults, kills, revocation, limits, names, embeddings,
 * verified answers and the console.
 *
 * @module
 */

import { connect } from "../../gateway/stores/postgres/connection.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import { postgresBin, startPostgres } from "../fixtures/postgres.ts";
import { TEMPLATE } from "../fixtures/store_place.ts";

/** Tests about money. */
const MONEY: readonly string[] = [
  ...["books", "budget_callers", "checkpoints", "corrections", "disconnects", "failovers"],
  ...["hosted_budget", "hosted_endings", "hosted_money", "images"],
].map((name) => `tests/integration/${name}_test.ts`).concat(
  "tests/integration/budgets",
  "tests/integration/settlement_table",
);

/** Further tests, whose services behave alike on both stores. */
const FURTHER: readonly string[] = [
  ...["bad_keys_limits", "busy_limits", "hosted_limits", "output_limits", "rate_limits"],
  ...["revocation", "killed_stream", "attribution"],
].map((name) => `tests/integration/${name}_test.ts`).concat(
  ...["faults", "embeddings", "verified"].map((name) => `tests/integration/${name}`),
  "tests/console",
  ...["instances", "outages", "frozen"].map((name) => `tests/kills/${name}_test.ts`),
);

/**
 * Returns the arguments of `deno test`. Files about money run beside each other, since they wait more
 * than they compute; others may be of kinds that need the machine for themselves.
 */
export function testArguments(args: readonly string[]): readonly string[] {
  const given = args.filter((arg) => arg !== "--all");
  if (given.length > 0) return given;
  return args.includes("--all") ? [...MONEY, ...FURTHER] : ["--parallel", ...MONEY];
}

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
    args: ["test", "-P", "--quiet", "--no-check", ...testArguments(args)],
    env: { TEST_STORE: server.urlOf("postgres") },
    stdin: "null",
  }).spawn().status;
  return code;
}

if (import.meta.main) Deno.exit(await runOnPostgres(Deno.args));
