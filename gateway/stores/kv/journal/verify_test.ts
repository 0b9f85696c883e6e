import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Hold, HoldCommand, KeySpend, Wallet } from "../../../domain/ledger/ledger.ts";
import type { CreditRecord } from "../../../domain/ledger/state.ts";
import type { Verification } from "../../../ports/ledger_store.ts";
import { creditRowKey } from "./credit_rows.ts";
import { MAX_PROBLEMS } from "../limits.ts";
import { type KvStores, openKvStores } from "../open.ts";
import { Problems } from "./problems.ts";
import { bytesOf, type Head, HEAD_KEY, textOf } from "../rows.ts";
import { compareHolds } from "./rows_check.ts";
import { sha256 } from "../segment.ts";

const NO_WAIT = { waitMs: 0 };

function hold(holdId: string, amount = 5n, walletId = "w"): HoldCommand {
  const call = { walletId, keyId: "k", logId: "log_1", model: "m", priceVersion: 1 };
  return { kind: "hold", holdId, ...call, amount, minimum: amount, budget: {}, atMs: 1 };
}

async function settle({ ledger }: KvStores, holdId: string, cost: bigint): Promise<void> {
  const tokens = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false };
  await ledger.settle({ kind: "settle", holdId, cost, ...tokens, atMs: 2 });
}

async function fund({ ledger }: KvStores, walletId = "w"): Promise<void> {
  await ledger.open({ kind: "open", walletId, tier: "standard", atMs: 1 });
  const payment = { opId: `seed ${walletId}`, walletId, amount: 10_000n, note: "" };
  await ledger.credit({ kind: "credit", ...payment, atMs: 1 });
}

/** Segments: 1 opens, 2 credits, 3 holds h, 4 settles it, 5 holds two of another key at once. */
async function write(stores: KvStores): Promise<void> {
  await fund(stores);
  await stores.ledger.hold(hold("h"), NO_WAIT);
  await settle(stores, "h", 3n);
  const pair = ["a", "b"].map((id) => stores.ledger.hold(hold(id, 7n), NO_WAIT));
  await Promise.all(pair);
}

interface Case {
  readonly kv: Deno.Kv;
  readonly stores: KvStores;
  /** Changes the text of a segment. */
  edit(segment: number, change: (text: string) => string): Promise<void>;
}

/** Runs on a store of five segments, in memory: every commit folds. */
function check(what: string, run: (scene: Case) => Promise<void>): void {
  Deno.test(`verifyBooks: ${what}`, async () => {
    const kv = await Deno.openKv(":memory:");
    const close = kv.close.bind(kv);
    kv.close = () => {};
    const stores = await openKvStores(":memory:", {
      openKv: () => Promise.resolve(kv),
      maxOpenCommits: 0,
    });
    try {
      await write(stores);
      await run({
        kv,
        stores,
        async edit(segment, change) {
          const { value } = await kv.get<Uint8Array>(["journal", segment]);
          assert(value !== null);
          await kv.set(["journal", segment], bytesOf(change(textOf(value))));
        },
      });
    } finally {
      await stores.close();
      close();
    }
  });
}

/** Asserts the problems by their beginnings. */
function assertProblems({ problems }: Verification, beginnings: readonly string[]): void {
  const sentences = problems.join("\n");
  assertEquals(problems.length, beginnings.length, sentences);
  for (const [at, beginning] of beginnings.entries()) {
    assert(problems[at]?.startsWith(beginning), `${beginning}\nis not in\n${sentences}`);
    assertMatch(problems[at] ?? "", /restore the store from a backup/);
  }
}

check("books that are right have no problems, and are counted", async ({ kv, stores }) => {
  const head = (await kv.get<Head>(HEAD_KEY)).value;
  assertEquals(await stores.verify(), {
    ...{ entries: 6, segments: 5, head: head?.journal.hash ?? "" },
    ...{ wallets: 1, keys: 1, openHolds: 2, problems: [], moreProblems: 0 },
  });
});

check("an altered amount is in the chain and in the wallet", async ({ stores, edit }) => {
  await edit(2, (text) => text.replace("10000", "99999"));
  assertProblems(await stores.verify(), [
    "Journal segment 2 was changed after it was written, segment 3 names another hash",
    'Wallet "w" has available 0.009983, credits 0.010000, its journal comes to available 0.099982',
    "The 1 rows by which repeated credits and corrections are known do not match the 1 of the journal",
  ]);
});

