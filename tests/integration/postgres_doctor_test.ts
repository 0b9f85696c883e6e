/**
 * The doctor looks at a database before the first start, beside instances, after one was killed, and
 * where commits can be lost.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { databaseFindings } from "../../gateway/doctor/check_database.ts";
import type { Finding } from "../../gateway/doctor/finding.ts";
import { connect } from "../../gateway/stores/postgres/connection.ts";
import { NEWEST_VERSION } from "../../gateway/stores/postgres/migrate.ts";
import { newDatabase, postgresBin, startPostgres } from "../fixtures/postgres.ts";
import { TestService, until } from "../fixtures/service.ts";

const bin = await postgresBin();
const PASSWORD = "a-password-that-nothing-shows";

/** Returns what the doctor finds, by its subject. */
async function foundIn(url: string): Promise<ReadonlyMap<string, Finding>> {
  const all = await databaseFindings(url);
  assert(!JSON.stringify(all).includes(PASSWORD));
  return new Map(all.map((finding) => [finding.check, finding]));
}

function start(url: string): Promise<TestService> {
  return TestService.start({ settings: { store: { kind: "postgres", url } } });
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("the doctor sees the tables of a database, its instances, and what it could lose", async () => {
    await using server = await startPostgres(bin);
    const { url: plain } = await newDatabase(server);
    const url = plain.replace("svc@", `svc:${PASSWORD}@`);
    const empty = await foundIn(url);
    assertEquals(empty.get("store")?.status, "skipped");
    assertEquals([empty.get("durability")?.status, empty.get("instances")], ["ok", undefined]);
    {
      await using _one = await start(url);
      await using _other = await start(url);
      assertEquals((await foundIn(url)).get("store")?.status, "ok");
      // On a busy machine a beat may be late.
      await until(
        async () => (await foundIn(url)).get("instances")?.message === "2 instances serve from it",
        "both to be seen",
      );
    }
    assertEquals((await foundIn(url)).get("instances")?.message, "No instance serves from it");
    const sql = connect(url, { max: 1 });
    await sql`
      insert into instance (id, seen_at) values ('killed', clock_timestamp() - interval '7 s')
    `;
    const silent = (await foundIn(url)).get("instances");
    assertEquals(silent?.status, "warning");
    assertStringIncludes(silent?.message ?? "", "1 more");
    await sql.unsafe(
      `alter database "${new URL(plain).pathname.slice(1)}" set synchronous_commit = off`,
    );
    assertEquals((await foundIn(url)).get("durability")?.status, "failure");
    await sql`insert into migration (version, name) values (${NEWEST_VERSION + 1}, 'later')`;
    const newer = (await foundIn(url)).get("store");
    assertEquals([newer?.status, newer?.advice], [
      "failure",
      "start that version of svc, or a newer one",
    ]);
    await sql.end();
    const away = (await foundIn(url.replace(/:\d+\//, ":9/"))).get("store");
    assertEquals(away?.status, "failure");
  });
}
