import { assertEquals } from "@std/assert";
import type { HoldCommand } from "../../gateway/domain/ledger/ledger.ts";
import { connect, type Sql } from "../../gateway/stores/postgres/connection.ts";
import { Batches } from "../../gateway/stores/postgres/ledger/batches.ts";
import { PostgresLedger } from "../../gateway/stores/postgres/ledger/ledger.ts";
import type { LineWatchOptions } from "../../gateway/stores/postgres/ledger/line_watch.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import { credit, fund, hold, outcome, settle, voidCommand } from "./ledger_store_contract.ts";

const NO_WAIT = { waitMs: 0 };
/** A wait that a test never sees the end of. */
const LONG = { waitMs: 600_000 };
const NEVER_MS = 600_000;

type Ledgers = readonly [PostgresLedger, PostgresLedger];

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

/** Runs with the ledgers of two instances. */
function check(
  what: string,
  line: LineWatchOptions,
  run: (ledgers: Ledgers, sql: Sql) => Promise<void>,
): void {
  Deno.test({
    name: `the line of waiting holds in PostgreSQL: ${what}`,
    ignore: bin === undefined,
    async fn() {
      server ??= await startPostgres(bin ?? "");
      const { url, drop } = await newDatabase(server);
      const sql = connect(url);
      await migrate(sql);
      const open = async (id: string) => {
        await sql`insert into instance (id) values (${id})`;
        const batches = new Batches(sql, { id });
        return { batches, ledger: new PostgresLedger(sql, batches, { line }) };
      };
      const [one, two] = [await open("one"), await open("two")];
      try {
        await fund(one.ledger, 10n);
        await run([one.ledger, two.ledger], sql);
      } finally {
        for (const { ledger, batches } of [one, two]) {
          await ledger.close();
          await batches.close();
        }
        await sql.end();
        await drop();
      }
    },
  });
}

