import { assertEquals } from "@std/assert";
import type { RequestRecord } from "../../../ports/request_log.ts";
import { LogBlock } from "./log_block.ts";
import { LogSums } from "./log_sums.ts";
import { loadBooks, takeOver } from "../journal/load.ts";
import { Writer } from "../journal/writer.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 12);

function record(segment: number): RequestRecord {
  return {
    id: `log_${segment}`,
    requestId: `req-${segment}`,
    atMs: NOW_MS - segment * 1_000,
    keyId: "key_a",
    walletId: "w",
    endpoint: "chat",
    stream: false,
    status: 200,
    outcome: "ok",
    durationMs: 5,
    holdIds: [],
    charged: "0.000001",
    inputTokens: 1,
    cachedInputTokens: 0,
    outputTokens: 1,
    estimated: false,
  };
}

/** A block of segments of one row each. */
function block(from: number, to: number): LogBlock {
  const block = new LogBlock(from);
  for (let segment = from; segment <= to; segment++) block.add([record(segment)], segment);
  return block;
}

/** `starts` has the first key of each list read. */
async function withSums(
  test: (sums: LogSums, starts: Deno.KvKey[]) => Promise<void>,
): Promise<void> {
  const kv = await Deno.openKv(":memory:");
  const starts: Deno.KvKey[] = [];
  const list = kv.list.bind(kv);
  kv.list = (selector, options) => {
    if ("start" in selector) starts.push(selector.start);
    return list(selector, options);
  };
  const writer = new Writer(kv, await loadBooks(kv, await takeOver(kv, "session")));
  await test(new LogSums(kv, writer, () => NOW_MS), starts);
  await writer.close();
  kv.close();
}

Deno.test("sums count each row once, however the blocks were cut that brought it", async () => {
  await withSums(async (sums) => {
    await sums.add([block(1, 100)]);
    await sums.add([block(1, 100)]);
    await sums.add([block(51, 150), block(151, 151)]);
    await sums.add([block(140, 400)]);
    for (const spanMs of [600_000, 86_400_000, 20 * 86_400_000]) {
      const range = { sinceMs: NOW_MS - spanMs, untilMs: NOW_MS };
      const { total } = await sums.overview(range, [block(390, 410)]);
      assertEquals([total.requests, total.charged, total.keys.get("key_a")?.requests], [
        410,
        410n,
        410,
      ]);
    }
  });
});

Deno.test("a step of whole hours is summed up from hours, and comes to the same", async () => {
  await withSums(async (sums, starts) => {
    await sums.add(Array.from({ length: 90 }, (_, n) => block(100 * n + 1, 100 * n + 100)));
    const hour = 3_600_000;
    const from = async (sinceMs: number, untilMs: number, stepMs: number) => {
      starts.length = 0;
      const { total, series } = await sums.overview({ sinceMs, untilMs, stepMs }, []);
      const parts = series.map(({ rollup }) => rollup.requests);
      return { widthMs: starts[0]?.[1], parts, all: total.requests };
    };
    const fine = { widthMs: 600_000, parts: [1_800, 3_600, 3_600], all: 9_000 };
    // Within an expired hour only the narrower sums are right.
    assertEquals(await from(NOW_MS - 24 * hour, NOW_MS - 300_000, hour), fine);
    const wide = { ...fine, widthMs: hour };
    assertEquals(await from(NOW_MS - 24 * hour, NOW_MS - 1, hour), wide);
    assertEquals(await from(NOW_MS - 24 * hour, NOW_MS, hour), wide);
    const half = (await from(NOW_MS - 24 * hour, NOW_MS, hour / 2)).widthMs;
    assertEquals(half, 600_000);
    const week = await from(NOW_MS - 7 * 24 * hour, NOW_MS, 6 * hour);
    assertEquals(week, { widthMs: 6 * hour, parts: [9_000], all: 9_000 });
    assertEquals((await from(NOW_MS - 7 * 24 * hour, NOW_MS, 5 * hour)).widthMs, hour);
  });
});

Deno.test("a series has as many points as are of use, and times that are not kept are coarse", async () => {
  await withSums(async (sums) => {
    await sums.add([block(1, 100)]);
    const steps = async (sinceMs: number, untilMs: number, stepMs?: number) =>
      (await sums.overview({ sinceMs, untilMs, stepMs }, [])).stepMs / 60_000;
    const hour = 3_600_000;
    assertEquals(await steps(NOW_MS - hour, NOW_MS), 1);
    assertEquals(await steps(NOW_MS - 24 * hour, NOW_MS), 10);
    assertEquals(await steps(NOW_MS - 7 * 24 * hour, NOW_MS), 60);
    assertEquals(await steps(NOW_MS - 30 * 24 * hour, NOW_MS), 360);
    // A minute of last week is no longer stored.
    assertEquals(await steps(NOW_MS - 169 * hour, NOW_MS - 168 * hour, 60_000), 60);
    assertEquals(await steps(NOW_MS - hour, NOW_MS, 7 * 60_000), 7);
    assertEquals(await steps(NOW_MS - 24 * hour, NOW_MS, 1_000), 10);
  });
});
