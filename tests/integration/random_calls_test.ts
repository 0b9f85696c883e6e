/**
 * Many calls of all kinds at once: afterwards the books are right to the micro-credit.
 *
 * @module
 */

import { assert, assertEquals, assertGreater } from "@std/assert";
import type { JournalEntry } from "../../gateway/domain/ledger/ledger.ts";
import { TestService, until, WALLET } from "../fixtures/service.ts";

const CALLS = 2_000;
const CLIENTS = 16;

/** Misbehaviours that end a call badly, and some that only make it odd. */
const BAD = [
  { error: 500 },
  { error: 503 },
  { error: 400 },
  { cutAfter: 3 },
  { malformedAfter: 2 },
  { cutAfter: 0 },
];
const GOOD = [
  {},
  { repeat: 40 },
  { noUsage: true, repeat: 10 },
  { usage: { prompt_tokens: 7, completion_tokens: 9 } },
  { usage: { prompt_tokens: 0, completion_tokens: 0 } },
  { empty: true, noUsage: true },
  { usage: { prompt_tokens: 1, completion_tokens: 90_000_000 } },
];

/** A generator of its own, so that a failing run can be run again. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Seen {
  ok: number;
  failed: number;
  remaining: number;
  /** Micro-credits on the bills of answers that were read to their end. */
  billed: bigint;
}

async function callAtRandom(service: TestService, random: () => number, seen: Seen): Promise<void> {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)];
  const simulate = random() < 1 / 3 ? pick(BAD) : pick(GOOD);
  const stream = random() < 0.5;
  const leaves = random() < 0.05;
  const messages = [{ role: "user", content: `Call ${Math.floor(random() * 1e9)}` }];
  const body = { messages, stream, simulate: leaves ? { chunkDelayMs: 1, repeat: 50 } : simulate };
  const leaving = new AbortController();
  const response = await service.chat({ ...body, max_tokens: 64 }, { signal: leaving.signal });
  if (leaves && stream) {
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    await reader?.closed.catch(() => {});
    seen.remaining++;
    return;
  }
  const text = await response.text();
  const charged = /"charged":"(\d+)\.(\d{6})"/.exec(text);
  if (charged !== null) seen.billed += BigInt(`${charged[1]}${charged[2]}`);
  if (response.ok && !text.includes('"error":{')) seen.ok++;
  else seen.failed++;
}

async function sumOf(
  service: TestService,
): Promise<Record<JournalEntry["op"], number> & { charged: bigint }> {
  const ends = { settle: 0, void: 0, expire: 0 };
  const corrections = { debit: 0, adjust: 0, tier: 0, close: 0, move: 0, refund: 0 };
  const sum = { open: 0, credit: 0, hold: 0, progress: 0, ...ends, ...corrections, charged: 0n };
  for await (const entry of service.running.stores.ledger.entries()) {
    sum[entry.op]++;
    if (entry.op === "settle") sum.charged += entry.charged;
  }
  return sum;
}

Deno.test(`after ${CALLS} random calls the wallet is the sum of its journal`, async () => {
  const seed = 20_260_101;
  const random = randomOf(seed);
  await using service = await TestService.start();
  const seen: Seen = { ok: 0, failed: 0, remaining: 0, billed: 0n };
  let begun = 0;
  const client = async () => {
    while (begun++ < CALLS) await callAtRandom(service, random, seen);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await service.assertBooks();
  assertEquals(seen.ok + seen.failed + seen.remaining, CALLS, `seed ${seed}`);
  assertGreater(seen.failed, CALLS / 5);
  assertGreater(seen.remaining, 5);
  const sum = await sumOf(service);
  const { spent, credits, available } = await service.wallet(WALLET);
  assertEquals(spent, sum.charged);
  assertEquals(available, credits - sum.charged);
  assert(spent >= seen.billed, "what callers saw billed is in the books");
  assertEquals(sum.hold, sum.settle + sum.void);
  assertEquals(sum.expire, 0);
  assertEquals(service.logs.filter((line) => line.event === "internal_error"), []);
  // Rows of calls that no test waited for are written beside them.
  await until(async () => (await logOf(service)).rows === CALLS, "every row to be written");
  assertEquals((await logOf(service)).logged, spent);
});

/** Returns the number of rows in the log, and the micro-credits in them. */
async function logOf(service: TestService): Promise<{ rows: number; logged: bigint }> {
  let [rows, logged] = [0, 0n];
  let cursor: string | undefined;
  do {
    const page = await service.running.stores.log.search({ limit: 500, cursor });
    for (const { charged } of page.records) logged += BigInt(charged.replace(".", ""));
    rows += page.records.length;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return { rows, logged };
}
