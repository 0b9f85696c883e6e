import {
  assert,
  assertEquals,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import type { HoldCommand, Wallet } from "../../../domain/ledger/ledger.ts";
import type { RequestRecord } from "../../../ports/request_log.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { COMMIT_ROW_SIZES, MAX_OPEN_CHANGES, MAX_OPEN_COMMITS } from "../limits.ts";
import { type KvStores, type KvStoresOptions, openKvStores } from "../open.ts";
import { bytesOf, COMMIT_ROWS, FENCE_KEY, type Head, HEAD_KEY, textOf } from "../rows.ts";
import { sha256 } from "../segment.ts";
import { commitKey } from "./commit_row.ts";

const NO_WAIT = { waitMs: 0 };

function hold(n: number, model = "m"): HoldCommand {
  const call = { walletId: "w", keyId: "k", logId: logId(n), model, priceVersion: 1 };
  return { kind: "hold", holdId: `h${n}`, ...call, amount: 5n, minimum: 5n, budget: {}, atMs: n };
}

function logId(n: number): string {
  return `log_${String(n).padStart(6, "0")}`;
}

function record(n: number): RequestRecord {
  return {
    ...{ id: logId(n), requestId: `req-${n}`, atMs: n, keyId: "k", walletId: "w" },
    ...{ endpoint: "chat", stream: false, status: 200, outcome: "ok", durationMs: 1 },
    ...{ holdIds: [`h${n}`], charged: "0.000003", estimated: false },
    ...{ inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 },
  };
}

async function fund({ ledger }: KvStores): Promise<void> {
  await ledger.open({ kind: "open", walletId: "w", tier: "standard", atMs: 0 });
  const payment = { opId: "seed", walletId: "w", amount: 10_000n, note: "" };
  await ledger.credit({ kind: "credit", ...payment, atMs: 0 });
}

/** Two commits: a hold, and its settlement with the request's row. */
async function request({ ledger }: KvStores, n: number): Promise<void> {
  await ledger.hold(hold(n), NO_WAIT);
  const tokens = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false };
  const end = { kind: "settle", holdId: `h${n}`, cost: 3n, ...tokens, atMs: n } as const;
  await ledger.settle(end, { row: record(n) });
}

interface Case {
  readonly kv: Deno.Kv;
  readonly stores: KvStores;
  /** Opens the stores again, as after a kill: the first ones stay as they are. */
  again(options?: KvStoresOptions): Promise<KvStores>;
}

/** Runs on a store with a funded wallet: its opening is a fold, its credit a row. */
function check(what: string, run: (scene: Case) => Promise<void>): void {
  Deno.test(`single commits: ${what}`, async () => {
    const kv = await Deno.openKv(":memory:");
    const close = kv.close.bind(kv);
    kv.close = () => {};
    const openKv = () => Promise.resolve(kv);
    const again = (options: KvStoresOptions = {}) => {
      return openKvStores(":memory:", { nowMs: () => 1_000, ...options, openKv });
    };
    const stores = await again();
    try {
      await fund(stores);
      await run({ kv, stores, again });
    } finally {
      await stores.close().catch(() => {});
      close();
    }
  });
}

async function numberOf(kv: Deno.Kv, prefix: string): Promise<number> {
  return (await Array.fromAsync(kv.list({ prefix: [prefix] }))).length;
}

/** Returns everything that readers see. */
async function viewOf({ ledger, log }: KvStores): Promise<unknown> {
  const { entries, cursor } = await ledger.statement("w", { limit: 1_000 });
  const overview = await log.overview({ sinceMs: 0, untilMs: 60_000 });
  return {
    wallets: await Array.fromAsync(ledger.allWallets()),
    spend: await ledger.keySpend("k"),
    entries,
    cursor,
    exported: await Array.fromAsync(ledger.entries()),
    requests: await log.search({ limit: 1_000 }),
    oldest: (await log.search({ limit: 3, order: "oldest" })).records,
    counted: overview.total,
    uncounted: overview.uncounted,
  };
}