check("an altered last segment is detected by the head", async ({ stores, edit }) => {
  await edit(5, (text) => {
    const [header = "", first = "", second = ""] = text.split("\n");
    return [header, second, first].join("\n");
  });
  assertProblems(await stores.verify(), [
    "Journal segment 5 was changed after it was written, the",
  ]);
});

check("lines in another order are found in the middle too", async ({ stores, edit }) => {
  await settle(stores, "a", 1n);
  await edit(5, (text) => text.split("\n").with(1, text.split("\n")[2] ?? "").join("\n"));
  const { problems } = await stores.verify();
  assertStringIncludes(
    problems[0] ?? "",
    'Hold "b" is taken twice or beyond wallet "w", says entry',
  );
  assertStringIncludes(
    problems[0] ?? "",
    "entry 6 in journal segment 5: compare it with an earlier",
  );
  assertStringIncludes(problems.join("\n"), "Journal segment 5 was changed");
});

check("segments that changed places are found", async ({ kv, stores }) => {
  const [third, fourth] = await kv.getMany<[Uint8Array, Uint8Array]>([
    ["journal", 3],
    ["journal", 4],
  ]);
  await kv.set(["journal", 3], fourth?.value);
  await kv.set(["journal", 4], third?.value);
  const { problems } = await stores.verify();
  assertStringIncludes(problems.join("\n"), "Journal segment 3 says that it is segment 4");
  assertStringIncludes(problems.join("\n"), "Journal segment 4 says that it is segment 3");
});

check("missing segments are named, wherever they are", async ({ kv, stores }) => {
  await kv.delete(["journal", 5]);
  const last = await stores.verify();
  assertStringIncludes(last.problems[0] ?? "", "Journal segment 5 is missing");
  assertStringIncludes(
    last.problems.join("\n"),
    'Hold "a" of 0.000007 credits on wallet "w" is open',
  );
  await kv.delete(["journal", 1]);
  await kv.delete(["journal", 2]);
  const { problems, entries } = await stores.verify();
  assertEquals(entries, 2);
  assertStringIncludes(problems[0] ?? "", "Journal segments 1 to 2 are missing");
  assertStringIncludes(problems[1] ?? "", 'Entry "hold" of "h" names no wallet "w", says entry 3');
});

check("rows that were changed while the gateway runs are found", async ({ kv, stores }) => {
  const wallet = (await kv.get<Wallet>(["wallet", "w"])).value;
  const spend = (await kv.get<KeySpend>(["spend", "k"])).value;
  assert(wallet !== null && spend !== null);
  // Like a program that writes into the file: nothing shows that it was there.
  await kv.set(["wallet", "w"], { ...wallet, available: 1n });
  await kv.delete(["spend", "k"]);
  await kv.set(["spend", "stray"], { ...spend, keyId: "k" });
  await kv.set(["wallet", "v"], { ...wallet, id: "v" });
  assertProblems(await stores.verify(), [
    'The row of wallet "v" was written by another process: find out what else writes',
    'The row of wallet "w" was written by another process',
    'The row of key "k" has another key',
  ]);
  // The gateway's next commit is newer than they are, and does not heal them.
  await fund(stores, "u");
  assertProblems(await stores.verify(), [
    'The row of wallet "v" was changed, it has available 0.009983, createdAtMs 1, credits',
    'The row of wallet "w" was changed, it has available 0.000001 in place of available 0.009983',
    'The row of key "k" has another key',
  ]);
});

check("sums of names that were changed are found", async ({ kv, stores }) => {
  const named = [{ name: "user:ann", budget: { day: 9n } }];
  await stores.ledger.hold({ ...hold("named", 2n), named }, { waitMs: 0 });
  assertEquals((await stores.verify()).problems, []);
  await stores.close();
  const spend = (await kv.get<KeySpend>(["spend", "k"])).value;
  const ann = spend?.named?.["user:ann"];
  assert(spend !== null && ann !== undefined);
  const changed = { ...spend, named: { "user:ann": { ...ann, totalSpent: 1n } } };
  await kv.set(["spend", "k"], changed);
  const again = await openKvStores(":memory:", { openKv: () => Promise.resolve(kv) });
  assertProblems(await again.verify(), ['Key "k" has named.user:ann.totalSpent 0.000001, its']);
  await again.close();
});

