import { assert, assertEquals, assertRejects } from "@std/assert";
import { ServiceFault } from "../../gateway/domain/fault.ts";
import type { KeyRecord } from "../../gateway/domain/policy/key.ts";
import type { KeyPolicy } from "../../gateway/domain/policy/policy.ts";
import { SharedAdmission } from "../../gateway/flows/admit/shared_admission.ts";
import { StoreError } from "../../gateway/ports/store_error.ts";
import { connect, type Sql } from "../../gateway/stores/postgres/connection.ts";
import { PostgresCounts } from "../../gateway/stores/postgres/limits/shared_counts.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

/** Several instances on one new database. */
interface Instances {
  readonly sql: Sql;
  readonly members: { id: string; renew?: (id: string) => Promise<void> }[];
  /** Returns an instance, whichever number is given. */
  at(turn: number): SharedAdmission;
}

const NAMES = ["one", "two", "three"];

function test(name: string, run: (instances: Instances) => Promise<void>): void {
  Deno.test(`SharedCounts in PostgreSQL: ${name}`, async () => {
    server ??= await startPostgres(bin ?? "");
    const { url, drop } = await newDatabase(server);
    const pools = [...NAMES, "test"].map(() => connect(url, { max: 3 }));
    const sql = pools[3] ?? connect(url);
    try {
      await migrate(sql);
      for (const id of NAMES) await sql`insert into instance (id) values (${id})`;
      const members: Instances["members"] = NAMES.map((id) => ({ id }));
      const counts = members.map((member, at) => new PostgresCounts(pools[at] ?? sql, { member }));
      const limits = counts.map((shared) => new SharedAdmission(shared));
      const at = (turn: number) => {
        const instance = limits[turn % limits.length];
        assert(instance !== undefined);
        return instance;
      };
      await run({ sql, members, at });
      for (const shared of counts) await shared.close();
    } finally {
      for (const pool of pools) await pool.end();
      await drop();
    }
  });
}

function key(policy: KeyPolicy, id = "key_1"): KeyRecord {
  return { id, name: "n", walletId: "w", status: "active", policy, hint: "", createdAtMs: 0 };
}

test("a change that waits too long is refused, and never made", async ({ sql }) => {
  const counts = new PostgresCounts(sql, { member: { id: "one" }, waitMs: 50 });
  const taken = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  // The first change waits for the row of its key.
  const locked = sql.begin(async (tx) => {
    await tx`lock table key_minute`;
    taken.resolve();
    await free.promise;
  });
  await taken.promise;
  const made: string[] = [];
  const change = (name: string) =>
    counts.change("key_1", (before) => {
      made.push(name);
      return { counts: before, result: name };
    });
  const first = change("first").catch(({ message }) => message);
  await new Promise((resolve) => setTimeout(resolve, 10));
  await assertRejects(() => change("late"), StoreError, "too slow");
  free.resolve();
  await locked;
  await first;
  await counts.close();
  assertEquals(made.includes("late"), false);
});

/** Returns true if a request is let in. */
async function isLetIn(work: unknown): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    assert(error instanceof ServiceFault, String(error));
    assertEquals(error.code, "rate_limit_exceeded");
    return false;
  }
}

