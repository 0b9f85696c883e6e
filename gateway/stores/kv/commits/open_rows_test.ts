import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { HoldCommand, Wallet } from "../../../domain/ledger/ledger.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { checkStore } from "../check_store.ts";
import { checkWallets } from "../journal/ledger_rows.ts";
import { loadBooks } from "../journal/load.ts";
import { MAX_OPEN_COMMITS } from "../limits.ts";
import { type KvStores, type KvStoresOptions, openKvStores } from "../open.ts";
import { COUNTS_KEY, type Head, HEAD_KEY } from "../rows.ts";

const WALLETS = ["w0", "w1", "w2", "w3", "w4", "w5"];
const FUNDS = 1_000n;

interface Scene {
  readonly kv: Deno.Kv;
  /** Opens the stores, as after a kill: earlier ones stay as they are. */
  readonly start: (options?: KvStoresOptions) => Promise<KvStores>;
}

/** Runs with funded wallets in their rows; of those not in use hardly any stay in memory. */
function check(what: string, run: (scene: Scene) => Promise<void>): void {
  Deno.test(`rows of open commits: ${what}`, async () => {
    const kv = await Deno.openKv(":memory:");
    const close = kv.close.bind(kv);
    kv.close = () => {};
    const start = (options: KvStoresOptions = {}) => {
      const openKv = () => Promise.resolve(kv);
      return openKvStores(":memory:", { nowMs: () => 1_000, idleRows: 1, ...options, openKv });
    };
    try {
      const stores = await start();
      for (const walletId of WALLETS) {
        await stores.ledger.open({ kind: "open", walletId, tier: "standard", atMs: 0 });
        await pay(stores, walletId, { opId: `seed ${walletId}`, amount: FUNDS });
      }
      await stores.close();
      await run({ kv, start });
    } finally {
      close();
    }
  });
}

async function pay(
  { ledger }: KvStores,
  walletId: string,
  { opId, amount }: { readonly opId: string; readonly amount: bigint },
): Promise<void> {
  await ledger.credit({ kind: "credit", walletId, opId, amount, note: "", atMs: 1 });
}

function hold(walletId: string, holdId: string, amount: bigint): HoldCommand {
  const call = { walletId, keyId: `key of ${walletId}`, logId: holdId, model: "m" };
  return {
    ...{ kind: "hold", holdId, ...call, priceVersion: 1, amount, minimum: amount, budget: {} },
    atMs: 1,
  };
}

/** A call that costs 3 of 5 micro-credits. */
async function call({ ledger }: KvStores, walletId: string, holdId: string): Promise<void> {
  assert((await ledger.hold(hold(walletId, holdId, 5n), { waitMs: 0 })).ok);
  const tokens = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false };
  assert((await ledger.settle({ kind: "settle", holdId, cost: 3n, ...tokens, atMs: 1 })).ok);
}

/** Uses every wallet, so that those which may leave memory do. */
async function useAll({ ledger }: KvStores): Promise<void> {
  for (const id of WALLETS) {
    await ledger.wallet(id);
    await ledger.keySpend(`key of ${id}`);
  }
}

async function rowOf(kv: Deno.Kv, id: string): Promise<Wallet> {
  const { value } = await kv.get<Wallet>(["wallet", id]);
  assert(value !== null);
  return value;
}

/** Credits of the wallets, and what their keys have spent. */
async function balancesOf({ ledger }: KvStores): Promise<string[]> {
  const texts: string[] = [];
  for (const id of WALLETS) {
    const [wallet, spend] = [await ledger.wallet(id), await ledger.keySpend(`key of ${id}`)];
    texts.push(`${id}: ${wallet?.available} of ${wallet?.credits}, ${spend?.totalSpent ?? 0n}`);
  }
  const listed = await Array.fromAsync(ledger.allWallets());
  const page = await ledger.walletPage({ limit: 100 });
  assertEquals(page.wallets, listed);
  assertEquals(listed, await Promise.all(WALLETS.map((id) => ledger.wallet(id))));
  return texts;
}

check("a wallet stays in memory while its row is out of date", async ({ kv, start }) => {
  const stores = await start();
  const before = await rowOf(kv, "w0");
  await call(stores, "w0", "h0");
  await useAll(stores);
  assertEquals(await rowOf(kv, "w0"), before);
  assertEquals(stores.ledger.walletsInMemory().find(({ id }) => id === "w0")?.spent, 3n);
  const { ledger } = stores;
  assertEquals((await ledger.wallet("w0"))?.available, FUNDS - 3n);
  assertEquals((await ledger.keySpend("key of w0"))?.totalSpent, 3n);
  const tooMuch = await ledger.hold(hold("w0", "h1", FUNDS), { waitMs: 0 });
  assertEquals(tooMuch.ok, false);
  await stores.close();
});