check("write one row each, and no other", async ({ kv, stores }) => {
  const opened = await kv.get<Wallet>(["wallet", "w"]);
  await request(stores, 1);
  assertEquals(await kv.get(["wallet", "w"]), opened);
  assertEquals(opened.value?.credits, 0n);
  assertEquals(await numberOf(kv, "journal"), 1);
  assertEquals(await numberOf(kv, "spend"), 0);
  assertEquals(await numberOf(kv, "commit"), 3);
  const rows = await Array.fromAsync(kv.list<Uint8Array>({ prefix: COMMIT_ROWS }));
  for (const { key, value } of rows) assertEquals(value.length, COMMIT_ROW_SIZES[Number(key[1])]);
});

check("are what a kill leaves, and a start finds", async ({ stores, again }) => {
  for (let n = 1; n <= 10; n++) await request(stores, n);
  const before = await viewOf(stores);
  const after = await again();
  assertEquals(await viewOf(after), before);
  await request(after, 11);
  await after.close();
  const closed = await again();
  assertEquals((await closed.log.search({ limit: 1_000 })).records.length, 11);
  assertEquals((await closed.verify()).problems, []);
  await closed.close();
});

check("read the same before and after they are folded", async ({ kv, stores, again }) => {
  for (let n = 1; n <= 20; n++) await request(stores, n);
  const before = await viewOf(stores);
  await stores.close();
  assertEquals(await numberOf(kv, "journal"), 3);
  const after = await again();
  assertEquals(await viewOf(after), before);
  await after.close();
});

check("keep the places of rows and entries when they are folded", async ({ stores }) => {
  // More than fit into one segment.
  for (let n = 1; n <= 25; n++) await request(stores, n);
  const rows = await stores.log.search({ limit: 2 });
  const entries = await stores.ledger.statement("w", { limit: 3 });
  // Enough for a fold.
  for (let n = 26; n <= MAX_OPEN_COMMITS; n++) await request(stores, n);
  const older = await stores.log.search({ limit: 3, cursor: rows.cursor });
  assertEquals(older.records.map(({ requestId }) => requestId), ["req-23", "req-22", "req-21"]);
  const [next] = (await stores.ledger.statement("w", { limit: 1, cursor: entries.cursor })).entries;
  assertEquals(next?.op === "hold" && next.id, "h24");
  assertEquals((await stores.log.search({ limit: 1_000 })).records.length, MAX_OPEN_COMMITS);
  assertEquals((await stores.log.overview({ sinceMs: 0, untilMs: 60_000 })).total.requests, 64);
});

check("use their rows again after a fold", async ({ kv, stores, again }) => {
  for (let n = 1; n <= 200; n++) await request(stores, n);
  assert(await numberOf(kv, "commit") <= MAX_OPEN_COMMITS);
  const before = await viewOf(stores);
  const after = await again();
  assertEquals(await viewOf(after), before);
  await after.close();
});

check("find the fence with the head, whatever wrote both", async ({ kv, stores, again }) => {
  const stamps = async () => {
    const rows = await kv.getMany([HEAD_KEY, FENCE_KEY]);
    return rows.map(({ versionstamp }) => versionstamp);
  };
  const expectTogether = async () => {
    const [head, fence] = await stamps();
    assert(head !== null);
    assertEquals(fence, head);
  };
  await expectTogether();
  const before = await stamps();
  for (let n = 1; n <= 200; n++) await request(stores, n);
  await expectTogether();
  assertNotEquals(await stamps(), before);
  await (await again()).close();
  await expectTogether();
});

check("fold at once when they are large", async ({ kv, stores }) => {
  const calls = Array.from({ length: 100 }, (_, n) => request(stores, n));
  await Promise.all(calls);
  assert(await numberOf(kv, "journal") > 0);
  assertEquals((await stores.verify()).problems, []);
});

