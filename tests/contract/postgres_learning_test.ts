import { assert, assertEquals } from "@std/assert";
import type { OutcomeNote } from "../../gateway/domain/learning/additions.ts";
import { route } from "../../gateway/domain/routing/route.ts";
import {
  catalogOf,
  inputWith,
  modelWith,
} from "../../gateway/domain/routing/route_fixture_test.ts";
import { Learning } from "../../gateway/flows/learn/learning.ts";
import type { RoutingSnapshot } from "../../gateway/domain/learning/snapshot.ts";
import { Changes } from "../../gateway/stores/postgres/changes/changes.ts";
import { connect, type Sql } from "../../gateway/stores/postgres/connection.ts";
import { PostgresAdditions } from "../../gateway/stores/postgres/learning/additions.ts";
import { PostgresSnapshots } from "../../gateway/stores/postgres/learning/snapshots.ts";
import { PostgresVotes } from "../../gateway/stores/postgres/learning/votes.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import { systemClock } from "../../gateway/system/clock.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";

const CATALOG = catalogOf([
  modelWith({ id: "large", quality: 0.9 }),
  modelWith({
    id: "small",
    quality: 0.3,
    price: { inputPerMTok: "0.1", outputPerMTok: "1", currency: "USD" },
  }),
]);

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

/** An instance that learns. */
interface Instance {
  readonly learning: Learning;
  readonly snapshots: PostgresSnapshots;
  /** Passes a minute of its clock, after which it may publish again. */
  minute(): void;
}

/** Runs a test with three instances on a new database. */
function test(
  name: string,
  run: (
    instances: readonly [Instance, Instance, Instance],
    sql: Sql,
  ) => Promise<void>,
): void {
  Deno.test(`Learning on PostgreSQL: ${name}`, async () => {
    server ??= await startPostgres(bin ?? "");
    const { url, drop } = await newDatabase(server);
    const sql = connect(url);
    const opened: Changes[] = [];
    const open = async (id: string): Promise<Instance> => {
      await sql`insert into instance (id) values (${id})`;
      const changes = await Changes.open(url, { clock: systemClock });
      opened.push(changes);
      const snapshots = new PostgresSnapshots(sql, changes);
      const log = (_event: string, about?: object) => assert(false, JSON.stringify(about));
      let minutes = 0;
      const learning = new Learning({
        snapshots,
        votes: new PostgresVotes(sql),
        additions: new PostgresAdditions(sql, { id }),
        catalogs: { current: () => CATALOG },
        clock: { nowMs: () => 1_000 + minutes * 60_000 },
        logger: { info: log, warn: log, error: log },
        secret: "secret",
      });
      await learning.open();
      return { learning, snapshots, minute: () => void minutes++ };
    };
    try {
      await migrate(sql);
      await run([await open("one"), await open("two"), await open("three")], sql);
    } finally {
      for (const changes of opened) await changes.close();
      await sql.end();
      await drop();
    }
  });
}

const VOTE: OutcomeNote = {
  ...{ walletId: "w", task: "t", model: "small", atMs: 1_000, source: "feedback" },
  ...{ score: 1, weight: 1, load: 1 },
};

function note({ learning }: Instance, count: number, changes: Partial<OutcomeNote> = {}): void {
  for (let at = 0; at < count; at++) learning.noteOutcome({ ...VOTE, ...changes });
}

function outcomes({ wallets }: RoutingSnapshot, wallet = "w"): number | undefined {
  return wallets.get(wallet)?.totals["small"]?.outcomes;
}

function decisionOf({ learning }: Instance) {
  const snapshot = learning.snapshot();
  const plan = route(inputWith({ catalog: CATALOG, snapshot, task: "t", seed: 0.5 }));
  assert(plan.ok);
  return [plan.candidates.map(({ model, score }) => [model.id, score]), plan.basis];
}