check("a wallet leaves memory after a fold, and its row is right", async ({ kv, start }) => {
  const stores = await start();
  await call(stores, "w0", "h0");
  // Folds.
  await stores.verify();
  assertEquals((await rowOf(kv, "w0")).available, FUNDS - 3n);
  await useAll(stores);
  assert(!stores.ledger.walletsInMemory().some(({ id }) => id === "w0"));
  assertEquals((await stores.ledger.wallet("w0"))?.available, FUNDS - 3n);
  await stores.close();
});

check("a list shows wallets as they are, not as their rows", async ({ start }) => {
  const stores = await start();
  await pay(stores, "w3", { opId: "more", amount: 7n });
  await useAll(stores);
  const keep = (wallets: readonly Wallet[]) => {
    return Promise.resolve(wallets.filter(({ credits }) => credits > FUNDS));
  };
  const { wallets } = await stores.ledger.walletPage({ limit: 9, keep });
  assertEquals(wallets.map(({ id }) => id), ["w3"]);
  await stores.close();
});

check("a wallet that is opened is listed at once", async ({ start }) => {
  const stores = await start();
  await stores.ledger.open({ kind: "open", walletId: "w9", tier: "standard", atMs: 1 });
  const { wallets } = await stores.ledger.walletPage({ limit: 1, from: "w9" });
  assertEquals(wallets.map(({ id }) => id), ["w9"]);
  const after = await start();
  assertEquals(after.ledger.walletCount(), WALLETS.length + 1);
  await after.close();
});

for (const maxOpenCommits of [0, 1, 2, 5, MAX_OPEN_COMMITS]) {
  check(`a kill at any commit, folds after ${maxOpenCommits}, loses nothing`, async ({ start }) => {
    let stores = await start({ maxOpenCommits });
    const calls = new Map(WALLETS.map((id) => [id, 0n]));
    for (let n = 0; n < 40; n++) {
      const id = WALLETS[n * 5 % 7 % WALLETS.length] ?? "";
      await call(stores, id, `h${n}`);
      calls.set(id, (calls.get(id) ?? 0n) + 1n);
      if (n % 3 === 0) await useAll(stores);
      const expected = Array.from(calls, ([wallet, count]) => {
        return `${wallet}: ${FUNDS - 3n * count} of ${FUNDS}, ${3n * count}`;
      });
      assertEquals(await balancesOf(stores), expected, `before the kill after call ${n}`);
      stores = await start({ maxOpenCommits });
      assertEquals(await balancesOf(stores), expected, `after the kill after call ${n}`);
    }
    assertEquals((await stores.verify()).problems, []);
    await stores.close();
  });
}

check("a hold that a kill leaves in an open commit ends at the start", async ({ kv, start }) => {
  const stores = await start();
  await call(stores, "w1", "h0");
  await stores.ledger.hold(hold("w1", "h1", 11n), { waitMs: 0 });
  await stores.ledger.hold(hold("w2", "h2", 13n), { waitMs: 0 });
  assertEquals((await rowOf(kv, "w1")).held, 0n);
  const after = await start();
  assertEquals(await after.ledger.openHolds(), []);
  assertEquals((await after.ledger.wallet("w1"))?.available, FUNDS - 3n);
  assertEquals((await after.ledger.wallet("w2"))?.available, FUNDS);
  assertEquals((await after.verify()).problems, []);
  await after.close();
});

check("a hold in a row may end in an open commit, and the other way round", async ({ start }) => {
  const stores = await start();
  await stores.ledger.hold(hold("w1", "h1", 11n), { waitMs: 0 });
  await stores.verify();
  await stores.ledger.voidHold({ kind: "void", holdId: "h1", reason: "test", atMs: 1 });
  await stores.ledger.hold(hold("w1", "h2", 12n), { waitMs: 0 });
  const after = await start();
  assertEquals((await after.ledger.wallet("w1"))?.available, FUNDS);
  assertEquals((await after.verify()).problems, []);
  await after.close();
});

