import { assertEquals } from "@std/assert";
import type { KeyRecord } from "../../../domain/policy/key.ts";
import { openKvStores } from "../open.ts";

const RECORD: KeyRecord = {
  id: "key_1",
  name: "app",
  walletId: "w",
  status: "active",
  policy: {},
  hint: "",
  createdAtMs: 1,
};

/** Counts the rows read from a database. */
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

Deno.test("a look for a key that does not serve reads as many rows as for one that never was", async () => {
  const { kv, rows } = counted(await Deno.openKv(":memory:"));
  const { keys, close } = await openKvStores(":memory:", { openKv: () => Promise.resolve(kv) });
  try {
    for (const status of ["active", "revoked", "disabled"] as const) {
      const id = `key_${status}`;
      await keys.create({ record: { ...RECORD, id }, digest: `1.${status}` });
      await keys.update(id, (record) => ({ ...record, status }));
    }
    const rowsRead = async (...digests: string[]) => {
      const before = rows.read;
      await keys.findByDigest(...digests);
      return rows.read - before;
    };
    for (let time = 0; time < 2; time++) {
      for (const digest of ["1.revoked", "1.disabled", "1.none", "", "1.active"]) {
        assertEquals(await rowsRead(digest), 1, digest);
        assertEquals(await rowsRead(`2${digest}`, digest), 2, digest);
      }
    }
  } finally {
    await close();
  }
});

Deno.test("memory answers for known keys with their current state", async () => {
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