const NOW_MS = 1_800_000_000_000;

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  test("never more requests at once than the limit, and none less", async ({ at }) => {
    const limited = key({ concurrentRequests: 5 });
    let inFlight = 0;
    let most = 0;
    let served = 0;
    const caller = async (turn: number) => {
      for (let remaining = 4; remaining > 0;) {
        const admitting = Promise.resolve(at(turn++).admit(limited, NOW_MS));
        if (!await isLetIn(admitting)) continue;
        const { leave } = await admitting;
        most = Math.max(most, ++inFlight);
        await new Promise((resolve) => setTimeout(resolve, 3));
        inFlight--;
        leave();
        leave();
        remaining--;
        served++;
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, turn) => caller(turn)));
    assert(most <= 5, `${most} at once`);
    assertEquals([served, inFlight], [48, 0]);
    for (const turn of [0, 1, 2, 3, 4]) await at(turn).admit(limited, NOW_MS);
    assertEquals(await isLetIn(at(5).admit(limited, NOW_MS)), false);
  });

  test("one caller after the other is never refused, at any instance", async ({ at }) => {
    const limited = key({ concurrentRequests: 1 });
    for (let turn = 0; turn < 30; turn++) {
      const { leave } = await at(turn).admit(limited, NOW_MS);
      leave();
    }
  });

  test("requests a minute are exact across instances, whatever their clocks say", async ({ at }) => {
    const limited = key({ requestsPerMinute: 20 });
    const ends = await Promise.all(
      Array.from(
        { length: 90 },
        (_, turn) => isLetIn(at(turn).admit(limited, NOW_MS + turn % 3 * 30_000)),
      ),
    );
    assertEquals(ends.filter(Boolean).length, 20);
    assertEquals(at(0).headers(limited, NOW_MS)["x-ratelimit-remaining-requests"], "0");
    assertEquals(await isLetIn(at(1).admit(key({ requestsPerMinute: 1 }, "key_2"), 0)), true);
  });

  test("tokens a minute: reservations are exact, the truth replaces them", async ({ at }) => {
    const limited = key({ tokensPerMinute: 1_000, requestsPerMinute: 100 });
    const estimate = { inputTokens: 60, outputTokens: 40 };
    const { atMs: admittedAtMs } = await at(0).admit(limited, NOW_MS);
    const options = { nowMs: NOW_MS, admittedAtMs };
    const reserved = await Promise.allSettled(
      Array.from(
        { length: 30 },
        (_, turn) => Promise.resolve(at(turn).reserve(limited, estimate, options)),
      ),
    );
    const kept = reserved.flatMap((end) => end.status === "fulfilled" ? [end.value] : []);
    assertEquals(kept.length, 10);
    for (const [turn, reservation] of kept.entries()) {
      at(turn).spent(limited, 10, NOW_MS, reservation);
      at(turn).spent(limited, 0, NOW_MS, reservation);
    }
    // 100 tokens are spent: 900 fit once each instance has stored what it has corrected.
    for (const turn of [0, 1, 2]) await at(turn).admit(limited, NOW_MS);
    const more = await Promise.allSettled(
      Array.from(
        { length: 12 },
        (_, turn) => Promise.resolve(at(turn).reserve(limited, estimate, options)),
      ),
    );
    assertEquals(more.filter(({ status }) => status === "fulfilled").length, 9);
    assertEquals(
      await isLetIn(at(0).reserve(limited, { inputTokens: 2_000, outputTokens: 1 }, options)),
      false,
    );
  });

  test("slots of an instance that has ended are free", async ({ sql, at }) => {
    const limited = key({ concurrentRequests: 2 });
    await at(0).admit(limited, NOW_MS);
    await at(0).admit(limited, NOW_MS);
    assertEquals(await isLetIn(at(1).admit(limited, NOW_MS)), false);
    await sql`update instance set ended_at = now() where id = 'one'`;
    await at(1).admit(limited, NOW_MS);
    await at(2).admit(limited, NOW_MS);
    assertEquals(await isLetIn(at(1).admit(limited, NOW_MS)), false);
  });

  test("an instance that was given up and returns keeps its requests in flight", async (instances) => {
    const { sql, members: [first], at } = instances;
    const limited = key({ concurrentRequests: 2 });
    const { leave } = await at(0).admit(limited, NOW_MS);
    await at(0).admit(limited, NOW_MS);
    await sql`update instance set ended_at = now() where id = 'one'`;
    await assertRejects(async () => await at(0).admit(limited, NOW_MS), StoreError);
    assert(first !== undefined);
    first.renew = async (id) => {
      assertEquals(id, "one");
      await sql`insert into instance (id) values ('one again')`;
      first.id = "one again";
    };
    assertEquals(await isLetIn(at(0).admit(limited, NOW_MS)), false);
    assertEquals(await isLetIn(at(1).admit(limited, NOW_MS)), false);
    leave();
    await at(0).admit(limited, NOW_MS);
    assertEquals(await isLetIn(at(1).admit(limited, NOW_MS)), false);
  });

  test("a crash of the server forgets the minute, and no request in flight", async ({ sql, at }) => {
    const limited = key({ concurrentRequests: 2, requestsPerMinute: 2 });
    await at(0).admit(limited, NOW_MS);
    await at(1).admit(limited, NOW_MS);
    // A crash empties the table that is not logged.
    await sql`truncate key_minute`;
    assertEquals(await isLetIn(at(2).admit(limited, NOW_MS)), false);
    assertEquals(await isLetIn(at(2).admit(key({ requestsPerMinute: 2 }), NOW_MS)), true);
  });

  test("a failure refuses the request and takes no slot; ends are stored afterwards", async ({ sql, at }) => {
    const limited = key({ concurrentRequests: 2 });
    const { leave } = await at(0).admit(limited, NOW_MS);
    await at(1).admit(limited, NOW_MS);
    await sql`alter table key_minute rename to away`;
    await assertRejects(async () => await at(0).admit(limited, NOW_MS), StoreError);
    leave();
    await sql`alter table away rename to key_minute`;
    // The instance stores the end before it decides again.
    const second = await at(0).admit(limited, NOW_MS);
    assertEquals(await isLetIn(at(2).admit(limited, NOW_MS)), false);
    second.leave();
    await at(0).admit(limited, NOW_MS);
  });

  Deno.test("the server of these tests stops", async () => {
    await server?.[Symbol.asyncDispose]();
  });
}
