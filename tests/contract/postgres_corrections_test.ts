import { assert, assertEquals } from "@std/assert";
import { refundId } from "../../gateway/domain/ledger/correction.ts";
import { brokenPlace } from "../../gateway/system/trail_check.ts";
import { connect } from "../../gateway/stores/postgres/connection.ts";
import { openPostgresStores } from "../../gateway/stores/postgres/open.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import {
  type CorrectedStores,
  correctionStoreContract,
  debit,
  draft,
  funded,
  hold,
  NOON,
  outcome,
  settle,
  waiting,
} from "./correction_store_contract.ts";
import { MOVED_DAMAGES } from "./ledger_damages.ts";

/** Times that both instances are asked for the same at once. */
const ROUNDS = 8;

const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const entry = () => draft();

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  correctionStoreContract("Corrections in PostgreSQL", async () => {
    server ??= await startPostgres(bin);
    const { url, drop } = await newDatabase(server);
    const store = await openPostgresStores(url, { clock });
    const close = async () => {
      await store.close();
      await drop();
    };
    return { store, close };
  });

  /** Runs with two instances on one database, wallet `w` with 100 micros. */
  const withTwo = async (
    run: (one: CorrectedStores, other: CorrectedStores, url: string) => Promise<void>,
  ): Promise<void> => {
    server ??= await startPostgres(bin);
    const { url, drop } = await newDatabase(server);
    const one = await openPostgresStores(url, { clock });
    const other = await openPostgresStores(url, { clock });
    try {
      await funded(one);
      await run(one, other, url);
      for (const stores of [one, other]) {
        assertEquals((await stores.verify()).problems, []);
        assertEquals((await brokenPlace(stores.trailStore)).problem, undefined);
      }
    } finally {
      await one.close();
      await other.close();
      await drop();
    }
  };

  Deno.test("two instances on PostgreSQL refund a request once, with one entry", () =>
    withTwo(async (one, other) => {
      for (let round = 0; round < ROUNDS; round++) {
        const logId = `log h${round}`;
        await hold(one, `h${round}`, 10n);
        await settle(one, `h${round}`, 10n);
        const refund = {
          ...{ kind: "refund", opId: refundId(logId), walletId: "w", logId, charged: 10n } as const,
          ...{ note: "Test", atMs: NOON },
        };
        const ask = (stores: CorrectedStores, amount: bigint) =>
          stores.corrections.apply({ ...refund, amount }, { entry });
        const same = await Promise.all([one, other, one, other].map((at) => ask(at, 10n)));
        assertEquals(new Set(same.map(outcome)), new Set(["100 of 100, 0 held, 0 spent"]));
        assertEquals(outcome(await ask(other, 5n)), "id_reused");
        assertEquals((await one.trailStore.head()).place, round + 1);
      }
      const { entries } = await other.ledger.statement("w", { limit: 100 });
      assertEquals(entries.filter(({ op }) => op === "refund").length, ROUNDS);
    }));

  Deno.test("of two refunds of a request with other amounts, on two instances, one is made", () =>
    withTwo(async (one, other) => {
      await hold(one, "h", 10n);
      await settle(one, "h", 10n);
      const refund = {
        ...{ kind: "refund", opId: refundId("log h"), walletId: "w", logId: "log h" } as const,
        ...{ charged: 10n, note: "Test", atMs: NOON },
      };
      const answers = await Promise.all([
        one.corrections.apply({ ...refund, amount: 10n }, { entry }),
        other.corrections.apply({ ...refund, amount: 4n }, { entry }),
      ]);
      assertEquals(answers.filter(({ ok }) => ok).length, 1);
      const spent = answers[0]?.ok ? 0n : 6n;
      assertEquals((await one.ledger.wallet("w"))?.spent, spent);
    }));

  Deno.test("two approvals on two instances apply a correction once, also beside a refusal", () =>
    withTwo(async (one, other) => {
      for (let round = 0; round < ROUNDS; round++) {
        const first = waiting(debit(`d${round}`, 1n));
        assert(await one.corrections.put(first, draft()));
        const ended = { ...first, state: "approved", version: 2 } as const;
        const { available } = await one.ledger.wallet("w") ?? {};
        const { place } = await one.trailStore.head();
        const approve = ({ corrections }: CorrectedStores) =>
          corrections.apply(first.command, { entry, ended }).then(({ ok }) => ok);
        const ends = await Promise.all([
          approve(one),
          round % 2 === 0 ? approve(other) : other.corrections.put(
            { ...ended, state: "refused" },
            draft(),
          ),
          approve(other),
        ]);
        assertEquals(ends.filter(Boolean).length, 1);
        const stored = (await other.corrections.all()).find(({ id }) => id === first.id);
        const taken = stored?.state === "approved" ? 1n : 0n;
        assertEquals((await other.ledger.wallet("w"))?.available, (available ?? 0n) - taken);
        assertEquals((await one.trailStore.head()).place, place + 1);
      }
    }));

  Deno.test("two moves of a key on two instances: one is made, the other is overtaken", () =>
    withTwo(async (one, other) => {
      await funded(one, "v");
      await funded(one, "u");
      const record = {
        ...{ id: "key_1", name: "Shop", walletId: "w", status: "active", policy: {} } as const,
        ...{ hint: "svc_live_a", createdAtMs: NOON },
      };
      assert(await one.keys.create({ record, digest: "1.ab" }));
      const move = { kind: "move", keyId: "key_1", from: "w", note: "Test", atMs: NOON } as const;
      const moved = await Promise.all([
        one.corrections.apply({ ...move, opId: "m", walletId: "v" }, { entry }),
        other.corrections.apply({ ...move, opId: "n", walletId: "u" }, { entry }),
      ]);
      const to = moved[0]?.ok ? "v" : "u";
      assertEquals(moved.filter(({ ok }) => ok).length, 1);
      assertEquals((await other.keys.get("key_1"))?.walletId, to);
      assertEquals((await one.trailStore.head()).place, 1);
    }));

  Deno.test("a moved key is verified against its last move", () =>
    withTwo(async (one, other, url) => {
      await funded(one, "v");
      const record = {
        ...{ id: "key_1", name: "Shop", walletId: "w", status: "active", policy: {} } as const,
        ...{ hint: "svc_live_a", createdAtMs: NOON },
      };
      await one.keys.create({ record, digest: "1.ab" });
      const move = { kind: "move", keyId: "key_1", note: "Test", atMs: NOON } as const;
      for (const [from, walletId] of [["w", "v"], ["v", "w"], ["w", "v"]] as const) {
        const opId = crypto.randomUUID();
        const { ok } = await one.corrections.apply({ ...move, opId, from, walletId }, { entry });
        assert(ok);
      }
      const sql = connect(url);
      try {
        await sql`create table saved_key as table api_key`;
        for (const [what, [damage, beginning]] of Object.entries(MOVED_DAMAGES)) {
          await sql.unsafe(damage);
          const { problems } = await other.verify();
          assertEquals(problems.length, 1, `${what}: ${problems.join()}`);
          assert(problems[0]?.startsWith(beginning), `${what}: ${problems[0]}`);
          await sql`delete from api_key`;
          await sql`insert into api_key table saved_key`;
        }
      } finally {
        await sql.end();
      }
    }));

  Deno.test("the server of the tests of corrections stops", async () => {
    await server?.[Symbol.asyncDispose]();
  });
}
