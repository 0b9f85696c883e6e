import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import type { KeyStatus } from "../../domain/policy/key.ts";
import { StoreError } from "../../ports/store_error.ts";
import { listMigration } from "./list_migration.ts";
import { type KvStores, openKvStores } from "./open.ts";
import { COUNTS_KEY, type Head, HEAD_KEY } from "./rows.ts";

const STATUSES: readonly KeyStatus[] = ["active", "disabled", "revoked"];
const KEYS = 250;

/** Everything that lists say about a store. */
async function listsOf({ keys, ledger }: KvStores) {
  const ofWallet = await Array.fromAsync(keys.ofWallet("w1"));
  const copies = await Array.fromAsync(keys.copiesOf("key_3"));
  return {
    counts: [keys.count(), ledger.walletCount()],
    newest: await keys.page({ limit: 20 }),
    ofWallet: ofWallet.map(({ id }) => id),
    copies: copies.map(({ id }) => id),
    digests: await Promise.all(Array.from({ length: KEYS }, (_, n) => keys.hasDigest(`1.${n}`))),
    pepper: (await Array.fromAsync(keys.underPepper(1))).length,
  };
}

/** Makes a store look as the first layout was. */
async function makeOld(path: string): Promise<void> {
  const kv = await Deno.openKv(path);
  for (
    const prefix of ["commit", "key_place", "wallet_key_place", "key_copy_place", "closed_digest"]
  ) {
    for await (const { key } of kv.list({ prefix: [prefix] })) await kv.delete(key);
  }
  await kv.delete(COUNTS_KEY);
  const { value } = await kv.get<Head>(HEAD_KEY);
  // Before the third layout a head counted the commits of its session only.
  await kv.set(HEAD_KEY, { ...value, schema: 1, slots: undefined });
  kv.close();
}

async function headOf(path: string): Promise<Head> {
  const kv = await Deno.openKv(path);
  const { value } = await kv.get<Head>(HEAD_KEY);
  kv.close();
  assert(value !== null);
  return value;
}

Deno.test("a store of the second layout is marked before its first single commit", async () => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "svc.kv");
  const second = { migrations: [listMigration], maxOpenCommits: 0, program: "0.2.0" };
  try {
    const old = await openKvStores(path, second);
    await old.ledger.open({ kind: "open", walletId: "w", tier: "standard", atMs: 1 });
    const seed = { opId: "seed", walletId: "w", amount: 5n, note: "" };
    await old.ledger.credit({ kind: "credit", ...seed, atMs: 1 });
    await old.close();
    assertEquals((await headOf(path)).schema, 2);
    const progress: string[] = [];
    const stores = await openKvStores(path, {
      onMigration: ({ from, to, state }) => progress.push(`${from} to ${to} ${state}`),
    });
    assertEquals(progress, [
      ...["2 to 3 begins", "2 to 3 ends"],
      ...["3 to 4 begins", "3 to 4 ends"],
      ...["4 to 5 begins", "4 to 5 ends"],
    ]);
    const more = { opId: "more", walletId: "w", amount: 2n, note: "" };
    await stores.ledger.credit({ kind: "credit", ...more, atMs: 2 });
    assertEquals((await stores.ledger.wallet("w"))?.credits, 7n);
    assertEquals((await stores.verify()).problems, []);
    await stores.close();
    const refusal = "knows schemas up to 2";
    await assertRejects(() => openKvStores(path, second), StoreError, refusal);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a store of the first layout gets its lists", async () => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "svc.kv");
  try {
    const first = await openKvStores(path);
    for (const walletId of ["w0", "w1", "w2"]) {
      await first.ledger.open({ kind: "open", walletId, tier: "standard", atMs: 1 });
    }
    await Promise.all(Array.from({ length: KEYS }, async (_, n) => {
      const rotated = n % 50 === 4 ? { rotatedFrom: "key_3" } : {};
      const record = {
        ...{ id: `key_${n}`, name: `app ${n}`, walletId: `w${n % 3}`, hint: "svc_live_ab" },
        ...{ status: "active", policy: {}, createdAtMs: n % 7, ...rotated } as const,
      };
      await first.keys.create({ record, digest: `1.${n}` });
      const status = STATUSES[n % 4] ?? "active";
      await first.keys.update(record.id, (key) => ({ ...key, status }));
    }));
    const expected = await listsOf(first);
    await first.close();
    await makeOld(path);
    const steps: string[] = [];
    const second = await openKvStores(path, {
      onMigration: ({ to, state }) => state === "ends" && steps.push(`${to}`),
    });
    assertEquals(steps, ["2", "3", "4", "5"]);
    assertEquals(await listsOf(second), expected);
    assertEquals(expected.counts, [KEYS, 3]);
    await second.close();
    assertEquals((await headOf(path)).schema, 5);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
