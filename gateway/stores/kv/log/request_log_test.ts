import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import type { RequestRecord } from "../../../ports/request_log.ts";
import { LOG_TRIM_SEGMENTS } from "../limits.ts";
import { openKvStores } from "../open.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

function record(n: number, atMs: number): RequestRecord {
  return {
    id: `log_${String(n).padStart(26, "0")}`,
    requestId: `req-${n}`,
    atMs,
    keyId: "key_1",
    walletId: "w",
    endpoint: "chat",
    stream: false,
    status: 200,
    outcome: "ok",
    durationMs: 1,
    holdIds: [],
    charged: "0.000000",
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
    estimated: false,
  };
}

Deno.test("The log keeps the newest requests in number, and finds those", async () => {
  const stores = await openKvStores(":memory:", {
    nowMs: () => 1_000,
    // Rows are dropped a segment at a time.
    maxOpenCommits: 0,
    logRetention: { records: 30 },
  });
  const { log } = stores;
  const requests = 2 * LOG_TRIM_SEGMENTS;
  for (let n = 0; n < requests; n++) await log.append(record(n, n));
  await log.trim();
  await log.trim();
  const { records, cursor } = await log.search({ limit: 1_000 });
  const newest = `req-${requests - 1}`;
  assertEquals([records.length, records[0]?.requestId, cursor], [30, newest, undefined]);
  assertEquals(await log.get(record(0, 0).id), undefined);
  const kept = requests - 15;
  assertEquals((await log.get(record(kept, kept).id))?.requestId, `req-${kept}`);
  await stores.close();
});

Deno.test("the log drops old requests periodically", async () => {
  const stores = await openKvStores(":memory:", {
    nowMs: () => 100 * DAY_MS,
    maxOpenCommits: 0,
    logRetention: { ageMs: DAY_MS },
  });
  const { log } = stores;
  for (let n = 0; n < LOG_TRIM_SEGMENTS - 1; n++) await log.append(record(n, 98 * DAY_MS));
  assertEquals((await log.search({ limit: 999 })).records.length, LOG_TRIM_SEGMENTS - 1);
  await log.append(record(70, 100 * DAY_MS));
  await log.close();
  assertEquals((await log.search({ limit: 999 })).records.length, 1);
  await stores.close();
});

Deno.test("A row is found however long after its id's time it was written", async () => {
  const stores = await openKvStores(":memory:", { nowMs: () => 10 * DAY_MS });
  const { log } = stores;
  await log.append(record(50, DAY_MS));
  await log.append(record(61, 3 * DAY_MS));
  await log.append(record(55, DAY_MS));
  assertEquals((await log.get(record(55, 0).id))?.requestId, "req-55");
  assertEquals((await log.search({ requestId: "req-55", limit: 1 })).records.length, 1);
  await stores.close();
});

Deno.test("a short log is searched completely, also after a pause of the machine", async () => {
  const stores = await openKvStores(":memory:", { nowMs: () => 1_000 });
  for (let n = 0; n < 60; n++) await stores.log.append(record(n, n));
  let nowMs = performance.now();
  using _ = stub(performance, "now", () => nowMs += 1_000);
  const { records, cursor } = await stores.log.search({ limit: 100 });
  assertEquals([records.length, cursor], [60, undefined]);
  const oldest = await stores.log.search({ id: record(0, 0).id, limit: 100 });
  assertEquals(oldest.records.map(({ requestId }) => requestId), ["req-0"]);
  await stores.close();
});