check("a row that is missing is found", async ({ kv, stores }) => {
  await kv.delete(["spend", "k"]);
  await kv.delete(["wallet", "w"]);
  assertProblems(await stores.verify(), [
    'The row of wallet "w" is missing',
    'The row of key "k" is missing',
  ]);
});

check("rows that were changed while it was stopped are found", async ({ kv, stores }) => {
  await stores.close();
  const wallet = (await kv.get<Wallet>(["wallet", "w"])).value;
  const spend = (await kv.get<KeySpend>(["spend", "k"])).value;
  assert(wallet !== null && spend !== null);
  await kv.set(["wallet", "w"], {
    ...wallet,
    credits: 10_500n,
    available: wallet.available + 500n,
  });
  await kv.set(["spend", "k"], { ...spend, totalSpent: 9n });
  const again = await openKvStores(":memory:", { openKv: () => Promise.resolve(kv) });
  assertProblems(await again.verify(), [
    'Wallet "w" has available 0.010497, credits 0.010500, its journal comes to available 0.009997',
    'Key "k" has totalSpent 0.000009, its journal comes to totalSpent 0.000003',
  ]);
  await again.close();
});

check("a hold that was put into the journal is found", async ({ kv, stores, edit }) => {
  await stores.close();
  await edit(5, (text) => {
    const [header = "", first = ""] = text.split("\n");
    const { total, ...rest } = JSON.parse(header);
    const phantom = first.replace('"id":"a"', '"id":"phantom"');
    return [JSON.stringify({ ...rest, total: total + 1 }), ...text.split("\n").slice(1), phantom]
      .join("\n");
  });
  // An attacker who knows the chain also adjusts the head.
  const head = (await kv.get<Head>(HEAD_KEY)).value;
  const last = (await kv.get<Uint8Array>(["journal", 5])).value;
  assert(head !== null && last !== null);
  const journal = { ...head.journal, total: 7, hash: sha256(last) };
  await kv.set(HEAD_KEY, { ...head, journal });
  const again = await openKvStores(":memory:", { openKv: () => Promise.resolve(kv) });
  const { problems } = await again.verify();
  const sentences = problems.join("\n");
  assertStringIncludes(sentences, 'Wallet "w" has available 0.009997, held 0.000000');
  assertStringIncludes(
    sentences,
    'Hold "phantom" of 0.000007 credits on wallet "w" never ends in the',
  );
  await again.close();
});

check("damage of any kind is a problem and no failure", async ({ kv, stores, edit }) => {
  await edit(3, (text) => text.split("\n").with(1, "null").join("\n"));
  await edit(
    4,
    (text) => text.split("\n").with(1, '{"op":"hold","wallet":"w","amount":5}').join("\n"),
  );
  await edit(5, (text) => `[${text}`);
  await kv.set(["journal", 1.5], "stray");
  const { problems, entries } = await stores.verify();
  assertEquals(entries, 4);
  assertStringIncludes(problems[0] ?? "", "The journal has a row 1.5 that is no segment");
  assertStringIncludes(problems.join("\n"), "The line is not a journal entry (TypeError");
  assertStringIncludes(problems.join("\n"), "Journal segment 5 cannot be read");
  await kv.set(["journal", 5], "no bytes");
  assertStringIncludes((await stores.verify()).problems.join("\n"), "segment 5 cannot be read");
});

check(
  "a damage with many consequences has a bounded list of problems, and a count of the rest",
  async (scene) => {
    const { kv, stores } = scene;
    const many = Array.from(
      { length: 400 },
      (_, n) => stores.ledger.hold(hold(`${n}`, 1n), NO_WAIT),
    );
    await Promise.all(many);
    await kv.delete(["journal", 1]);
    const { problems, moreProblems } = await stores.verify();
    assertEquals(problems.length, MAX_PROBLEMS);
    // Every entry names no wallet; then wallet, key and each open hold differ.
    assertEquals(problems.length + moreProblems, 1 + 405 + 2 + 402);
  },
);

