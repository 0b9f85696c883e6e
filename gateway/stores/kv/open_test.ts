import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { HoldCommand, JournalEntry, Wallet } from "../../domain/ledger/ledger.ts";
import { StoreError } from "../../ports/store_error.ts";
import { encodeEntry } from "./journal/journal_codec.ts";
import { CHECKPOINT_SEGMENTS, MAX_ID_CHARS, MAX_NOTE_CHARS } from "./limits.ts";
import { type KvStores, type KvStoresOptions, openKvStores } from "./open.ts";
import { bytesOf, type Checkpoint, CHECKPOINT_KEY, type Head, HEAD_KEY } from "./rows.ts";

const NO_WAIT = { waitMs: 0 };
const EVERY_COMMIT_FOLDS = { maxOpenCommits: 0 };

function hold(holdId: string, amount = 1n): HoldCommand {
  const call = { walletId: "w", keyId: "k", logId: "log_1", model: "m", priceVersion: 1 };
  return { kind: "hold", holdId, ...call, amount, minimum: amount, budget: {}, atMs: 1 };
}

async function fund({ ledger }: KvStores, walletId = "w"): Promise<void> {
  await ledger.open({ kind: "open", walletId, tier: "standard", atMs: 1 });
  const opId = `seed ${walletId}`;
  await ledger.credit({ kind: "credit", opId, walletId, amount: 10_000n, note: "", atMs: 1 });
}

/** Runs a test with a database that outlives the stores on it, as a file does. */
function check(
  what: string,
  run: (open: () => Promise<KvStores>, kv: Deno.Kv) => Promise<void>,
  options: KvStoresOptions = {},
): void {
  Deno.test(`openKvStores: ${what}`, async () => {
    const kv = await Deno.openKv(":memory:");
    const close = kv.close.bind(kv);
    kv.close = () => {};
    try {
      const openKv = () => Promise.resolve(kv);
      await run(() => openKvStores(":memory:", { ...options, openKv }), kv);
    } finally {
      close();
    }
  });
}

check("a start finds everything and expires what was held", async (open) => {
  const first = await open();
  await fund(first);
  await first.ledger.hold(hold("h1", 5n), NO_WAIT);
  await first.ledger.hold(hold("h2", 7n), NO_WAIT);
  await first.ledger.voidHold({ kind: "void", holdId: "h1", reason: "test", atMs: 1 });
  const content = {
    upstreams: [],
    models: [],
    tiers: [],
  };
  await first.catalogs.apply(content, { expected: 0, note: "", atMs: 1 });
  await first.close();
  await first.close();

  const second = await open();
  assertEquals(second.catalogs.current().version, 1);
  assertEquals(await second.ledger.openHolds(), []);
  const wallet = await second.ledger.wallet("w");
  assertEquals([wallet?.available, wallet?.held], [10_000n, 0n]);
  const [last] = (await second.ledger.statement("w", { limit: 1 })).entries;
  assertEquals(last?.op === "expire" && [last.id, last.held, last.reason], [
    "h2",
    7n,
    "gateway restarted",
  ]);
  const again = { kind: "credit", opId: "seed w", walletId: "w", note: "", atMs: 9 } as const;
  assert((await second.ledger.credit({ ...again, amount: 10_000n })).ok);
  assertEquals((await second.ledger.credit({ ...again, amount: 1n })).ok, false);
  assertEquals((await second.ledger.wallet("w"))?.credits, 10_000n);
  assertEquals((await second.verify()).problems, []);
  await second.close();
});

check("the keys of a line spend one budget, over a start as well", async (open) => {
  const first = await open();
  await fund(first);
  const line = { keyId: "k2", budgetId: "k", budget: { total: 9n } };
  await first.ledger.hold({ ...hold("h1", 5n), ...line }, NO_WAIT);
  await first.ledger.settle({
    kind: "settle",
    holdId: "h1",
    cost: 5n,
    inputTokens: 1,
    cachedInputTokens: 0,
    outputTokens: 1,
    estimated: false,
    atMs: 1,
  });
  await first.ledger.hold({ ...hold("h2", 4n), ...line }, NO_WAIT);
  await first.close();
  const second = await open();
  const spend = await second.ledger.keySpend("k");
  assertEquals([spend?.keyId, spend?.held, spend?.totalSpent], ["k", 0n, 5n]);
  assertEquals(await second.ledger.keySpend("k2"), undefined);
  const beyond = await second.ledger.hold(
    { ...hold("h3", 5n), ...line, keyId: "k3" },
    NO_WAIT,
  );
  assertEquals(beyond, { ok: false, refusal: "key_budget_exceeded" });
  assertEquals((await second.verify()).problems, []);
  await second.close();
});