check("fold before they have changed too many wallets and keys for one commit", async (scene) => {
  const { stores, kv } = scene;
  const wallets = Array.from({ length: 60 }, (_, n) => `${n} ${"x".repeat(200)}`);
  await Promise.all(wallets.map(async (walletId) => {
    await stores.ledger.open({ kind: "open", walletId, tier: "standard", atMs: 0 });
    const payment = { opId: `seed ${walletId}`, walletId, amount: 10n, note: "" };
    await stores.ledger.credit({ kind: "credit", ...payment, atMs: 0 });
  }));
  const used = await numberOf(kv, "commit");
  for (const [n, walletId] of wallets.entries()) {
    const answer = await stores.ledger.hold({ ...hold(n), walletId, keyId: walletId }, NO_WAIT);
    assert(answer.ok);
  }
  assert(await numberOf(kv, "commit") - used < MAX_OPEN_CHANGES / 2 + 1);
  assertEquals((await stores.verify()).problems, []);
});

check("fit with rows that have many long names of budgets", async ({ kv, stores, again }) => {
  const long = (n: number) => ({ name: `user:${"灯".repeat(253)}${n}`, budget: { day: 90n } });
  const holdOf = (n: number, names: number) => {
    const named = Array.from({ length: 16 }, (_, at) => long(names + at));
    return { ...hold(n), keyId: `key-${n % 90}`, named };
  };
  const held = (n: number, names: number) => stores.ledger.hold(holdOf(n, names), NO_WAIT);
  const all = await Promise.all(Array.from({ length: 90 }, (_, n) => held(n, 0)));
  for (let n = 90; n < 180; n++) all.push(await held(n, 0));
  // All names that a row has room for, and one more.
  for (let n = 0; n < 4; n++) {
    all.push(
      await stores.ledger.hold({
        ...holdOf(180 + n, n * 16),
        keyId: "key-0",
      }, NO_WAIT),
    );
  }
  assert(all.every(({ ok }) => ok));
  assertEquals(
    (await stores.ledger.hold(
      { ...hold(190), keyId: "key-0", named: [long(64)] },
      NO_WAIT,
    )).ok,
    false,
  );
  // A name that a row has already does not fold.
  const heads: (string | null)[] = [];
  for (let n = 200; n < 203; n++) {
    assert((await stores.ledger.hold({ ...hold(n), named: [long(1)] }, NO_WAIT)).ok);
    heads.push((await kv.get(HEAD_KEY)).versionstamp);
  }
  assertEquals(heads[2], heads[0]);
  assertEquals((await stores.verify()).problems, []);
  const after = await again();
  assertEquals((await after.verify()).problems, []);
  await after.close();
});

check("contain any text", async ({ stores, again }) => {
  await stores.ledger.hold(hold(1, "模型 \u2028 \\n \n é   "), NO_WAIT);
  const payment = { opId: "op 2", walletId: "w", amount: 1n, note: "€ \u{1f600}\ttab  " };
  await stores.ledger.credit({ kind: "credit", ...payment, atMs: 2 });
  const before = await Array.fromAsync(stores.ledger.entries());
  const after = await again();
  const entries = await Array.fromAsync(after.ledger.entries());
  assertEquals(entries.slice(0, before.length), before);
  assertEquals((await after.verify()).problems, []);
  await after.close();
});

check("tell watchers of each row once", async ({ stores }) => {
  const requestIds: string[] = [];
  stores.log.watch(({ requestId }) => requestIds.push(requestId));
  for (let n = 1; n <= 40; n++) await request(stores, n);
  await Promise.all(Array.from({ length: 40 }, (_, n) => request(stores, 41 + n)));
  assertEquals(requestIds.length, 80);
  assertEquals(new Set(requestIds).size, 80);
});

const DAMAGES: Readonly<Record<string, (kv: Deno.Kv, key: Deno.KvKey) => Promise<unknown>>> = {
  "is deleted": (kv, key) => kv.delete(key),
  "is no bytes": (kv, key) => kv.set(key, "text"),
  "is cut": async (kv, key) => {
    const { value } = await kv.get<Uint8Array>(key);
    await kv.set(key, value?.subarray(0, 200));
  },
  "has another amount": async (kv, key) => {
    const { value } = await kv.get<Uint8Array>(key);
    assert(value !== null);
    await kv.set(key, bytesOf(textOf(value).replace('"amount":"5"', '"amount":"6"')));
  },
  "is an older one": async (kv, key) => {
    const { value } = await kv.get<Uint8Array>(commitKey({ size: 0, index: 0 }));
    await kv.set(key, value);
  },
};

