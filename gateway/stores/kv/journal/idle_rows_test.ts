import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { Wallet } from "../../../domain/ledger/ledger.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { MAX_OPEN_COMMITS } from "../limits.ts";
import { type KvStores, openKvStores } from "../open.ts";
import { compareRows, WALLETS } from "./rows_check.ts";

/** A database in memory that outlives its stores, and counts the rows that are read. */
async function withKv(
  test: (scene: { kv: Deno.Kv; open: () => Promise<KvStores>; rowsRead: () => number }) => Promise<
    void
  >,
): Promise<void> {
  const kv = await Deno.openKv(":memory:");
  let rows = 0;
  const counting = new Proxy(kv, {
    get(target, name) {
      if (name === "close") return () => {};
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (name === "get") rows++;
        if (name === "getMany" && Array.isArray(args[0])) rows += args[0].length;
        const result: unknown = Reflect.apply(value, target, args);
        return name === "list" ? counted(result as Deno.KvListIterator<unknown>) : result;
      };
    },
  });
  async function* counted(list: Deno.KvListIterator<unknown>) {
    for await (const row of list) {
      rows++;
      yield row;
    }
  }
  const open = () => openKvStores(":memory:", { openKv: () => Promise.resolve(counting) });
  try {
    await test({ kv, open, rowsRead: () => rows });
  } finally {
    kv.close();
  }
}

/** Opens wallets, each with a key that has made one call. */
async function fill({ ledger, keys }: KvStores, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n++) {
    const [walletId, keyId] = [`w${n}`, `k${n}`];
    await ledger.open({ kind: "open", walletId, tier: "t", atMs: 1 });
    const payment = { opId: `op ${n}`, walletId, amount: 100n, note: "" };
    await ledger.credit({ kind: "credit", ...payment, atMs: 1 });
    const call = { walletId, keyId, logId: `log_${n}`, model: "m", priceVersion: 1 };
    const amounts = { amount: 9n, minimum: 9n, budget: {} };
    const holdId = `h${n}`;
    await ledger.hold({ kind: "hold", holdId, ...call, ...amounts, atMs: 1 }, { waitMs: 0 });
    await ledger.voidHold({ kind: "void", holdId, reason: "test", atMs: 1 });
    const record = {
      ...{ id: keyId, name: "app", walletId, status: "active", policy: {} } as const,
      ...{ hint: "", createdAtMs: n },
    };
    await keys.create({ record, digest: `1.${n}` });
  }
}

Deno.test("a start reads as many rows with many wallets and keys as with few", async () => {
  await withKv(async ({ open, rowsRead }) => {
    const reads: number[] = [];
    for (const [from, to] of [[0, 3], [3, 203]] as const) {
      const stores = await open();
      await fill(stores, from, to);
      await stores.close();
      const before = rowsRead();
      const again = await open();
      reads.push(rowsRead() - before);
      assertEquals([again.ledger.walletCount(), again.keys.count()], [to, to]);
      await again.close();
    }
    assertEquals(reads[1], reads[0]);
  });
});

Deno.test("a start after a kill reads what open commits touch, and no idle row", async () => {
  await withKv(async ({ open, rowsRead }) => {
    const reads: number[] = [];
    for (const [from, to] of [[0, 3], [3, 203]] as const) {
      const filled = await open();
      await fill(filled, from, to);
      await filled.close();
      const killed = await open();
      for (let n = 0; n < 3; n++) {
        const payment = { opId: `open ${from} ${n}`, walletId: `w${n}`, amount: 1n, note: "" };
        await killed.ledger.credit({ kind: "credit", ...payment, atMs: 2 });
      }
      const before = rowsRead();
      const again = await open();
      reads.push(rowsRead() - before);
      assertEquals(again.ledger.walletsInMemory().length, 3);
      assertEquals((await again.verify()).problems, []);
      await again.close();
    }
    // Rows of commits are read whole: the second start finds those of more commits.
    assert((reads[1] ?? NaN) - (reads[0] ?? NaN) <= MAX_OPEN_COMMITS, reads.join());
  });
});