check("what a damaged row says is cut", async ({ stores, edit }) => {
  await edit(5, (text) =>
    text.split("\n").with(1, `{"op":"hold","wallet":"${"x".repeat(9_000)}"}`)
      .join("\n"));
  const { problems } = await stores.verify();
  assert(problems.every(({ length }) => length < 1_100));
});

check("entries that arrive meanwhile are left out", async ({ stores }) => {
  const steps = stores.verification();
  const first = await steps.next();
  assertEquals(first.value, { entries: 1, total: 6 });
  await settle(stores, "a", 2n);
  await fund(stores, "v");
  const later = { ...hold("c", 1n, "v"), keyId: "another" };
  await stores.ledger.hold(later, NO_WAIT);
  const results: unknown[] = [];
  for await (const { entries, result } of steps) {
    results.push(
      result === undefined ? entries : [result.entries, result.wallets, result.problems],
    );
  }
  assertEquals(results, [2, 3, 4, 6, [6, 1, []]]);
  assertEquals((await stores.verify()).entries, 10);
});

check("it is right under load, again and again", async ({ stores }) => {
  let isOver = false;
  const load = Promise.all(Array.from({ length: 8 }, async (_, caller) => {
    for (let n = 0; !isOver; n++) {
      const id = `${caller} ${n}`;
      await stores.ledger.hold({ ...hold(id, 2n), keyId: `k${caller}` }, NO_WAIT);
      await settle(stores, id, 0n);
    }
  }));
  const results: Verification[] = [];
  const grown = () => (results.at(-1)?.entries ?? 0) - (results[0]?.entries ?? 0);
  while (results.length < 20 || grown() < 200) results.push(await stores.verify());
  isOver = true;
  await load;
  assertEquals(results.flatMap(({ problems }) => problems), []);
});

check("a reader that stops ends the verification", async ({ stores }) => {
  for await (const { entries } of stores.verification()) if (entries === 2) break;
  const steps = stores.verification();
  await steps.next();
  await steps.return();
  assertEquals(await steps.next(), { done: true, value: undefined });
});

check("a journal of thousands of small segments is read whole", async ({ stores }) => {
  for (let n = 0; n < 1_500; n++) await stores.ledger.hold(hold(`one by one ${n}`, 1n), NO_WAIT);
  const { entries, segments, problems } = await stores.verify();
  assertEquals([entries, segments, problems], [1_506, 1_505, []]);
});

check(
  "a repeated credit's row that is gone, changed or made up is found",
  async ({ kv, stores }) => {
    const key = creditRowKey("seed w");
    const { value } = await kv.get<CreditRecord>(key);
    assert(value !== null);
    const sentence = (rows: number) =>
      `The ${rows} rows by which repeated credits and corrections are known do not match the 1 of`;
    const touch = (holdId: string) => stores.ledger.hold(hold(holdId), NO_WAIT);
    await kv.delete(key);
    assertProblems(await stores.verify(), [sentence(0)]);
    await kv.set(key, { ...value, amount: value.amount + 1n });
    await touch("c");
    assertProblems(await stores.verify(), [sentence(1)]);
    await kv.set(key, value);
    await kv.set(creditRowKey("another"), value);
    await touch("d");
    assertProblems(await stores.verify(), [sentence(2)]);
    await kv.delete(creditRowKey("another"));
    assertProblems(await stores.verify(), []);
  },
);

Deno.test("compareHolds: a hold is compared to its last field, and that of its progress", async () => {
  const counts = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };
  const progress = { cost: 3n, ...counts, atMs: 2 };
  const { holdId: id, walletId, keyId, logId, model, priceVersion, amount, atMs } = hold("h");
  const open = { id, walletId, keyId, logId, model, priceVersion, amount, atMs, progress };
  const problemsWith = async (known: Hold) => {
    const problems = new Problems();
    await compareHolds(new Map([[id, known]]), new Map([[id, open]]), problems);
    return problems.first.length;
  };
  assertEquals(await problemsWith({ ...open }), 0);
  for (const change of [{ keyId: "other" }, { logId: "other" }, { priceVersion: 2 }]) {
    assertEquals(await problemsWith({ ...open, ...change }), 1, JSON.stringify(change));
  }
  assertEquals(await problemsWith({ ...open, progress: { ...progress, outputTokens: 2 } }), 1);
  assertEquals(await problemsWith({ ...open, progress: undefined }), 1);
});
