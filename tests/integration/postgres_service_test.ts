import { assert, assertEquals, assertFalse } from "@std/assert";
import { newDatabase, postgresBin, startPostgres } from "../fixtures/postgres.ts";
import { scrape } from "../fixtures/prometheus.ts";
import { ADMIN_TOKEN, TestService } from "../fixtures/service.ts";

const bin = await postgresBin();
const MESSAGES = [{ role: "user", content: "Say hello" }];

/** Runs a test on an empty database of a server of its own. */
async function onDatabase(test: (url: string) => Promise<void>): Promise<void> {
  await using server = await startPostgres(bin ?? "");
  const { url, drop } = await newDatabase(server);
  await test(url);
  await drop();
}

function start(url: string): Promise<TestService> {
  return TestService.start({ settings: { store: { kind: "postgres", url } } });
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("a service on PostgreSQL answers, bills, and goes on where it stopped", async () => {
    await onDatabase(async (url) => {
      let spent = 0n;
      {
        await using service = await start(url);
        const answer = await service.client().chat.completions.create({
          model: "auto",
          messages: [{ role: "user", content: "Say hello" }],
        });
        assert(answer.choices[0]?.message.content);
        ({ spent } = await service.wallet());
        assert(spent > 0n);
      }
      await using again = await start(url);
      assertEquals((await again.wallet()).spent, spent);
      const response = await again.chat({ messages: MESSAGES });
      assertEquals(response.status, 200);
      await response.body?.cancel();
      assert((await again.wallet()).spent > spent);
      const page = await (await scrape(again.running.adminUrl, ADMIN_TOKEN)).text();
      for (const group of ["commit", "ledger", "ledger_lock", "keys", "instances"]) {
        const count = `svc_store_query_duration_seconds_count{group="${group}"} `;
        const at = page.indexOf(count) + count.length;
        assert(at > count.length && Number.parseInt(page.slice(at)) > 0, group);
      }
      await again.assertBooks();
      assertFalse(again.printed.includes("First start"));
    });
  });
}
