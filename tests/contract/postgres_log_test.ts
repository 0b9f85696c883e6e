import { assert, assertEquals } from "@std/assert";
import { connect, type Sql } from "../../gateway/stores/postgres/connection.ts";
import { Batches } from "../../gateway/stores/postgres/ledger/batches.ts";
import {
  type PostgresLogOptions,
  PostgresRequestLog,
} from "../../gateway/stores/postgres/log/request_log.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import type { RequestRecord } from "../../gateway/ports/request_log.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import type { Opened } from "./contract.ts";
import { record, requestLogContract } from "./request_log_contract.ts";

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

/** The log as one instance uses it. */
interface Instance {
  readonly log: PostgresRequestLog;
  readonly sql: Sql;
  /** Stores the row that a request gets if the instance dies. */
  owe(record: RequestRecord): Promise<void>;
  close(): Promise<void>;
}

async function instanceOf(url: string, options: Partial<PostgresLogOptions>): Promise<Instance> {
  const sql = connect(url);
  await migrate(sql);
  const id = crypto.randomUUID();
  await sql`insert into instance (id) values (${id})`;
  const batches = new Batches(sql, { id });
  const log = new PostgresRequestLog(sql, batches, { nowMs: () => 10_000, ...options });
  const owe = (record: RequestRecord) =>
    batches.submit({ logs: [record.id] }, (view) => view.keepKilledRow(record));
  const close = async () => {
    await log.close();
    await batches.close();
    await sql.end();
  };
  return { log, sql, owe, close };
}

/** Opens the log of some instances on a new database of the one server of this file. */
async function instances(
  count: number,
  options: Partial<PostgresLogOptions> = {},
): Promise<readonly Instance[] & { [Symbol.asyncDispose](): Promise<void> }> {
  server ??= await startPostgres(bin ?? "");
  const { url, drop } = await newDatabase(server);
  const all = await Promise.all(Array.from({ length: count }, () => instanceOf(url, options)));
  return Object.assign(all, {
    async [Symbol.asyncDispose]() {
      for (const { close } of all) await close();
      await drop();
    },
  });
}

async function openOne(): Promise<Opened<PostgresRequestLog>> {
  const all = await instances(1);
  const [one] = all;
  assert(one !== undefined);
  return { store: one.log, close: () => all[Symbol.asyncDispose]() };
}

/** Opens two instances. */
async function pair(options?: Partial<PostgresLogOptions>) {
  const all = await instances(2, options);
  const [one, two] = all;
  assert(one !== undefined && two !== undefined);
  return { one, two, [Symbol.asyncDispose]: () => all[Symbol.asyncDispose]() };
}

function appendAll({ log }: Instance, from: number, to: number): Promise<unknown> {
  return Promise.all(Array.from({ length: to - from }, (_, n) => log.append(record(from + n))));
}

async function idsOf(log: PostgresRequestLog, limit = 10_000): Promise<readonly number[]> {
  const { records } = await log.search({ order: "oldest", limit });
  return records.map(({ id }) => Number(id.slice(4)));
}

const RANGE = { sinceMs: 0, untilMs: 60_000 };

