/**
 * Fills a store with so many requests of the last 29 days, by the real writer: `PATH ROWS`. Each is a
 * hold, its settlement and its log row; thirty-two keys, eight models, one in fifty refused or failed.
 *
 * @module
 */

import type { RequestRecord } from "../../gateway/ports/request_log.ts";
import { formatCredits } from "../../gateway/domain/ledger/money.ts";
import { openKvStores } from "../../gateway/stores/kv/open.ts";

const KEYS = 32;
const MODELS = 8;
/** Calls in flight at once: as many as a busy gateway has. */
const CALLERS = 400;
const HELD_MICROS = 40_000n;
const SPAN_MS = 29 * 86_400_000;
const NO_WAIT = { waitMs: 0 };

const [path = "", count = "0"] = Deno.args;
const rows = Number(count);
const stores = await openKvStores(path, { logRetention: { records: rows * 2 } });
const { ledger, log } = stores;
const startMs = Date.now() - SPAN_MS - 60_000;
let made = 0;

function idOf(prefix: string, n: number, atMs: number): string {
  // As the gateway makes them: the time first, and letters that do not compress after it.
  const rest = (BigInt(n) * 2_654_435_761_987_654_321n % (36n ** 16n)).toString(36);
  return `${prefix}_${atMs.toString(36).padStart(10, "0")}${rest.padStart(16, "0")}`;
}

function recordOf(n: number, atMs: number): RequestRecord {
  const model = `provider/model-${n % MODELS}`;
  const isBad = n % 50 === 0;
  const base = {
    id: idOf("log", n, atMs),
    requestId: idOf("req", n + 7, atMs),
    atMs,
    keyId: idOf("key", n % KEYS, 0),
    walletId: "bench",
    endpoint: n % 3 === 0 ? "responses" : "chat",
    stream: n % 2 === 0,
    durationMs: 200 + (n * 37) % 9_000,
    firstByteMs: n % 2 === 0 ? 80 + (n * 13) % 900 : undefined,
    cachedInputTokens: 100,
    estimated: false,
  } as const;
  if (isBad) {
    const ending = n % 100_000 === 0
      ? { status: 504, errorCode: "upstream_timeout" } as const
      : { status: 429, errorCode: "rate_limit_exceeded" } as const;
    const nothing = { holdIds: [], charged: "0.000000", inputTokens: 0, outputTokens: 0 };
    return { ...base, ...nothing, ...ending, outcome: "error" };
  }
  return {
    ...base,
    status: 200,
    outcome: "ok",
    routing: {
      model,
      provider: "provider",
      tier: "standard",
      reason: "Number 1 of 2 for a prompt of difficulty 0.31: quality 0.62, at most 0.040000 " +
        "credits, first byte in 312 ms",
      considered: MODELS,
      attempts: [{ model, provider: "provider", outcome: "ok", status: 200, ms: base.durationMs }],
    },
    attemptStarts: [1],
    exclusions: [{ model: "provider/model-x", stage: "policy", reason: "not among its models" }],
    scores: [{ model, score: 0.8123 }, { model: "provider/model-y", score: 0.7011 }],
    holdIds: [idOf("hold", n, atMs)],
    charged: formatCredits(BigInt(1_000 + n % 30_000)),
    inputTokens: 900,
    outputTokens: 200 + n % 100,
  };
}

async function request(): Promise<void> {
  const n = made++;
  const atMs = Math.floor(startMs + n * SPAN_MS / rows);
  const row = recordOf(n, atMs);
  const [holdId] = row.holdIds;
  if (holdId === undefined) return await log.append(row);
  const what = { holdId, walletId: "bench", keyId: row.keyId, logId: row.id, priceVersion: 1 };
  const amounts = { amount: HELD_MICROS, minimum: 1_000n, budget: {} };
  const model = row.routing?.model ?? "";
  await ledger.hold({ kind: "hold", ...what, ...amounts, model, atMs }, NO_WAIT);
  const { inputTokens, cachedInputTokens, outputTokens } = row;
  const tokens = { inputTokens, cachedInputTokens, outputTokens, estimated: false };
  const cost = BigInt(1_000 + n % 30_000);
  await ledger.settle({ kind: "settle", holdId, cost, ...tokens, atMs: atMs + row.durationMs }, {
    row,
  });
}

await ledger.open({ kind: "open", walletId: "bench", tier: "standard", atMs: startMs });
const payment = { opId: "fill", walletId: "bench", amount: 10n ** 15n, note: "Filled" };
await ledger.credit({ kind: "credit", ...payment, atMs: startMs });
await Promise.all(Array.from({ length: CALLERS }, async () => {
  while (made < rows) await request();
}));
await log.writeIndex();
await stores.close();

/** Bytes of the values under a prefix, a row of the log. */
async function bytesOf(kv: Deno.Kv, prefix: string): Promise<string> {
  let bytes = 0;
  const entries = kv.list<Uint8Array>({ prefix: [prefix] }, { batchSize: 64 });
  for await (const { value } of entries) bytes += value.length;
  return `${prefix} ${(bytes / rows).toFixed(1)}`;
}

const kv = await Deno.openKv(path);
const sizes: string[] = [];
for (const prefix of ["log", "log_block", "log_block_ids", "log_sums", "journal"]) {
  sizes.push(await bytesOf(kv, prefix));
}
kv.close();
console.log(`bytes a request: ${sizes.join(", ")}`);
console.log(`filled ${made}`);