/** Waits until an instance has a snapshot. */
async function reaches({ learning }: Instance, number: number): Promise<void> {
  while (learning.newest().number < number) await new Promise((resolve) => setTimeout(resolve, 5));
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  test("one instance publishes the counts of all, and each decides the same", async (instances) => {
    const [leader, ...others] = instances;
    const before = decisionOf(leader);
    for (const [at, instance] of instances.entries()) {
      note(instance, 50 + at);
      note(instance, 1, { walletId: `w${at}` });
    }
    for (const other of others) other.minute();
    for (const other of others) await other.learning.tick();
    assertEquals(others.map(({ learning }) => learning.newest().number), [0, 0]);
    leader.minute();
    await leader.learning.tick();
    assertEquals(outcomes(leader.learning.newest()), 153);
    for (const other of others) {
      await reaches(other, 1);
      assertEquals(other.learning.newest(), leader.learning.newest());
      assertEquals(decisionOf(other), decisionOf(leader));
    }
    assert(JSON.stringify(before) !== JSON.stringify(decisionOf(leader)));
    // A wallet that has not changed is read once.
    note(others[0] ?? leader, 1);
    await others[0]?.learning.tick();
    leader.minute();
    await leader.learning.tick();
    const [, last = leader] = others;
    const known = last.learning.newest().wallets.get("w1");
    await reaches(last, 2);
    assertEquals(last.learning.newest(), leader.learning.newest());
    assert(last.learning.newest().wallets.get("w1") === known);
  });

  test("the lease passes on when its instance dies, and nothing counts twice", async (all, sql) => {
    const [leader, next, last] = all;
    note(leader, 10);
    await leader.learning.tick();
    note(next, 5);
    next.minute();
    await next.learning.tick();
    assertEquals(next.learning.newest().number, 0);
    await sql`update lease set until = clock_timestamp() - interval '1 ms'`;
    await next.learning.tick();
    assertEquals(outcomes(next.learning.newest()), 15);
    // The former leader was only paused: it has lost the lease, and reads what was published.
    note(leader, 1);
    leader.minute();
    await leader.learning.tick();
    await reaches(leader, 1);
    assertEquals([leader.learning.newest().number, outcomes(leader.learning.newest())], [1, 15]);
    await sql`update instance set ended_at = now() where id = 'two'`;
    last.minute();
    await last.learning.tick();
    assertEquals([last.learning.newest().number, outcomes(last.learning.newest())], [2, 16]);
  });

  test("of two that publish at once, one does", async ([one, two], sql) => {
    note(one, 3);
    note(two, 4);
    await Promise.all([one.learning.takeAll(), two.learning.takeAll()]);
    await one.learning.takeAll();
    assertEquals(outcomes(one.learning.newest()), 7);
    const [row] = await sql<{ waiting: bigint }[]>`
      select count(*) as waiting from routing_addition where included is null
    `;
    assertEquals(row?.waiting, 0n);
  });

  test(
    "what is stored again under its id counts once, also after its snapshot",
    async ([one], sql) => {
      const additions = new PostgresAdditions(sql, { id: "one" });
      note(one, 3);
      const stored = { id: "a", wallets: one.learning.pending().byWallet() };
      await additions.add(stored);
      await additions.add(stored);
      await one.learning.takeAll();
      assertEquals(outcomes(one.learning.newest()), 6);
      await additions.add(stored);
      await one.learning.takeAll();
      assertEquals(outcomes(one.learning.newest()), 6);
    },
  );

  test("a reset at any instance reaches all, and what was stored does not come back", async (all) => {
    const [leader, other, third] = all;
    note(leader, 5);
    note(third, 5);
    note(third, 2, { walletId: "kept" });
    await leader.learning.tick();
    await third.learning.tick();
    await other.learning.takeAll();
    await other.learning.forget({ walletId: "w" });
    const { number } = other.learning.newest();
    for (const instance of all) {
      await reaches(instance, number);
      const newest = instance.learning.newest();
      assertEquals([outcomes(newest), outcomes(newest, "kept")], [undefined, 2]);
    }
    leader.minute();
    await leader.learning.tick();
    assertEquals(outcomes(leader.learning.newest()), undefined);
  });

  test("a frozen snapshot is in force at all instances", async ([leader, other]) => {
    note(leader, 5);
    await leader.learning.takeAll();
    await reaches(other, 1);
    assertEquals(await other.learning.freeze(1), true);
    note(leader, 5);
    await leader.learning.takeAll();
    await reaches(other, 2);
    while (leader.learning.snapshot().number !== 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assertEquals([other.learning.snapshot().number, leader.learning.newest().number], [1, 2]);
  });

  Deno.test("the server of these tests stops", async () => {
    await server?.[Symbol.asyncDispose]();
  });
}
