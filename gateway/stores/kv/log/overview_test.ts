import { assertEquals } from "@std/assert";
import type { RequestRecord } from "../../../ports/request_log.ts";
import { BLOCK_ROWS_MAX } from "../limits.ts";
import { openKvStores } from "../open.ts";
import { LOG_SUMS } from "./log_sums.ts";

const NOW_MS = Date.UTC(2026, 10, 21);

/** A row of a kilobyte: a segment has four, so that a block ends within the open ones. */
function record(n: number): RequestRecord {
  return {
    ...{
      id: `log_${String(n).padStart(8, "0")}`,
      requestId: `req-${n}`,
      atMs: NOW_MS - 60_000 + n,
    },
    ...{ keyId: "key_a", walletId: "w".repeat(700), endpoint: "chat", stream: false, holdIds: [] },
    ...{ status: 200, outcome: "ok", durationMs: 5, charged: "0.000001", estimated: false },
    ...{ inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 },
  };
}

Deno.test("the overview counts each row once while a fold is indexed", async () => {
  const kv = await Deno.openKv(":memory:");
  const list = kv.list.bind(kv);
  let meanwhile: (() => Promise<void>) | undefined;
  kv.list = <T>(selector: Deno.KvListSelector, options?: Deno.KvListOptions) => {
    const listed = list<T>(selector, options);
    if ("start" in selector && selector.start[0] === LOG_SUMS) {
      const next = listed.next.bind(listed);
      listed.next = async () => {
        const work = meanwhile;
        meanwhile = undefined;
        await work?.();
        return await next();
      };
    }
    return listed;
  };
  const stores = await openKvStores(":memory:", {
    nowMs: () => NOW_MS,
    openKv: () => Promise.resolve(kv),
  });
  const rows = Array.from({ length: BLOCK_ROWS_MAX + 30 }, (_, n) => record(n));
  const range = { sinceMs: 0, untilMs: NOW_MS };
  const count = async () => (await stores.log.overview(range)).total.requests;
  // A block that is almost full, and open lines of several segments.
  const stored = rows.slice(0, BLOCK_ROWS_MAX - 11);
  for (let from = 0; from < stored.length; from += 200) {
    await stores.log.appendAll(stored.slice(from, from + 200));
  }
  await stores.copying.putSums([]);
  for (const row of rows.slice(BLOCK_ROWS_MAX - 11)) await stores.log.append(row);
  assertEquals(await count(), rows.length);
  meanwhile = async () => {
    await stores.copying.putSums([]);
    await stores.log.writeIndex();
  };
  assertEquals(await count(), rows.length);
  assertEquals([meanwhile, await count()], [undefined, rows.length]);
  await stores.close();
});