Deno.test("a page of a list reads about as many rows as it shows", async () => {
  await withKv(async ({ open, rowsRead }) => {
    const stores = await open();
    await fill(stores, 0, 203);
    const readsOf = async (work: () => Promise<unknown>) => {
      const before = rowsRead();
      await work();
      return rowsRead() - before;
    };
    assert(await readsOf(() => stores.ledger.walletPage({ limit: 20 })) <= 21);
    assert(await readsOf(() => stores.keys.page({ limit: 20 })) <= 41);
    await stores.close();
  });
});

Deno.test("verifyBooks: idle rows are compared with the journal", async () => {
  await withKv(async ({ kv, open }) => {
    const first = await open();
    await fill(first, 0, 6);
    await first.close();
    const read = async (id: string) => {
      const { value } = await kv.get<Wallet>(["wallet", id]);
      assert(value !== null);
      return value;
    };
    await kv.set(["wallet", "w1"], { ...await read("w1"), credits: 150n, available: 150n });
    await kv.delete(["wallet", "w2"]);
    await kv.set(["wallet", "w9"], { ...await read("w3"), id: "w9" });
    await kv.delete(["spend", "k4"]);
    const second = await open();
    const { problems, wallets } = await second.verify();
    assertEquals([problems.length, wallets], [4, 6], problems.join("\n"));
    const sentences = problems.join("\n");
    assertStringIncludes(
      sentences,
      'Wallet "w1" has available 0.000150, credits 0.000150, its journal comes to available 0.0001',
    );
    assertStringIncludes(sentences, 'The row of wallet "w2" is missing');
    assertStringIncludes(sentences, 'The row of wallet "w9" was changed, it has available');
    assertStringIncludes(sentences, 'The row of key "k4" is missing');
    await second.close();
  });
});

Deno.test("verifyBooks: rows that are used for the first time meanwhile are right", async () => {
  await withKv(async ({ open }) => {
    const first = await open();
    await fill(first, 0, 40);
    await first.close();
    const second = await open();
    const problems: string[] = [];
    for await (const { entries, result } of second.verification()) {
      // Some entries of the journal are read in each step: wallets change before and after that.
      const walletId = `w${entries % 40}`;
      const payment = { opId: `more ${entries}`, walletId, amount: 1n, note: "" };
      if (result === undefined) await second.ledger.credit({ kind: "credit", ...payment, atMs: 2 });
      else problems.push(...result.problems);
    }
    assertEquals(problems, []);
    assertEquals((await second.verify()).problems, []);
    await second.close();
  });
});

Deno.test("compareRows: a row first read after the ledger was compared meets the journal", async () => {
  const kv = await Deno.openKv(":memory:");
  const row = { id: "w", tier: "other" };
  const { versionstamp } = await kv.set(["wallet", "w"], row);
  for (const written of ["before", "since"]) {
    const problems: string[] = [];
    const moment = {
      versionstamp: written === "before" ? versionstamp : "0".repeat(20),
      problems,
    };
    await kv.set(["writer"], 1);
    await compareRows(kv, WALLETS, {
      books: new Map([["w", row]]),
      ...{ compared: new Set<string>(), before: new Map(), moment },
      replayed: new Map([["w", { id: "w", tier: "standard" }]]),
    });
    assertEquals(problems.length, 1, written);
    assertStringIncludes(problems[0] ?? "", 'Wallet "w" has tier "other", its journal comes to');
  }
  kv.close();
});

Deno.test("an idle wallet that holds what no call holds is damage, when it is used", async () => {
  await withKv(async ({ kv, open }) => {
    const first = await open();
    await fill(first, 0, 2);
    await first.close();
    const { value } = await kv.get<Wallet>(["wallet", "w1"]);
    assert(value !== null);
    await kv.set(["wallet", "w1"], { ...value, available: 95n, held: 5n });
    const second = await open();
    const payment = { opId: "more", walletId: "w1", amount: 1n, note: "" };
    await assertRejects(
      () => second.ledger.credit({ kind: "credit", ...payment, atMs: 2 }),
      StoreError,
      'wallet "w1" holds 5 micro-credits, its open holds come to 0',
    );
    assertStringIncludes(second.damage() ?? "", 'wallet "w1" holds 5');
    const sound = { ...payment, walletId: "w0", opId: "sound" };
    assert((await second.ledger.credit({ kind: "credit", ...sound, atMs: 2 })).ok);
    await second.close();
  });
});