/** Resolves when as many holds wait in the line, and their instances listen. */
async function untilWaiting(sql: Sql, count: number, listeners: number): Promise<void> {
  for (;;) {
    const [row] = await sql<{ waiting: number; listening: number }[]>`
      select (select count(*)::int from waiting_hold) as waiting,
        (select count(*)::int from pg_stat_activity
          where datname = current_database() and query ilike 'listen %') as listening
    `;
    if (row?.waiting === count && row.listening >= listeners) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
}

check("a notice wakes a hold of another instance", { lookMs: NEVER_MS }, async (ledgers, sql) => {
  const [one, two] = ledgers;
  await one.hold(hold("all", 10n), NO_WAIT);
  const waiting = two.hold(hold("next", 6n), LONG);
  await untilWaiting(sql, 1, 1);
  await one.settle(settle("all", 1n));
  assertEquals(await waiting, { ok: true, value: { held: 6n } });
});

check(
  "without notices it is found by looking",
  { lookMs: 5, listens: false },
  async ([one, two], sql) => {
    await one.hold(hold("all", 10n), NO_WAIT);
    const waiting = two.hold(hold("next", 6n), LONG);
    await untilWaiting(sql, 1, 0);
    await one.voidHold(voidCommand("all"));
    assertEquals(await waiting, { ok: true, value: { held: 6n } });
  },
);

check("a waiting hold that is voided leaves the line", {}, async ([one, two], sql) => {
  await one.hold(hold("all", 10n), NO_WAIT);
  const waiting = two.hold(hold("next", 6n), { waitMs: 500 });
  await untilWaiting(sql, 1, 1);
  assertEquals(await one.voidHold(voidCommand("next")), { ok: false, refusal: "hold_not_found" });
  await untilWaiting(sql, 0, 0);
  // Its caller, if it still waits, enters the line again.
  assertEquals(await waiting, { ok: false, refusal: "insufficient_balance" });
});

check("an aborted wait is refused, and a closing store ends all", {}, async ([one, two], sql) => {
  await one.hold(hold("all", 10n), NO_WAIT);
  const controller = new AbortController();
  const aborted = two.hold(hold("next", 6n), { ...LONG, signal: controller.signal });
  await untilWaiting(sql, 1, 1);
  controller.abort();
  assertEquals(await aborted, { ok: false, refusal: "insufficient_balance" });
  await untilWaiting(sql, 0, 0);
  const cut = two.hold(hold("last", 6n), LONG).catch(({ message }) => message);
  await untilWaiting(sql, 1, 1);
  await two.close();
  assertEquals(await cut, "Cannot hold: The store is closing");
});

/** Begins holds of 10 micro-credits that wait until the test ends. Their ids begin with a name. */
function crowd(ledger: PostgresLedger, name: string, { count, ...rest }: Crowd) {
  return Array.from(
    { length: count },
    (_, at) => ledger.hold(hold(`${name}-${at}`, 10n, rest), LONG).catch(() => undefined),
  );
}

type Crowd = Partial<HoldCommand> & { readonly count: number };

check("a long line of one wallet hides no line of another", {}, async ([one, two], sql) => {
  await one.hold(hold("all", 10n), NO_WAIT);
  await one.open({ kind: "open", walletId: "poor", tier: "standard", atMs: 0 });
  await one.credit(credit("seed-poor", 10n, "poor"));
  await one.hold(hold("all-poor", 10n, { walletId: "poor" }), NO_WAIT);
  crowd(one, "poor", { walletId: "poor", count: 250 });
  await untilWaiting(sql, 250, 0);
  const waiting = [1, 2, 3].map((at) => two.hold(hold(`w-${at}`, 3n), { waitMs: 3_000 }));
  await untilWaiting(sql, 253, 0);
  const passing = one.hold(hold("poor-last", 1n, { walletId: "poor" }), NO_WAIT);
  const settled = one.settle(settle("all", 0n));
  const late = one.hold(hold("late", 1n), NO_WAIT);
  assertEquals((await Promise.all(waiting)).map(outcome), Array(3).fill({ held: 3n }));
  assertEquals(outcome(await passing), "insufficient_balance");
  assertEquals(outcome(await late), { held: 1n });
  await settled;
});

check("a crowd of one key lets other keys pass", {}, async ([one, two], sql) => {
  await one.credit(credit("more", 100n));
  const budget = { day: 10n };
  await one.hold(hold("first", 10n, { budget }), NO_WAIT);
  crowd(one, "short", { budget, count: 201 });
  await untilWaiting(sql, 201, 0);
  const other = two.hold(hold("other", 5n, { keyId: "k2" }), { waitMs: 1_000 });
  assertEquals(outcome(await other), { held: 5n });
});

check("a payment serves more than one batch reads, in order", {}, async ([one, two], sql) => {
  await one.hold(hold("all", 10n), NO_WAIT);
  const first = crowd(one, "first", { count: 230 });
  await untilWaiting(sql, 230, 0);
  const last = crowd(two, "last", { keyId: "k2", count: 230 });
  await untilWaiting(sql, 460, 0);
  await one.credit(credit("more", 4_600n));
  const answers = await Promise.all([...first, ...last]);
  assertEquals(answers.filter((answer) => answer?.ok).length, 460);
  const ids: string[] = [];
  for await (const entry of one.entries()) {
    if (entry.op === "hold") ids.push(entry.id.replace(/-\d+/, ""));
  }
  assertEquals(ids, ["all", ...Array(230).fill("first"), ...Array(230).fill("last")]);
});

check("more than a thousand do not wait for one wallet", {}, async ([one, two], sql) => {
  await one.hold(hold("all", 10n), NO_WAIT);
  crowd(one, "many", { count: 999 });
  await untilWaiting(sql, 999, 0);
  const [last, beyond] = [hold("last", 1n), hold("beyond", 1n)];
  two.hold(last, LONG).catch(() => {});
  assertEquals(outcome(await two.hold(beyond, LONG)), "insufficient_balance");
  await untilWaiting(sql, 1_000, 0);
});

check("those behind a hold that is voided in the line are served", {}, async ([one, two], sql) => {
  await one.hold(hold("part", 4n), NO_WAIT);
  const large = two.hold(hold("large", 10n), { waitMs: 600 });
  await untilWaiting(sql, 1, 1);
  const small = two.hold(hold("small", 5n), { waitMs: 3_000 });
  await untilWaiting(sql, 2, 1);
  await one.voidHold(voidCommand("large"));
  assertEquals(outcome(await small), { held: 5n });
  assertEquals(outcome(await large), "insufficient_balance");
});

Deno.test("the server of the line's tests stops", async () => {
  await server?.[Symbol.asyncDispose]();
});
