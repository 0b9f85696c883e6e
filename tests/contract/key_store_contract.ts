import { assertEquals } from "@std/assert";
import type { KeyRecord } from "../../gateway/domain/policy/key.ts";
import type { KeyStore, StoredKey } from "../../gateway/ports/key_store.ts";
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
    assertEquals((await keys.list()).length, 1);
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
    const digests = (await keys.listStored()).map(({ digest, record }) => [record.id, digest]);
    assertEquals(digests, [["key_2", "1.b"], ["key_1", "2.a"]]);
    assertEquals(await keys.create(key("key_3", "1.a")), true);
  },

  "the list is newest first": async (keys) => {
    await keys.create(key("key_a", "d1", { createdAtMs: 5 }));
    await keys.create(key("key_b", "d2", { createdAtMs: 9 }));
    await keys.create(key("key_c", "d3", { createdAtMs: 5 }));
    assertEquals((await keys.list()).map(({ id }) => id), ["key_b", "key_c", "key_a"]);
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
