import { assert, assertEquals } from "@std/assert";
import { openKvStores } from "../open.ts";
import { bytesOf, textOf } from "../rows.ts";

const ROW = ["key", "key_1"];
const RESTORE = "restore the store from a backup";
const JOURNAL = 'its last move in the journal is to wallet "v"';

Deno.test("verifyBooks: a moved key is on the wallet of its last move", async () => {
  const kv = await Deno.openKv(":memory:");
  const stores = await openKvStores(":memory:", { openKv: () => Promise.resolve(kv) });
  try {
    for (const walletId of ["w", "v"]) {
      await stores.ledger.open({ kind: "open", walletId, tier: "standard", atMs: 1 });
    }
    const record = { id: "key_1", name: "", walletId: "w", status: "active", policy: {} } as const;
    await stores.keys.create({ record: { ...record, hint: "", createdAtMs: 1 }, digest: "1.ab" });
    const author = { kind: "nobody", id: "", name: "", address: null, requestId: "" } as const;
    const entry = () => ({ atMs: 1, author, action: "move", stage: "done", subject: "" } as const);
    for (const [opId, from, walletId] of [["1", "w", "v"], ["2", "v", "w"], ["3", "w", "v"]]) {
      const move = { kind: "move", keyId: "key_1", note: "", atMs: 1 } as const;
      const command = { ...move, opId: `${opId}`, from: `${from}`, walletId: `${walletId}` };
      assert((await stores.corrections.apply(command, { entry })).ok);
    }
    const problems = async () => (await stores.verify()).problems;
    assertEquals(await problems(), []);
    const { value } = await kv.get<Uint8Array>(ROW);
    assert(value !== null);
    await kv.set(ROW, bytesOf(textOf(value).replace('"walletId":"v"', '"walletId":"w"')));
    assertEquals(await problems(), [`Key "key_1" has wallet "w", ${JOURNAL}: ${RESTORE}`]);
    await kv.set(ROW, 5);
    assertEquals(await problems(), [`Key "key_1" has no readable row, ${JOURNAL}: ${RESTORE}`]);
    await kv.delete(ROW);
    assertEquals(await problems(), [`Key "key_1" has no readable row, ${JOURNAL}: ${RESTORE}`]);
    await kv.set(ROW, value);
    assertEquals(await problems(), []);
  } finally {
    await stores.close();
  }
});
