import { assert, assertEquals, assertRejects } from "@std/assert";
import type { JournalRange, Verification } from "../../gateway/ports/ledger_store.ts";
import { StoreError } from "../../gateway/ports/store_error.ts";
import { connect, type Sql } from "../../gateway/stores/postgres/connection.ts";
import { Batches } from "../../gateway/stores/postgres/ledger/batches.ts";
import { sweepEndings } from "../../gateway/stores/postgres/ledger/endings.ts";
import { PostgresLedger } from "../../gateway/stores/postgres/ledger/ledger.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import { DAMAGES, TABLES } from "./ledger_damages.ts";
import { credit, fund, hold, progress, settle, voidCommand } from "./ledger_store_contract.ts";
import { record } from "./request_log_contract.ts";

const NO_WAIT = { waitMs: 0 };
const WALLET = "w";
const FAR_MS = Date.UTC(2100, 0);

interface Scene {
  readonly sql: Sql;
  readonly url: string;
  readonly ledger: PostgresLedger;
  verify(): Promise<Verification>;
}

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

/** Opens the ledger as one more instance. */
async function openInstance(sql: Sql, id: string) {
  await sql`insert into instance (id) values (${id})`;
  const batches = new Batches(sql, { id });
  const ledger = new PostgresLedger(sql, batches);
  const close = async () => {
    await ledger.close();
    await batches.close();
  };
  return { ledger, close };
}

async function resultOf(ledger: PostgresLedger): Promise<Verification> {
  for await (const { result } of ledger.verification()) if (result !== undefined) return result;
  throw new Error("no result");
}

/** Runs on a ledger of eight batches; none of them is empty. */
function check(what: string, run: (scene: Scene) => Promise<void>): void {
  Deno.test({
    name: `verification in PostgreSQL: ${what}`,
    ignore: bin === undefined,
    async fn() {
      server ??= await startPostgres(bin ?? "");
      const { url, drop } = await newDatabase(server);
      const sql = connect(url);
      await migrate(sql);
      const { ledger, close } = await openInstance(sql, "one");
      try {
        await write(ledger);
        await run({ sql, url, ledger, verify: () => resultOf(ledger) });
      } finally {
        await close();
        await sql.end();
        await drop();
      }
    },
  });
}

/**
 * Batches: 1 opens, 2 credits, 3 holds h, 4 settles it, 5 holds a and b, 6 has progress of a, 7 voids
 * b, 8 holds c and opens a wallet with a hashed name.
 */
async function write(ledger: PostgresLedger): Promise<void> {
  await fund(ledger, 10_000n);
  const named = [{ name: "user:ann", budget: { day: 5n } }];
  await ledger.hold(hold("h", 5n, { named }), NO_WAIT);
  await ledger.settle(settle("h", 3n), { row: record(1, {}) });
  await Promise.all(["a", "b"].map((id) => ledger.hold(hold(id, 7n), NO_WAIT)));
  await ledger.progress(progress("a", 2n), () => record(2, { outcome: "killed" }));
  await ledger.voidHold(voidCommand("b"));
  await Promise.all([
    ledger.hold(hold("c", 9n), NO_WAIT),
    ledger.open({ kind: "open", walletId: "#w", tier: "standard", atMs: 1 }),
  ]);
}

/** Asserts the problems by their beginnings. */
function assertProblems(
  what: string,
  { problems }: Verification,
  beginnings: readonly string[],
): void {
  const sentences = [what, ...problems].join("\n");
  assertEquals(problems.length, beginnings.length, sentences);
  for (const [at, beginning] of beginnings.entries()) {
    assert(problems[at]?.startsWith(beginning), `${beginning}\nis not in\n${sentences}`);
    assert(problems[at]?.includes("restore the store from a backup"), problems[at]);
  }
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
}

check("books that are right have no problems, and are counted", async ({ sql, verify }) => {
  const [head] = await sql<{ hash: string }[]>`select hash from ledger_head`;
  assertEquals(await verify(), {
    ...{ entries: 10, segments: 8, head: head?.hash ?? "", wallets: 2, keys: 1, openHolds: 2 },
    ...{ problems: [], moreProblems: 0 },
  });
});

check("it finds every damage", async ({ sql, verify }) => {
  for (const table of TABLES) await sql.unsafe(`create table saved_${table} as table ${table}`);
  for (const [what, damage] of Object.entries(DAMAGES)) {
    await sql.unsafe(damage.sql);
    assertProblems(what, await verify(), damage.problems);
    for (const table of TABLES) {
      await sql.unsafe(`truncate ${table}; insert into ${table} table saved_${table}`);
    }
  }
  assertEquals((await verify()).problems, []);
});

