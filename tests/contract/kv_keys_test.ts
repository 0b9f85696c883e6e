import { assertEquals, assertRejects } from "@std/assert";
import { openKvStores } from "../../gateway/stores/kv/open.ts";
import { StoreError } from "../../gateway/ports/store_error.ts";
import { faultyKv } from "./faulty_kv.ts";
import { key } from "./key_store_contract.ts";

const DIGESTS = { from: "1.a", to: "2.a" };

for (const [commit, landed] of [["before", false], ["after", true]] as const) {
  Deno.test(`a move to another pepper whose commit throws ${commit} it lands loses no key`, async () => {
    const { faults, openKv } = faultyKv();
    const { keys, close } = await openKvStores(":memory:", { openKv });
    try {
      await keys.create(key("key_1", DIGESTS.from));
      faults.commit = commit;
      const move = () => keys.move("key_1", DIGESTS);
      if (landed) assertEquals(await move(), true);
      else await assertRejects(move, StoreError);
      faults.commit = "none";
      assertEquals((await keys.findByDigest(DIGESTS.to, DIGESTS.from))?.id, "key_1");
      assertEquals(await move(), !landed);
      assertEquals(keys.remembered(DIGESTS.from), undefined);
      await keys.update("key_1", (record) => ({ ...record, status: "revoked" }));
      assertEquals(await keys.findByDigest(DIGESTS.to, DIGESTS.from), undefined);
      assertEquals(keys.remembered(DIGESTS.to)?.status, "revoked");
    } finally {
      await close();
    }
  });
}