check("a checkpoint stands for the journal before it", async (open, kv) => {
  const first = await open();
  await fund(first);
  const many = Array.from(
    { length: 1_000 },
    (_, n) => first.ledger.hold(hold(`early ${n}`), NO_WAIT),
  );
  await Promise.all(many);
  for (let n = 0; n < CHECKPOINT_SEGMENTS + 20; n++) {
    await first.ledger.hold(hold(`h${n}`), NO_WAIT);
  }
  const pointer = (await kv.get<Checkpoint>(CHECKPOINT_KEY)).value;
  assert(pointer !== null && pointer.chunks > 1 && pointer.segment >= CHECKPOINT_SEGMENTS);
  // A chunk left by a killed writer, and journal that is no longer needed.
  await kv.set(["checkpoint_chunk", pointer.segment + 1, 0], new Uint8Array(1));
  await kv.delete(["journal", 1]);

  // The first is still open, as if killed.
  const second = await open();
  assertEquals((await second.ledger.wallet("w"))?.held, 0n);
  assertEquals((await kv.get(["checkpoint_chunk", pointer.segment + 1, 0])).value, null);
  assertStringIncludes((await second.verify()).problems.join(), "segment 1 is missing");
  await second.close();
  await first.close();
}, EVERY_COMMIT_FOLDS);

check("a damaged store is not opened", async (open, kv) => {
  const first = await open();
  await fund(first);
  await first.ledger.hold(hold("h", 5n), NO_WAIT);
  const head = (await kv.get<Head>(HEAD_KEY)).value;
  const wallet = (await kv.get<Wallet>(["wallet", "w"])).value;
  const segment = (await kv.get<Uint8Array>(["journal", 2])).value;
  assert(head !== null && wallet !== null && segment !== null);

  await kv.set(["wallet", "w"], { ...wallet, held: 4n, available: wallet.available + 1n });
  await assertRejects(open, StoreError, 'wallet "w" holds 4');
  await kv.set(["wallet", "w"], wallet);
  await kv.delete(["journal", 2]);
  await assertRejects(open, StoreError, "segment 2 is missing");
  const text = new TextDecoder().decode(segment);
  await kv.set(["journal", 2], bytesOf(text.replace("10000", "99999")));
  await assertRejects(open, StoreError, "segment 3 is missing or changed");
  await kv.set(["journal", 2], bytesOf(text.slice(0, -1)));
  await assertRejects(open, StoreError, "it is damaged");
  await kv.set(["journal", 2], segment);
  await kv.set(CHECKPOINT_KEY, { segment: 1, chunks: 3 });
  await assertRejects(open, StoreError, "a piece of it is missing");
  await kv.delete(CHECKPOINT_KEY);
  await kv.set(HEAD_KEY, { ...head, journal: { ...head.journal, segment: 9 } });
  await assertRejects(open, StoreError, "does not end at segment 9");
  await kv.set(HEAD_KEY, { ...head, schema: 99 });
  await assertRejects(open, StoreError, "a later svc wrote it in schema 99");
  await first.close();
}, EVERY_COMMIT_FOLDS);

check("a burst is split into commits that Deno KV takes", async (open) => {
  const stores = await open();
  await fund(stores);
  const wallets = Array.from({ length: 1_500 }, (_, n) => fund(stores, `wallet ${n}`));
  const holds = Array.from({ length: 3_000 }, (_, n) => {
    return stores.ledger.hold({ ...hold(`h${n}`), keyId: `k${n}` }, NO_WAIT);
  });
  await Promise.all(wallets);
  assert((await Promise.all(holds)).every((answer) => answer.ok));
  assertEquals((await stores.ledger.wallet("w"))?.held, 3_000n);
  const { problems, entries } = await stores.verify();
  assertEquals([problems, entries], [[], 2 + 3_000 + 3_000]);
  await stores.close();
});

