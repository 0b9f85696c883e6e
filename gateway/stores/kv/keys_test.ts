import { assertEquals } from "@std/assert";
import type { KeyRecord } from "../../domain/key.ts";
import { openKvStores } from "./open.ts";

const RECORD: KeyRecord = {
  id: "key_1",
  name: "app",
  walletId: "w",
  status: "active",
  policy: {},
  hint: "",
  createdAtMs: 1,
};

/** Counts the rows that a database is asked for. */
function counted(kv: Deno.Kv): { kv: Deno.Kv; rows: { read: number } } {
  const rows = { read: 0 };
  const counting = new Proxy(kv, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (name === "get") rows.read++;
        if (name === "getMany" && Array.isArray(args[0])) rows.read += args[0].length;
        return Reflect.apply(value, target, args);
      };
    },
  });
  return { kv: counting, rows };
}

Deno.test("a look for a key reads as many rows where there is none, memory or not", async () => {
  const { kv, rows } = counted(await Deno.openKv(":memory:"));
  const { keys, close } = await openKvStores(":memory:", { openKv: () => Promise.resolve(kv) });
  try {
    await keys.create({ record: RECORD, digest: "1.a" });
    const rowsRead = async (...digests: string[]) => {
      const before = rows.read;
      await keys.findByDigest(...digests);
      return rows.read - before;
    };
    for (let time = 0; time < 2; time++) {
      const looks = [await rowsRead("1.a"), await rowsRead("1.b"), await rowsRead("")];
      assertEquals(looks, [2, 2, 2]);
      assertEquals([await rowsRead("2.a", "1.a"), await rowsRead("2.b", "1.b")], [3, 3]);
    }
  } finally {
    await close();
  }
});

Deno.test("memory answers for keys that were found, as they are now", async () => {
  const { keys, close } = await openKvStores(":memory:");
  try {
    assertEquals(keys.remembered("1.a"), undefined);
    await keys.create({ record: RECORD, digest: "1.a" });
    assertEquals(keys.remembered("1.a"), RECORD);
    const revoked = await keys.update("key_1", (key) => ({ ...key, status: "revoked" }));
    assertEquals(keys.remembered("1.a"), revoked);
    await keys.move("key_1", { from: "1.a", to: "2.a" });
    assertEquals([keys.remembered("1.a"), keys.remembered("2.a")], [undefined, revoked]);
  } finally {
    await close();
  }
});
