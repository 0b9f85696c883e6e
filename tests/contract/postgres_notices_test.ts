import { assert, assertEquals } from "@std/assert";
import { NoticeWorld, requestOf } from "../../gateway/notify/notify_test_support.ts";
import { connect, type Sql } from "../../gateway/stores/postgres/connection.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import { PostgresNotices } from "../../gateway/stores/postgres/notices/notices.ts";
import { newDatabase, postgresBin, startPostgres } from "../fixtures/postgres.ts";

const bin = await postgresBin();

/** Runs a test on the notifications of two instances. */
async function onTwo(
  test: (sql: Sql, one: PostgresNotices, two: PostgresNotices) => Promise<void>,
): Promise<void> {
  await using server = await startPostgres(bin ?? "");
  const { url, drop } = await newDatabase(server);
  const pools = [connect(url, { max: 4 }), connect(url, { max: 4 })];
  const [first, second] = pools;
  assert(first !== undefined && second !== undefined);
  await migrate(first);
  const stores = [
    new PostgresNotices(first, { id: "one" }),
    new PostgresNotices(second, { id: "two" }),
  ] as const;
  await test(first, ...stores);
  for (const pool of pools) await pool.end();
  await drop();
}

/** Ends the lease as the database's clock would. */
async function endLease(sql: Sql): Promise<void> {
  await sql`update lease set until = clock_timestamp() - interval '1 second'`;
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("one instance has the lease of the sender, and another after its time", async () => {
    await onTwo(async (sql, one, two) => {
      const leads = await Promise.all([one.lead(), two.lead()]);
      assertEquals(leads.toSorted(), [false, true]);
      const [leader, other] = leads[0] ? [one, two] : [two, one];
      assert(await leader.lead());
      assertEquals(await other.lead(), false);
      await endLease(sql);
      assert(await other.lead());
      assertEquals(await leader.lead(), false);
    });
  });

  Deno.test("two instances find one incident, and its end comes after a change of the sender", async () => {
    await onTwo(async (sql, one, two) => {
      const world = new NoticeWorld();
      const notifiers = [world.notifier(one, "one"), world.notifier(two, "two")] as const;
      const place = { kind: "webhook", url: "http://127.0.0.1:9/" } as const;
      const added = await notifiers[0].add({ name: "ops", place });
      assert(added.ok);
      await world.pass(2, ...notifiers);
      world.answers.set("ops", () => ({ ok: false, problem: "Connection refused" }));
      for (let number = 0; number < 10; number++) {
        world.setBalance(`wallet_${number}`, 1n);
        for (const { events } of notifiers) {
          events.request(requestOf({ walletId: `wallet_${number}`, keyId: "key_1" }));
        }
      }
      await Promise.all(notifiers.map((notifier) => notifier.tick()));
      await world.pass(15, ...notifiers);
      assertEquals((await one.open()).length, 10);
      // The sender is gone with a message on its way; the other goes on.
      await notifiers[0].close();
      await endLease(sql);
      world.answers.delete("ops");
      for (let number = 0; number < 10; number++) world.setBalance(`wallet_${number}`, 900n);
      await world.pass(120, notifiers[1]);
      const arrived = [...world.arrivedAt(added.target.id).values()];
      assertEquals(arrived, Array(10).fill([1, 2]));
      assertEquals((await two.deliveries({ state: "pending", limit: 99 })).rows, []);
      await notifiers[1].close();
    });
  });
}
