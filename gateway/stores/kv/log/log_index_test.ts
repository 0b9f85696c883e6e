import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import fc from "fast-check";
import { matches } from "../../../domain/requests/filter.ts";
import type { Rollup } from "../../../domain/requests/rollup.ts";
import type {
  RequestFilter,
  RequestQuery,
  RequestRecord,
  TaskRecord,
} from "../../../ports/request_log.ts";
import { BLOCK_ROWS_MAX } from "../limits.ts";
import { LOG_BLOCK_IDS, LOG_BLOCKS } from "./log_block.ts";
import { LOG_SUMS } from "./log_sums.ts";
import { type KvStores, openKvStores } from "../open.ts";
import { recount } from "./recount_fixture.ts";

const START_MS = Date.UTC(2026, 10, 21);
const NOW_MS = START_MS + 3_600_000;
const MODELS = ["fast-mini", "slow-maxi", "lite"];
const ENDINGS = [
  { status: 200, outcome: "ok" },
  { status: 429, outcome: "error", errorCode: "rate_limit_exceeded" },
  { status: 502, outcome: "error", errorCode: "upstream_error" },
  { status: 499, outcome: "client_left" },
  { status: 200, outcome: "cut", errorCode: "upstream_error" },
] as const;

/** The `n`th request, one of many kinds. */
function record(n: number, rest: Partial<RequestRecord> = {}): RequestRecord {
  const ending = ENDINGS[n % 7 === 0 ? n % ENDINGS.length : 0] ?? ENDINGS[0];
  const model = MODELS[n % 11 === 0 ? 2 : n % 2] ?? "";
  const other = MODELS[(n + 1) % 3] ?? "";
  const attempt = { provider: "lab", outcome: "ok", status: 200, ms: 5 } as const;
  const attempts = n % 13 === 0
    ? [{ ...attempt, model: other }, { ...attempt, model }]
    : [{ ...attempt, model }];
  const routing = { model, provider: "lab", tier: "t", reason: "r", considered: 3, attempts };
  return {
    id: `log_${String(n).padStart(26, "0")}`,
    requestId: `req-${n % 500}`,
    // Some end much later than they began.
    atMs: START_MS + n * 700 - (n % 17 === 0 ? 400_000 : 0),
    keyId: `key_${n % 5}`,
    walletId: "w",
    endpoint: n % 3 === 0 ? "responses" : "chat",
    stream: n % 2 === 0,
    durationMs: (n * 37) % 4_000,
    holdIds: [],
    charged: `${n % 9}.250000`,
    inputTokens: n % 100,
    cachedInputTokens: n % 10,
    outputTokens: n % 50,
    estimated: false,
    ...ending,
    ...(n % 23 === 0 ? {} : { routing }),
    ...(n % 2 === 0 ? { firstByteMs: (n * 13) % 900 } : {}),
    ...(n % 19 === 0 ? { tasks: tasksOf(n) } : {}),
    ...rest,
  };
}

/** Returns two tasks of a split request, with at most a tenth of its charge. */
function tasksOf(n: number): readonly TaskRecord[] {
  const task = { dependsOn: [], cachedInputTokens: 0, attempts: [], status: "done" } as const;
  return [
    {
      ...{ ...task, taskId: "a", model: "slow-maxi", provider: "lab", startMs: 1, ms: n % 40 },
      ...{ inputTokens: n % 3, outputTokens: n % 2, charged: "0.125000" },
    },
    {
      ...{ ...task, taskId: "b", status: "skipped", charged: "0.000000" },
      ...{ inputTokens: 0, outputTokens: 0 },
    },
  ];
}

const ROWS = Array.from({ length: 2 * BLOCK_ROWS_MAX + 300 }, (_, n) => record(n));

