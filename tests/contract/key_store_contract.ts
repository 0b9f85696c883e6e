import { assert, assertEquals } from "@std/assert";
import type { KeyRecord } from "../../gateway/domain/policy/key.ts";
import type { KeyQuery, KeyStore, StoredKey } from "../../gateway/ports/key_store.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

/** A key with its digest. */
export function key(id: string, digest: string, rest: Partial<KeyRecord> = {}): StoredKey {
  const record: KeyRecord = {
    id,
    name: `name of ${id}`,
    walletId: "w",
    status: "active",
    policy: { models: ["m"], budget: { day: "1.5" } },
    hint: "svc_live_ab",
    createdAtMs: 1,
    ...rest,
  };
  return { record, digest };
}

/** Returns the ids of keys, at most so many. */
async function idsOf(
  keys: AsyncIterable<KeyRecord | StoredKey>,
  limit = Infinity,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const each of keys) {
    ids.push("record" in each ? each.record.id : each.id);
    if (ids.length === limit) break;
  }
  return ids;
}

/** Returns the ids of all pages; each has at most as many keys as its limit. */
async function allIds(keys: KeyStore, query: KeyQuery): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await keys.page({ ...query, cursor });
    assert(page.keys.length <= query.limit);
    ids.push(...page.keys.map(({ record }) => record.id));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return ids;
}

