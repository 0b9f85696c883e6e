/**
 * Measures a hold and its settlement with a row of the log on a store in a file, beside two durable
 * commits of one small row: bytes written, processor time of the threads, and times of one caller.
 * `deno run -P=test tests/bench/single_commits.ts [CALLS]`, on Linux.
 *
 * @module
 */

import { join } from "@std/path";
import type { RequestRecord } from "../../gateway/ports/request_log.ts";
import { openKvStores } from "../../gateway/stores/kv/open.ts";

const [calls = "3000"] = Deno.args;
const CALLS = Number(calls);
/** Calls before the measurement: SQLite's write-ahead log has reached its size. */
const WARM_UP_CALLS = 1_500;
const ROW_BYTES = 400;

type Call = (number: number) => Promise<unknown>;

/** Bytes written, and processor time in nanoseconds by thread. */
interface Used {
  readonly bytes: number;
  readonly cpuNs: ReadonlyMap<string, number>;
}

async function used(): Promise<Used> {
  // Deno itself reads files under /proc only where everything is allowed.
  const script = `grep ^write_bytes /proc/${Deno.pid}/io; for t in /proc/${Deno.pid}/task/*; do ` +
    `echo "$(basename $t) $(cut -d' ' -f1 $t/schedstat) $(cat $t/comm)"; done`;
  const { stdout } = await new Deno.Command("sh", { args: ["-c", script] }).output();
  const [bytes = "", ...threads] = new TextDecoder().decode(stdout).trim().split("\n");
  const cpuNs = new Map<string, number>();
  for (const thread of threads) {
    const [id, ns, ...words] = thread.split(" ");
    const name = id === String(Deno.pid) ? "main" : words.join(" ").replace(/-\d+$/, "");
    cpuNs.set(name, (cpuNs.get(name) ?? 0) + Number(ns));
  }
  return { bytes: Number(bytes.split(" ")[1]), cpuNs };
}

async function run(call: Call, range: { from: number; count: number; callers: number }) {
  const times: number[] = [];
  let next = range.from;
  await Promise.all(Array.from({ length: range.callers }, async () => {
    while (next < range.from + range.count) {
      const startMs = performance.now();
      await call(next++);
      times.push(performance.now() - startMs);
    }
  }));
  return times.sort((a, b) => a - b);
}

async function measure(name: string, callers: number, call: Call): Promise<void> {
  await run(call, { from: 0, count: WARM_UP_CALLS, callers });
  const before = await used();
  const times = await run(call, { from: WARM_UP_CALLS, count: CALLS, callers });
  const after = await used();
  const cpu = [...after.cpuNs].map(([thread, ns]) => {
    return [thread, Math.round((ns - (before.cpuNs.get(thread) ?? 0)) / CALLS / 1_000)] as const;
  }).filter(([, us]) => us > 1).map(([thread, us]) => `${thread} ${us}`);
  const at = (share: number) => times[Math.floor(times.length * share)]?.toFixed(2);
  const kilobytes = ((after.bytes - before.bytes) / CALLS / 1_024).toFixed(1);
  console.log(
    `${callers} callers, ${name}: ${kilobytes} KB, CPU in µs: ${cpu.join(", ")}; ` +
      `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
  );
}

function recordOf(number: number, id: string): RequestRecord {
  const route = { model: "fast-mini", provider: "lab" };
  return {
    ...{
      id: `log_${id}`,
      requestId: `req_${id}`,
      atMs: Date.now(),
      keyId: `key_${"0".repeat(20)}`,
    },
    ...{ walletId: "w", endpoint: "chat", stream: false, status: 200, outcome: "ok" },
    ...{ durationMs: 4 + number % 5, firstByteMs: 3, charged: "0.012345", estimated: false },
    ...{ inputTokens: 900, cachedInputTokens: 0, outputTokens: 90, holdIds: [`hold_${id}`] },
    routing: {
      ...route,
      ...{ tier: "standard", considered: 1 },
      reason: "Best value: quality 0.62 at the lowest price of the allowed models",
      attempts: [{ ...route, outcome: "ok", status: 200, ms: 3 }],
    },
  };
}

async function measureStore(folder: string, callers: number): Promise<void> {
  const { ledger, close } = await openKvStores(join(folder, `store_${callers}.kv`));
  const wallet = { walletId: "w", atMs: 1 };
  await ledger.open({ kind: "open", ...wallet, tier: "standard" });
  await ledger.credit({ kind: "credit", ...wallet, opId: "s", amount: 10n ** 17n, note: "" });
  await measure("hold and settlement", callers, async (number) => {
    const id = number.toString(36).padStart(20, "0");
    const row = recordOf(number, id);
    const call = { holdId: `hold_${id}`, walletId: "w", keyId: row.keyId, logId: row.id };
    const amounts = { amount: 40_000n, minimum: 1_000n, budget: {}, priceVersion: 1 };
    const { atMs, inputTokens, cachedInputTokens, outputTokens, estimated } = row;
    await ledger.hold({ kind: "hold", ...call, model: "fast-mini", ...amounts, atMs }, {
      waitMs: 0,
    });
    const tokens = { inputTokens, cachedInputTokens, outputTokens, estimated };
    const { holdId } = call;
    await ledger.settle({ kind: "settle", holdId, cost: 12_345n, ...tokens, atMs }, { row });
  });
  await close();
}

const folder = await Deno.makeTempDir();
try {
  for (const callers of [1, 32]) {
    using kv = await Deno.openKv(join(folder, `rows_${callers}.kv`));
    await measure("two commits of one row", callers, async (number) => {
      for (const half of [0, 1]) {
        await kv.set([2 * number + half], new Uint8Array(ROW_BYTES));
      }
    });
    await measureStore(folder, callers);
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