check("a whole line of waiting holds is served, in as many commits as it takes", async (open) => {
  const stores = await open();
  const { ledger } = stores;
  await fund(stores);
  await ledger.hold(hold("first", 10_000n), NO_WAIT);
  const waiting = Array.from({ length: 1_000 }, (_, n) => {
    return ledger.hold({ ...hold(`h${n}`), keyId: `k${n}` }, { waitMs: 60_000 });
  });
  const tooMany = await ledger.hold(hold("one more"), { waitMs: 60_000 });
  assertEquals(tooMany.ok, false);
  await ledger.voidHold({ kind: "void", holdId: "first", reason: "test", atMs: 1 });
  assert((await Promise.all(waiting)).every((answer) => answer.ok));
  await stores.close();
});

check("closing ends the waiting and refuses what comes later", async (open) => {
  const stores = await open();
  await fund(stores);
  await stores.ledger.hold(hold("first", 10_000n), NO_WAIT);
  const waiting = stores.ledger.hold(hold("second"), { waitMs: 60_000 });
  await stores.settings.set("order", "the hold above is in line when this is done");
  const last = stores.settings.set("last", "written before the end");
  const [closed] = await Promise.allSettled([waiting, stores.close(), last]);
  assert(closed.status === "rejected" && closed.reason instanceof StoreError);
  await assertRejects(() => stores.ledger.hold(hold("late"), NO_WAIT), StoreError, "closed");
});

check("what does not fit a row is refused before it is queued", async (open) => {
  const stores = await open();
  await fund(stores);
  const { ledger, keys, settings, log } = stores;
  const id = "x".repeat(MAX_ID_CHARS + 1);
  await assertRejects(() => ledger.hold(hold(id), NO_WAIT), StoreError, "257 characters");
  const note = "x".repeat(MAX_NOTE_CHARS + 1);
  const credit = { kind: "credit", opId: "c", walletId: "w", amount: 1n, atMs: 1 } as const;
  await assertRejects(() => ledger.credit({ ...credit, note }), StoreError, "2001 characters");
  const long = "x".repeat(70_000);
  await assertRejects(() => settings.set("s", long), StoreError, "bytes");
  const record = { id: "key_1", name: long, walletId: "w", status: "active", policy: {}, hint: "" };
  const key = { record: { ...record, status: "active" as const, createdAtMs: 1 }, digest: "d" };
  await assertRejects(() => keys.create(key), StoreError, "bytes");
  const row = {
    id: "log_1",
    requestId: long,
    atMs: 1,
    keyId: "k",
    walletId: "w",
    endpoint: "chat" as const,
    stream: false,
    status: 200,
    outcome: "ok" as const,
    durationMs: 1,
    holdIds: [],
    charged: "0",
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
    estimated: false,
  };
  await assertRejects(() => log.append(row), StoreError, "bytes");
  const exclusions = [{ model: "m", stage: "policy", reason: long }];
  await log.append({ ...row, requestId: "r", exclusions });
  assertEquals((await log.get("log_1"))?.exclusions, undefined);
  // The longest permitted line fits even after escaping.
  const worst = { walletId: "w", note: "\ud800".repeat(MAX_NOTE_CHARS), amount: 1n, atMs: 1 };
  const opId = "\u0000".repeat(MAX_ID_CHARS);
  assert((await ledger.credit({ kind: "credit", opId, ...worst })).ok);
  await stores.close();
});

Deno.test("openKvStores: a path that cannot be made is named", async () => {
  const file = await Deno.makeTempFile();
  await assertRejects(() => openKvStores(`${file}/svc.kv`), StoreError, `${file}/svc.kv`);
  const openKv = () => Promise.reject(new Error("unable to open database file"));
  await assertRejects(() => openKvStores(":memory:", { openKv }), StoreError, ":memory:");
  await Deno.remove(file);
});

Deno.test("encodeEntry writes every kind of entry as one line", () => {
  const call = { wallet: "w\n", key: "k", log: "l", at: 1 };
  const entries: JournalEntry[] = [
    { op: "open", wallet: "w\n", tier: "standard", at: 1 },
    { op: "void", id: "h", ...call, held: 2n ** 62n, reason: "\n" },
  ];
  for (const entry of entries) assert(!encodeEntry(entry).includes("\n"));
});