const CLAUSES: Clauses<KeyStore> = {
  "a key is found by its digest and its id": async (keys) => {
    const { record } = key("key_1", "d1");
    assertEquals(await keys.findByDigest("d1"), undefined);
    assertEquals(await keys.create(key("key_1", "d1")), true);
    assertEquals(await keys.findByDigest("d1"), record);
    assertEquals(await keys.get("key_1"), record);
    assertEquals([await keys.get("key_2"), await keys.findByDigest("key_1")], [
      undefined,
      undefined,
    ]);
  },

  "an id or digest that is taken changes nothing": async (keys) => {
    await keys.create(key("key_1", "d1"));
    assertEquals(await keys.create(key("key_1", "d2")), false);
    assertEquals(await keys.create(key("key_2", "d1")), false);
    assertEquals([await keys.findByDigest("d2"), await keys.get("key_2")], [undefined, undefined]);
    const both = await Promise.all([keys.create(key("k3", "d3")), keys.create(key("k3", "d4"))]);
    assertEquals(both, [true, false]);
  },

  "the number of created keys grows with each": async (keys) => {
    const before = keys.created;
    await keys.create(key("key_1", "d1"));
    assertEquals(keys.created > before, true);
  },

  "a change is seen at once, and no change is lost": async (keys) => {
    await keys.create(key("key_1", "d1"));
    await keys.findByDigest("d1");
    const revoked = await keys.update("key_1", (record) => ({ ...record, status: "revoked" }));
    assertEquals(revoked?.status, "revoked");
    assertEquals(await keys.findByDigest("d1"), undefined);
    await Promise.all(
      Array.from(
        { length: 20 },
        () =>
          keys.update("key_1", (record) => ({ ...record, createdAtMs: record.createdAtMs + 1 })),
      ),
    );
    assertEquals((await keys.get("key_1"))?.createdAtMs, 21);
    assertEquals((await keys.update("key_1", (record) => record))?.createdAtMs, 21);
    assertEquals(await keys.update("nobody", (record) => record), undefined);
  },

  "a change that throws leaves the key and the store alone": async (keys) => {
    await keys.create(key("key_1", "d1"));
    const failure = new Error("Cannot decide");
    const thrown = await keys.update("key_1", () => {
      throw failure;
    }).catch((error) => error);
    assertEquals(thrown, failure);
    const renamed = await keys.update("key_1", (record) => ({ ...record, name: "new" }));
    assertEquals(renamed?.name, "new");
  },

  "only an active key is found, and again when it is active again": async (keys) => {
    await keys.create(key("key_1", "1.a"));
    const set = (status: KeyRecord["status"]) =>
      keys.update("key_1", (record) => ({ ...record, status }));
    await set("disabled");
    assertEquals(await keys.findByDigest("1.a"), undefined);
    assertEquals((await keys.get("key_1"))?.status, "disabled");
    assertEquals(await keys.move("key_1", { from: "1.a", to: "2.a" }), true);
    assertEquals(await keys.findByDigest("2.a", "1.a"), undefined);
    await set("active");
    assertEquals((await keys.findByDigest("2.a", "1.a"))?.id, "key_1");
    await set("revoked");
    assertEquals(await keys.findByDigest("2.a", "1.a"), undefined);
    assertEquals([keys.count(), await idsOf(keys.all())], [1, ["key_1"]]);
  },

  "a key that moves is found under one digest at any time, and hears of changes": async (keys) => {
    await keys.create(key("key_1", "1.a"));
    await keys.create(key("key_2", "1.b"));
    await keys.findByDigest("1.a");
    const finds = Array.from({ length: 20 }, () => keys.findByDigest("2.a", "1.a"));
    const moves = [
      keys.move("key_1", { from: "1.a", to: "2.a" }),
      keys.move("key_1", { from: "1.a", to: "2.a" }),
    ];
    const more = Array.from({ length: 20 }, () => keys.findByDigest("2.a", "1.a"));
    const used = keys.update("key_1", (record) => ({ ...record, lastUsedAtMs: 7 }));
    assertEquals(await Promise.all(moves), [true, false]);
    const ids = (await Promise.all([...finds, ...more])).map((record) => record?.id);
    assertEquals([...new Set(ids)], ["key_1"]);
    assertEquals((await used)?.lastUsedAtMs, 7);
    await keys.update("key_1", (record) => ({ ...record, status: "revoked" }));
    assertEquals([keys.remembered("1.a"), await keys.findByDigest("1.a")], [undefined, undefined]);
    assertEquals(await keys.findByDigest("1.a", "2.a"), undefined);
    assertEquals(keys.remembered("2.a")?.status ?? "revoked", "revoked");
    assertEquals(await keys.move("nobody", { from: "1.a", to: "2.a" }), false);
    const { keys: stored } = await keys.page({ limit: 9 });
    const digests = stored.map(({ digest, record }) => [record.id, digest]);
    assertEquals(digests, [["key_2", "1.b"], ["key_1", "2.a"]]);
    const under = async (version: number) =>
      (await Array.fromAsync(keys.underPepper(version))).map(({ id }) => id);
    assertEquals([await under(1), await under(2)], [["key_2"], ["key_1"]]);
    assertEquals(await keys.create(key("key_3", "1.a")), true);
  },

  "a list pages newest first or oldest first, and each key is on one page": async (keys) => {
    const times = { key_a: 5, key_b: 9, key_c: 5, key_d: 1, key_e: 9 };
    for (const [id, createdAtMs] of Object.entries(times)) {
      await keys.create(key(id, `1.${id}`, { createdAtMs }));
    }
    const newest = ["key_e", "key_b", "key_c", "key_a", "key_d"];
    for (const limit of [1, 2, 3, 4, 5, 6]) {
      assertEquals(await allIds(keys, { limit }), newest, `${limit}`);
      const oldest = await allIds(keys, { limit, oldestFirst: true });
      assertEquals(oldest, newest.toReversed(), `${limit}`);
    }
    assertEquals((await keys.page({ limit: 5 })).cursor, undefined);
    assertEquals(await keys.page({ limit: 5, cursor: "1.2" }), { keys: [] });
    assertEquals(await keys.page({ limit: 5, cursor: "k.eA" }), { keys: [] });
  },

  "a list keeps to a wallet, a text and a condition": async (keys) => {
    for (let n = 0; n < 40; n++) {
      const walletId = n % 4 === 0 ? "other" : "w";
      const name = n % 10 === 3 ? "Night batch" : `app ${n}`;
      await keys.create(key(`key_${n}`, `1.${n}`, { createdAtMs: n, walletId, name }));
    }
    const ids = (numbers: readonly number[]) => numbers.map((n) => `key_${n}`);
    for (const limit of [1, 3, 50]) {
      const matches = (query: Partial<KeyQuery>) => allIds(keys, { limit, ...query });
      const ofOther = [36, 32, 28, 24, 20, 16, 12, 8, 4, 0];
      assertEquals(await matches({ walletId: "other" }), ids(ofOther));
      assertEquals(await matches({ text: "NIGHT" }), ids([33, 23, 13, 3]));
      assertEquals(await matches({ text: "key_11" }), ids([11]));
      const early = ({ createdAtMs }: KeyRecord) => createdAtMs < 10;
      assertEquals(await matches({ walletId: "other", accepts: early }), ids([8, 4, 0]));
      assertEquals(await matches({ text: "none" }), []);
    }
    assertEquals(await idsOf(keys.ofWallet("other"), 3), ids([36, 32, 28]));
    assertEquals(await idsOf(keys.ofWallet("none")), []);
  },

  "the copies of a key are found, newest first, and its digest whatever its status": async (
    keys,
  ) => {
    await keys.create(key("key_1", "1.a"));
    await keys.create(key("key_2", "1.b", { rotatedFrom: "key_1", createdAtMs: 2 }));
    await keys.create(key("key_3", "1.c", { rotatedFrom: "key_1", createdAtMs: 3 }));
    assertEquals(await idsOf(keys.copiesOf("key_1")), ["key_3", "key_2"]);
    assertEquals(await idsOf(keys.copiesOf("key_2")), []);
    for (const status of ["disabled", "active", "revoked"] as const) {
      await keys.update("key_2", (record) => ({ ...record, status }));
      assertEquals(await keys.hasDigest("2.none", "1.b"), true, status);
    }
    assertEquals(await keys.hasDigest("2.b"), false);
    assertEquals(keys.count(), 3);
  },

  "ill-formed digests and ids never meet": async (keys) => {
    await keys.create(key("\ud800", "\udc00"));
    assertEquals([await keys.get("\ud801"), await keys.findByDigest("\udc01")], [
      undefined,
      undefined,
    ]);
    assertEquals((await keys.findByDigest("\udc00"))?.id, "\ud800");
  },
};

/** Contract of every key store. */
export function keyStoreContract(name: string, open: Open<KeyStore>): void {
  runContract(name, { open, clauses: CLAUSES });
}