check("an empty ledger has no problems", async ({ verify, sql }) => {
  await sql`truncate journal, journal_batch, wallet, key_spend, hold, ended_hold, credit`;
  await sql`update ledger_head set batch = 0, entries = 0, at_ms = 0, hash = ''`;
  const { entries, head, problems } = await verify();
  assertEquals({ entries, head, problems }, { entries: 0, head: "", problems: [] });
});

check("it sees one moment while other instances write", async ({ sql, ledger }) => {
  const { ledger: other, close } = await openInstance(sql, "two");
  try {
    for (let turn = 0; turn < 4; turn++) {
      await ledger.credit(credit(`more ${turn}`, 1n));
      const steps = ledger.verification();
      // The first step is read: what follows is after the moment.
      const first = await steps.next();
      await other.hold(hold(`later ${turn}`, 1n), NO_WAIT);
      await other.settle(settle(`later ${turn}`, 1n));
      let result = first.value?.result;
      for await (const step of steps) result = step.result;
      assertEquals(result?.problems, []);
      assertEquals(result?.entries, 11 + turn * 3);
    }
  } finally {
    await close();
  }
});

check("a journal of several thousand entries is read in steps", async ({ ledger }) => {
  const ids = Array.from({ length: 1_300 }, (_, at) => `many ${at}`);
  await Promise.all(ids.map((id) => ledger.hold(hold(id, 1n), NO_WAIT)));
  await Promise.all(ids.map((id) => ledger.settle(settle(id, 1n))));
  const steps = await Array.fromAsync(ledger.verification());
  assert(steps.length > 2);
  const last = steps.at(-1);
  assertEquals(last?.result?.problems, []);
  assertEquals(last?.result?.entries, 2_610);
  assertEquals(steps.every(({ total }) => total === 2_610), true);
});

check("a reader that stops gives its connection back", async ({ url, ledger }) => {
  const small = connect(url, { max: 1 });
  const batches = new Batches(small, { id: "one" });
  const reader = new PostgresLedger(small, batches);
  try {
    for await (const _ of reader.verification()) break;
    assertEquals((await reader.wallet(WALLET))?.credits, 10_000n);
    assertEquals((await ledger.wallet(WALLET))?.credits, 10_000n);
  } finally {
    await reader.close();
    await batches.close();
    await small.end();
  }
});

check("the journal is read by wallet and time, as far as it goes", async ({ sql, ledger }) => {
  const places = async (range: JournalRange) => {
    const { entries } = await ledger.journal(range);
    return (await Array.fromAsync(entries())).flat().map(({ place }) => place);
  };
  await ledger.open({ kind: "open", walletId: "later", tier: "standard", atMs: FAR_MS });
  await ledger.credit(credit("late", 1n));
  assertEquals(await places({}), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  assertEquals(await places({ walletId: "#w" }), [10]);
  assertEquals(await places({ sinceMs: FAR_MS }), [11]);
  assertEquals(await places({ sinceMs: FAR_MS + 1 }), []);
  assertEquals(await places({ untilMs: 1 }), [10]);
  await sql`update journal set line = '' where place = 12`;
  await assertRejects(() => places({}), StoreError, "Cannot read journal entry 12");
});

check("old ended holds are deleted, from the oldest on, and then not missed", async (scene) => {
  const { sql, ledger, verify } = scene;
  for (const id of ["d", "e", "f"]) {
    await ledger.hold(hold(id, 1n), NO_WAIT);
    await ledger.settle(settle(id, 1n));
  }
  assertEquals(await sweepEndings(sql), 0);
  assertEquals(await sweepEndings(sql, { kept: 2 }), 0, "All are younger than a minute");
  assertEquals(await sweepEndings(sql, { kept: 2, age: "0" }), 3);
  const rows = await sql<{ id: string }[]>`select id from ended_hold order by place`;
  assertEquals(rows.map(({ id }) => id), ["e", "f"]);
  assertEquals((await ledger.settle(settle("e", 1n))).ok, true);
  const { problems } = await verify();
  assertEquals(problems.length, 1);
  assert(problems[0]?.startsWith("The rows of 3 ended holds are missing"), problems[0]);
});

Deno.test("the server of the verification's tests stops", async () => {
  await server?.[Symbol.asyncDispose]();
});