async function inFolder(run: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(join(folder, "test.kv"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function open(path: string, records?: number): Promise<KvStores> {
  return openKvStores(path, { nowMs: () => NOW_MS, logRetention: { records } });
}

/** Appends rows in commits of many sizes. */
async function append({ log }: KvStores, rows: readonly RequestRecord[]): Promise<void> {
  for (let from = 0, size = 1; from < rows.length; from += size, size = (size * 3) % 101 + 1) {
    await Promise.all(rows.slice(from, from + size).map((row) => log.append(row)));
  }
}

async function all({ log }: KvStores, query: Omit<RequestQuery, "limit">): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await log.search({ ...query, limit: 70, cursor });
    ids.push(...page.records.map(({ id }) => id));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return ids;
}

function naive(rows: readonly RequestRecord[], query: Omit<RequestQuery, "limit">): string[] {
  const ids = rows.filter((row) => matches(row, query)).map(({ id }) => id);
  return query.order === "oldest" ? ids : ids.reverse();
}

const FILTERS: fc.Arbitrary<RequestFilter> = fc.record({
  keyId: fc.constantFrom("key_0", "key_3", "nobody"),
  requestId: fc.constantFrom("req-7", "req-499", "req-none"),
  id: fc.constantFrom(record(5).id, record(2_000).id, "log_none"),
  model: fc.constantFrom(...MODELS, "none"),
  provider: fc.constantFrom("lab", "other"),
  endpoint: fc.constantFrom("chat", "responses", "images.edits"),
  outcome: fc.constantFrom("ok", "error", "cut", "killed"),
  errorCode: fc.constantFrom("upstream_error", "internal"),
  status: fc.constantFrom("200", "4xx", "5xx", "404"),
  minCharged: fc.constantFrom(0n, 4_000_000n, 8_250_000n, 9_000_000n),
  text: fc.constantFrom("req-49", "0001", "zz", "9"),
  sinceMs: fc.integer({ min: START_MS - 500_000, max: START_MS + 1_600_000 }),
  untilMs: fc.integer({ min: START_MS - 500_000, max: START_MS + 1_600_000 }),
}, { requiredKeys: [] });

async function assertSearches(stores: KvStores, rows: readonly RequestRecord[]): Promise<void> {
  const queries = fc.record({ filter: FILTERS, order: fc.constantFrom("newest", "oldest") });
  await fc.assert(
    fc.asyncProperty(queries, async ({ filter, order }) => {
      const query = { ...filter, order } as const;
      assertEquals(await all(stores, query), naive(rows, query));
    }),
    { numRuns: 40 },
  );
  for (const filter of [{}, { keyId: "key_3", model: "lite" }, { text: "req-49" }]) {
    assertEquals(await all(stores, filter), naive(rows, filter));
    assertEquals(await all(stores, { ...filter, order: "oldest" }), naive(rows, filter).reverse());
  }
}

/** Returns the contents of a rollup in a canonical order. */
function plain(rollup: Rollup): unknown {
  return JSON.parse(JSON.stringify(rollup, (_, value) => {
    if (value instanceof Map) return [...value].sort(([a], [b]) => a < b ? -1 : 1);
    return typeof value === "bigint" ? value.toString() : value;
  }));
}

/** Asserts that the overview equals a recount. */
async function assertRecount(stores: KvStores, rows: readonly RequestRecord[]): Promise<void> {
  const range = { sinceMs: START_MS - 600_000, untilMs: NOW_MS };
  for (const stepMs of [60_000, 600_000, 3_600_000]) {
    const overview = await stores.log.overview({ ...range, stepMs });
    assertEquals(overview.uncounted, 0);
    assertEquals(plain(overview.total), plain(recount(rows)));
    const points = Map.groupBy(
      rows,
      ({ atMs }) => Math.floor(atMs / overview.stepMs) * overview.stepMs,
    );
    assertEquals(overview.series.map(({ atMs }) => atMs), [...points.keys()].sort((a, b) => a - b));
    for (const { atMs, rollup } of overview.series) {
      assertEquals(plain(rollup), plain(recount(points.get(atMs) ?? [])));
    }
  }
}

Deno.test("A search by the index finds what a look at every row finds, before and after a start", async () => {
  await inFolder(async (path) => {
    const first = await open(path);
    await append(first, ROWS.slice(0, 1_500));
    await assertSearches(first, ROWS.slice(0, 1_500));
    await first.log.writeIndex();
    await first.close();
    const second = await open(path);
    await append(second, ROWS.slice(1_500));
    await assertSearches(second, ROWS);
    await second.log.writeIndex();
    await assertSearches(second, ROWS);
    assertEquals((await second.log.get(record(17).id))?.requestId, "req-17");
    await second.close();
  });
});

Deno.test("an overview equals a recount of the log, for any written part of the index", async () => {
  await inFolder(async (path) => {
    const first = await open(path);
    await append(first, ROWS.slice(0, 1_000));
    await assertRecount(first, ROWS.slice(0, 1_000));
    await first.log.writeIndex();
    await assertRecount(first, ROWS.slice(0, 1_000));
    await append(first, ROWS.slice(1_000));
    await assertRecount(first, ROWS);
    await first.close();
    const second = await open(path);
    await assertRecount(second, ROWS);
    await second.close();
  });
});

Deno.test("Rows that are logged while the index is written and read are counted once", async () => {
  await inFolder(async (path) => {
    const stores = await open(path);
    const { log } = stores;
    const counts: number[] = [];
    const reading = (async () => {
      while (counts.at(-1) !== ROWS.length) {
        const range = { sinceMs: START_MS - 600_000, untilMs: NOW_MS };
        counts.push((await log.overview(range)).total.requests);
      }
    })();
    for (let from = 0; from < ROWS.length; from += 50) {
      await Promise.all(ROWS.slice(from, from + 50).map((row) => log.append(row)));
      if (from % 500 === 0) void log.writeIndex();
    }
    await reading;
    assertEquals(counts, counts.toSorted((a, b) => a - b));
    await assertRecount(stores, ROWS);
    await stores.close();
  });
});

Deno.test("A death while the index is written counts nothing twice and loses nothing", async () => {
  await inFolder(async (path) => {
    let isDying = false;
    let refused = 0;
    const dying = await openKvStores(path, {
      nowMs: () => NOW_MS,
      openKv: async (file) => {
        return failing(await Deno.openKv(file), () => isDying && ++refused > 0);
      },
    });
    await append(dying, ROWS);
    await dying.log.writeIndex();
    const more = Array.from({ length: BLOCK_ROWS_MAX }, (_, n) => record(ROWS.length + n));
    await append(dying, more);
    // The sums become durable, and then their block does not.
    isDying = true;
    await dying.log.writeIndex();
    assertEquals(refused, 1);
    const rows = [...ROWS, ...more];
    await assertRecount(dying, rows);
    await dying.close();
    const next = await open(path);
    await assertRecount(next, rows);
    await next.log.writeIndex();
    await assertRecount(next, rows);
    await assertSearches(next, rows);
    await next.close();
  });
});

Deno.test("a store of an older gateway gets its index, and answers in the meantime", async () => {
  await inFolder(async (path) => {
    const first = await open(path);
    await append(first, ROWS);
    await first.log.writeIndex();
    await first.close();
    const kv = await Deno.openKv(path);
    for (const prefix of [LOG_BLOCKS, LOG_BLOCK_IDS, LOG_SUMS]) {
      for await (const { key } of kv.list({ prefix: [prefix] })) await kv.delete(key);
    }
    kv.close();
    const second = await open(path);
    const page = await second.log.search({ requestId: "req-7", limit: 9 });
    assertEquals(page.records.length, naive(ROWS, { requestId: "req-7" }).length);
    await second.log.writeIndex();
    await assertRecount(second, ROWS);
    await assertSearches(second, ROWS);
    await second.close();
  });
});

Deno.test("A damaged index costs no row and no start", async () => {
  await inFolder(async (path) => {
    const first = await open(path);
    await append(first, ROWS);
    await first.log.writeIndex();
    await first.close();
    const kv = await Deno.openKv(path);
    for await (const { key } of kv.list({ prefix: [LOG_SUMS] })) {
      await kv.set(key, new Uint8Array([1, 2, 3]));
    }
    kv.close();
    const second = await open(path);
    await second.log.overview({ sinceMs: START_MS, untilMs: NOW_MS });
    assertEquals(await all(second, {}), naive(ROWS, {}));
    await second.close();
  });
});

Deno.test("blocks are removed with the rows that they describe", async () => {
  await inFolder(async (path) => {
    const stores = await open(path, 100);
    await append(stores, ROWS);
    await stores.log.writeIndex();
    for (let round = 0; round < 5; round++) await stores.log.trim();
    const rows = await all(stores, {});
    assertEquals(rows, naive(ROWS, {}).slice(0, rows.length));
    assert(rows.length < 300);
    assertEquals(
      (await stores.log.overview({ sinceMs: 0, untilMs: NOW_MS })).total.requests,
      ROWS.length,
    );
    await stores.close();
    const kv = await Deno.openKv(path);
    for (const prefix of [LOG_BLOCKS, LOG_BLOCK_IDS]) {
      assertEquals((await Array.fromAsync(kv.list({ prefix: [prefix] }))).length <= 1, true);
    }
    kv.close();
  });
});

Deno.test("rows that are deleted before a block is full stay in the sums of the next start", async () => {
  await inFolder(async (path) => {
    const rows = ROWS.slice(0, 300);
    const first = await open(path);
    await append(first, rows);
    await first.close();
    for (let start = 0; start < 2; start++) {
      const stores = await open(path, 100);
      await stores.log.trim();
      assert((await all(stores, {})).length < rows.length);
      const { total } = await stores.log.overview({ sinceMs: 0, untilMs: NOW_MS });
      assertEquals(total.requests, rows.length);
      await stores.close();
    }
  });
});

Deno.test("A page leads to the one before it", async () => {
  const stores = await openKvStores(":memory:", { nowMs: () => NOW_MS });
  await append(stores, ROWS.slice(0, 300));
  for (const order of ["newest", "oldest"] as const) {
    const back = order === "newest" ? "oldest" : "newest";
    const filter = { keyId: "key_3" };
    const first = await stores.log.search({ ...filter, order, limit: 10 });
    const second = await stores.log.search({ ...filter, order, limit: 10, cursor: first.cursor });
    const again = await stores.log.search({
      ...filter,
      order: back,
      limit: 10,
      cursor: second.start,
    });
    assertEquals(again.records.toReversed(), first.records);
  }
  await stores.close();
});

/** A database whose commits of blocks fail on demand. */
function failing(kv: Deno.Kv, isFatal: () => boolean): Deno.Kv {
  return new Proxy(kv, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name === "atomic") return () => failingCommit(target.atomic(), isFatal);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function failingCommit(operation: Deno.AtomicOperation, isFatal: () => boolean) {
  let hasBlock = false;
  const proxy: Deno.AtomicOperation = new Proxy(operation, {
    get(target, name) {
      if (name === "set") {
        return (key: Deno.KvKey, value: unknown) => {
          hasBlock ||= key[0] === LOG_BLOCKS;
          target.set(key, value);
          return proxy;
        };
      }
      if (name === "commit") {
        return () => hasBlock && isFatal() ? Promise.reject(new Error("full")) : target.commit();
      }
      const value = Reflect.get(target, name);
      return typeof value !== "function" ? value : (...args: unknown[]) => {
        value.apply(target, args);
        return proxy;
      };
    },
  });
  return proxy;
}