/** Tests of instances that share a database. */
const SHARED: Readonly<Record<string, () => Promise<void>>> = {
  "each instance sees and receives the rows of all": async () => {
    await using both = await pair();
    const { one, two } = both;
    await one.log.append(record(0));
    const received: string[] = [];
    const enough = Promise.withResolvers<void>();
    two.log.watch(({ id }) => {
      if (received.push(id) === 600) enough.resolve();
    });
    await two.log.append(record(1));
    await Promise.all([appendAll(one, 2, 300), appendAll(two, 300, 601)]);
    await enough.promise;
    const { records } = await one.log.search({ order: "oldest", limit: 1_000 });
    assertEquals(received, records.slice(1).map(({ id }) => id));
    assertEquals(new Set(received).size, 600);
  },

  "rows are counted once, by whichever instance, while others arrive": async () => {
    await using both = await pair();
    const { one, two } = both;
    const overviews = async () =>
      (await Promise.all([one, two].map(({ log }) => log.overview(RANGE)))).map(({ total }) =>
        total.requests
      );
    for (let round = 0; round < 5; round++) {
      await appendAll(one, 500 * round, 500 * round + 400);
      const adding = appendAll(one, 500 * round + 400, 500 * round + 500);
      await Promise.all([adding, one.log.count(), two.log.count()]);
      assertEquals(await overviews(), [500 * round + 500, 500 * round + 500]);
    }
    await two.log.count();
    assertEquals(await overviews(), [2_500, 2_500]);
    const { total, uncounted } = await one.log.overview(RANGE);
    assertEquals([total.charged, uncounted], [2_500n * 412_000n, 0]);
    const [head] = await one.sql`select counted from log_sums_head`;
    assertEquals(head?.["counted"], 2_500n);
  },

  "an overview says how many rows it could not count": async () => {
    await using both = await pair();
    await appendAll(both.one, 0, 2_300);
    const { total, uncounted } = await both.two.log.overview(RANGE);
    assertEquals([total.requests, uncounted], [2_000, 300]);
  },

  "the newest rows are kept in number, and sums stay": async () => {
    await using both = await pair({ retention: { records: 1_500 } });
    const { one, two } = both;
    await appendAll(one, 0, 4_000);
    await one.log.trim();
    assertEquals((await idsOf(two.log)).length, 4_000);
    await one.log.count();
    await Promise.all([one.log.trim(), two.log.trim(), appendAll(two, 4_000, 4_100)]);
    await one.log.count();
    await one.log.trim();
    assertEquals(await idsOf(two.log), Array.from({ length: 1_500 }, (_, n) => 2_600 + n));
    assertEquals((await two.log.overview(RANGE)).total.requests, 4_100);
    const [parts] = await one.sql`select min(first) as first from request_log_part`;
    assertEquals(parts?.["first"], 2_601n);
  },

  "rows of a certain age are deleted, wherever they are": async () => {
    await using both = await pair({ retention: { ageMs: 8_000 } });
    const { one } = both;
    for (let n = 0; n < 6; n++) {
      await one.log.append(record(n, { atMs: n % 2 === 0 ? 1_999 : 2_000 }));
    }
    await one.log.tick();
    assertEquals(await idsOf(both.two.log), [1, 3, 5]);
    assertEquals((await both.two.log.search({ untilMs: 1_999, limit: 9 })).records, []);
    assertEquals((await both.two.log.search({ untilMs: 2_000, limit: 9 })).records.length, 3);
  },

  "a short search goes on at its cursor, over parts without a match": async () => {
    await using both = await pair({ search: { maxMs: 0 } });
    const { one, two } = both;
    await appendAll(one, 0, 6_200);
    for (const order of ["newest", "oldest"] as const) {
      const numbers: number[] = [];
      let [cursor, pages]: [string | undefined, number] = [undefined, 0];
      do {
        const page = await two.log.search({ text: "req-61", order, limit: 50, cursor });
        numbers.push(...page.records.map(({ id }) => Number(id.slice(4))));
        cursor = page.cursor;
        pages++;
      } while (cursor !== undefined);
      const wanted = Array.from({ length: 6_200 }, (_, n) => n).filter((n) =>
        `${n}`.startsWith("61")
      );
      assertEquals(numbers, order === "oldest" ? wanted : wanted.toReversed());
      assert(pages > 2, `${pages} pages`);
    }
  },

  "a row takes the place of an owed one": async () => {
    await using both = await pair();
    const { one, two } = both;
    await one.owe(record(1, { outcome: "killed" }));
    await one.owe(record(2, { outcome: "killed" }));
    assertEquals(await idsOf(two.log), []);
    await one.log.append(record(1));
    assertEquals((await two.log.get(record(1).id))?.outcome, "ok");
    const owed = await one.sql`select id from owed_row`;
    assertEquals(owed.map(({ id }) => id), [record(2).id]);
  },

  "a row that exists is not written again, and does no harm to its batch": async () => {
    await using both = await pair();
    const { one, two } = both;
    await one.log.append(record(1));
    await Promise.all([two.log.append(record(1, { status: 500 })), two.log.append(record(2))]);
    assertEquals(await idsOf(one.log), [1, 2]);
    assertEquals((await one.log.get(record(1).id))?.status, 200);
    assertEquals((await one.log.overview(RANGE)).total.requests, 2);
  },
};

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  requestLogContract("RequestLog in PostgreSQL", openOne);
  for (const [name, prove] of Object.entries(SHARED)) {
    Deno.test(`RequestLog in PostgreSQL: ${name}`, prove);
  }
  Deno.test("the server of the log's tests stops", async () => {
    await server?.[Symbol.asyncDispose]();
  });
}