for (const [how, damage] of Object.entries(DAMAGES)) {
  check(`a row in the middle that ${how} is found`, async ({ kv, stores, again }) => {
    for (let n = 1; n <= 4; n++) await stores.ledger.hold(hold(n), NO_WAIT);
    const key = commitKey({ size: 0, index: 3 });
    await damage(kv, key);
    // The gateway's next commit is newer.
    await stores.ledger.hold(hold(5), NO_WAIT);
    const { problems } = await stores.verify();
    assertEquals(problems.length, 1);
    assertStringIncludes(problems[0] ?? "", "commit row");
    const error = await assertRejects(() => again(), StoreError);
    assert(error.isDamage);
  });
}

check("the newest row is missed once all have been used", async ({ kv, stores, again }) => {
  for (let n = 1; n <= MAX_OPEN_COMMITS * 2 + 9; n++) await stores.ledger.hold(hold(n), NO_WAIT);
  const rows = await Array.fromAsync(kv.list({ prefix: COMMIT_ROWS }));
  const newest = rows.reduce((one, row) => one.versionstamp > row.versionstamp ? one : row);
  await kv.delete(newest.key);
  assertStringIncludes((await stores.verify()).problems.join(), "A commit row is missing");
  await assertRejects(() => again(), StoreError, "a commit row is missing or changed");
});

check("a row of a wallet is compared with the ledger at the last fold", async (scene) => {
  const { kv, stores } = scene;
  for (let n = 1; n <= MAX_OPEN_COMMITS; n++) await stores.ledger.hold(hold(n), NO_WAIT);
  assertEquals((await stores.verify()).problems, []);
  const { value } = await kv.get<Record<string, unknown>>(["wallet", "w"]);
  await kv.set(["wallet", "w"], { ...value, tier: "other" });
  await stores.ledger.hold(hold(0), NO_WAIT);
  const { problems } = await stores.verify();
  assertEquals(problems.length, 1);
  assertStringIncludes(problems[0] ?? "", 'The row of wallet "w" was changed, it has tier "other"');
});

check("are in the chain whose head a verification names, then and later", async (scene) => {
  const { kv, stores } = scene;
  await request(stores, 1);
  const { head, segments, entries } = await stores.verify();
  const journal = await stores.ledger.journal({});
  assertEquals([journal.head, journal.segments, journal.total], [head, segments, entries]);
  for (let n = 2; n <= MAX_OPEN_COMMITS; n++) await request(stores, n);
  const { value } = await kv.get<Uint8Array>(["journal", segments]);
  assertEquals(value === null ? "" : sha256(value), head);
});

check("are verified where nothing can be written", async ({ kv, stores }) => {
  await request(stores, 1);
  kv.atomic = () => {
    throw new Error("database or disk is full");
  };
  const { entries, problems } = await stores.verify();
  assertEquals([entries, problems], [4, []]);
  assertEquals(await numberOf(kv, "journal"), 1);
  Reflect.deleteProperty(kv, "atomic");
});

check("a writer whose store was taken over writes no row more", async ({ kv, stores, again }) => {
  const taker = await again();
  const before = await numberOf(kv, "commit");
  await assertRejects(() => stores.ledger.hold(hold(1), NO_WAIT), StoreError, "taken it over");
  assertEquals(await numberOf(kv, "commit"), before);
  assertEquals(stores.health(), "lost");
  await taker.close();
});

check("a commit number never falls, over starts and folds", async ({ kv, stores, again }) => {
  const commitOf = async () => (await kv.get<Head>(HEAD_KEY)).value?.commit ?? NaN;
  await stores.close();
  const first = await commitOf();
  const second = await again({ maxOpenCommits: 0 });
  await second.ledger.hold(hold(1), NO_WAIT);
  assert(await commitOf() > first);
  await second.close();
});
