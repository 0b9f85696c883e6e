/**
 * A real PgBouncer between the service and PostgreSQL: of sessions it serves, of transactions it is
 * refused at the start, with the reason.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { connect } from "../../../gateway/stores/postgres/connection.ts";
import { labConfig } from "../../fixtures/lab.ts";
import { type PoolerOptions, poolerProgram, startPooler } from "../../fixtures/pgbouncer.ts";
import { newDatabase, postgresBin, startPostgres } from "../../fixtures/postgres.ts";
import { ADMIN_TOKEN, BOOTSTRAP_KEY, TestService, until } from "../../fixtures/service.ts";
import { svc } from "../../fixtures/service_process.ts";
import { CountingUpstream, priceOf } from "../../kills/counting_upstream.ts";
import { promptOf } from "../../kills/script.ts";

const bin = await postgresBin();
const program = await poolerProgram();
const ignore = bin === undefined || program === undefined;
if (ignore) {
  console.error("SKIPPED: there is no PostgreSQL, or no PgBouncer: poolers are not tested");
}

/** Settings under which PgBouncer drops the settings of a connection, else refuses it. */
const DROPS = ["ignore_startup_parameters = options"];

async function behind(options: PoolerOptions, test: (url: string) => Promise<void>): Promise<void> {
  await using server = await startPostgres(bin ?? "");
  const { url } = await newDatabase(server);
  await using pooler = await startPooler(program ?? "", url, options);
  await test(pooler.url);
}

for (const settings of [[], DROPS]) {
  const how = settings.length === 0 ? "refuses" : "drops";
  Deno.test({
    name: `behind a pooler of sessions that ${how} settings, two services serve`,
    ignore,
    fn: () =>
      behind({ mode: "session", settings }, async (url) => {
        await using upstream = new CountingUpstream();
        const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
        const store = { store: { kind: "postgres", url } } as const;
        await using one = await TestService.start({ config, settings: store });
        await using other = await TestService.start({ config, settings: store });
        const { id, key } = await one.newKey();
        const messages = [{
          role: "user",
          content: promptOf({ words: 5, gapMs: 0, reports: true }),
        }];
        const statusOf = async (service: TestService) => {
          const response = await service.chat({ messages, max_completion_tokens: 16 }, { key });
          await response.text();
          return response.status;
        };
        for (const service of [one, other, one, other]) assertEquals(await statusOf(service), 200);
        // Notices arrive, and prepared statements are found: a revocation is heard of.
        await one.admin("POST", `/keys/${id}/revoke`);
        await until(async () => await statusOf(other) === 401, "the revocation is in force");
        await one.assertBooks();
        assert(upstream.calls.reduce((sum, call) => sum + priceOf(call), 0n) > 0n);
      }),
  });
}

Deno.test({
  name: "behind a pooler that refuses settings, connections have their limits all the same",
  ignore,
  fn: () =>
    behind({ mode: "session", settings: [] }, async (url) => {
      const sql = connect(url, { max: 1 });
      const [row] = await sql<{ limit: string }[]>`
        select current_setting('idle_in_transaction_session_timeout') as limit
      `;
      await sql.end();
      assertEquals(row?.limit, "2s");
    }),
});

for (const settings of [[], DROPS]) {
  const how = settings.length === 0 ? "refuses" : "drops";
  Deno.test({
    name: `behind a pooler of transactions that ${how} settings, the start is refused`,
    ignore,
    fn: () =>
      behind({ mode: "transaction", settings }, async (url) => {
        const { code, stderr } = await svc(["serve", "--port", "0", "--admin-port", "0"], {
          SERVICE_STORE: url,
          SERVICE_ADMIN_TOKEN: ADMIN_TOKEN,
          SERVICE_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
        });
        assertEquals(code, 1, stderr);
        assertStringIncludes(stderr, "behind a pooler of transactions");
        assertStringIncludes(stderr, "pool_mode = session");
      }),
  });
}