check("an offline check sees the ledger after the open commits", async ({ kv, start }) => {
  const stores = await start();
  await call(stores, "w0", "h0");
  await stores.ledger.hold(hold("w1", "h1", 11n), { waitMs: 0 });
  const results = async () => {
    const steps = await Array.fromAsync(checkStore(kv));
    const result = steps.at(-1)?.result;
    assert(result !== undefined);
    return result.verification;
  };
  const { problems, entries, openHolds } = await results();
  assertEquals([problems, entries, openHolds], [[], 2 * WALLETS.length + 3, 1]);
  const { value, versionstamp } = await kv.get<Head>(HEAD_KEY);
  assert(value !== null && versionstamp !== null);
  const { books } = await loadBooks(kv, { value, versionstamp });
  assertEquals(await checkWallets(kv, books), WALLETS.length);
  const { credits, ...row } = await rowOf(kv, "w0");
  await kv.set(["wallet", "w0"], { ...row, available: credits + 1n, credits: credits + 1n });
  const damaged = (await results()).problems.join("\n");
  assertStringIncludes(damaged, 'The row of wallet "w0" was written by another process');
});

check("a damaged row of an open commit is reported, not repaired", async ({ kv, start }) => {
  const stores = await start();
  await call(stores, "w0", "h0");
  await kv.set(["wallet", "w0"], { ...await rowOf(kv, "w0"), tier: "other" });
  await call(stores, "w1", "h1");
  const { problems } = await stores.verify();
  assertEquals(problems.length, 1, problems.join("\n"));
  assertStringIncludes(
    problems[0] ?? "",
    'The row of wallet "w0" was changed, it has tier "other"',
  );
  await stores.close();
});

check("a start refuses open commits that contradict their rows", async ({ kv, start }) => {
  const stores = await start();
  await stores.ledger.hold(hold("w0", "h0", FUNDS), { waitMs: 0 });
  const row = await rowOf(kv, "w0");
  await kv.set(["wallet", "w0"], { ...row, available: row.available - 1n, spent: row.spent + 1n });
  const error = await assertRejects(() => start(), StoreError, 'beyond wallet "w0"');
  assert(error.isDamage);
});

check("keys are counted once, in single commits and folds, at every kill", async (scene) => {
  const { kv, start } = scene;
  for (const maxOpenCommits of [0, 3, MAX_OPEN_COMMITS]) {
    let stores = await start({ maxOpenCommits });
    for (let n = 0; n < 9; n++) {
      const before = stores.keys.count();
      const record = {
        ...{
          id: `k${maxOpenCommits}-${n}`,
          name: "app",
          walletId: "w0",
          status: "active",
        } as const,
        ...{ policy: {}, hint: "", createdAtMs: n },
      };
      assert(await stores.keys.create({ record, digest: `1.${record.id}` }));
      assertEquals(stores.keys.count(), before + 1);
      await call(stores, WALLETS[n % 3] ?? "", `h${record.id}`);
      stores = await start({ maxOpenCommits });
      assertEquals(stores.keys.count(), before + 1);
      assertEquals((await Array.fromAsync(stores.keys.all())).length, before + 1);
    }
    assertEquals((await kv.get(COUNTS_KEY)).value, {
      wallets: WALLETS.length,
      keys: stores.keys.count(),
    });
    await stores.close();
  }
});

for (const how of ["landed", "did not land"]) {
  for (const maxOpenCommits of [0, MAX_OPEN_COMMITS]) {
    const form = maxOpenCommits === 0 ? "fold" : "single commit";
    check(`what a ${form} in doubt changes stays in memory; it ${how}`, async ({ kv, start }) => {
      const stores = await start({ maxOpenCommits });
      await call(stores, "w0", "h0");
      const before = (await stores.ledger.wallet("w0"))?.credits ?? 0n;
      const { atomic, getMany } = kv;
      kv.atomic = () => {
        const operation = atomic.call(kv);
        const commit = operation.commit.bind(operation);
        operation.commit = async () => {
          if (how === "landed") await commit();
          throw new Error("disk I/O error");
        };
        return operation;
      };
      kv.getMany = () => Promise.reject(new Error("disk I/O error"));
      const paying = () => pay(stores, "w0", { opId: "in doubt", amount: 100n });
      await assertRejects(paying, StoreError, "not known yet");
      // The operation is over, and nothing but the doubt keeps its wallet.
      await useAll(stores);
      assert(stores.ledger.walletsInMemory().some(({ id }) => id === "w0"));
      kv.atomic = atomic;
      kv.getMany = getMany;
      await call(stores, "w1", "h1");
      const paid = how === "landed" ? 100n : 0n;
      assertEquals((await stores.ledger.wallet("w0"))?.credits, before + paid);
      assertEquals((await stores.verify()).problems, []);
      await useAll(stores);
      assert(!stores.ledger.walletsInMemory().some(({ id }) => id === "w0"));
      assertEquals((await stores.ledger.wallet("w0"))?.credits, before + paid);
      await stores.close();
    });
  }
}
