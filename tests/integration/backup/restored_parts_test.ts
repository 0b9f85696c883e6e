/**
 * A restored backup has everything that a store can hold: its parts are those of a copy, and each is
 * compared with the store that was backed up.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { backUpPlain, restoreTo } from "../../../gateway/backup/backup_fixture.ts";
import type { Fingerprint } from "../../../gateway/store_copy/canonical.ts";
import { partsAt } from "../../../gateway/store_copy/parts.ts";
import { openKvStores } from "../../../gateway/stores/kv/open.ts";
import { brokenPlace } from "../../../gateway/system/trail_check.ts";
import { FILLED_AT_MS, fillStore } from "../../fixtures/filled_store.ts";

const nowMs = () => FILLED_AT_MS;

/** Opens a store, and returns the fingerprint of each part and the end of the audit log. */
async function contents(path: string) {
  const stores = await openKvStores(path, { nowMs, logRetention: { records: 80 } });
  try {
    // The row of a call that was left open is one too many. The first waits for a deletion that has
    // begun before it.
    await stores.log.trim();
    await stores.log.trim();
    const parts = new Map<string, Fingerprint>();
    for (const part of partsAt(FILLED_AT_MS)) {
      parts.set(part.name, await part.fingerprint(stores));
    }
    const { problem, head } = await brokenPlace(stores.trailStore);
    assertEquals([problem, (await stores.verify()).problems], [undefined, []]);
    return { parts, head };
  } finally {
    await stores.close();
  }
}

Deno.test("a restored store has every part of the one that was backed up", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const kv = join(folder, "svc.kv");
    await fillStore(kv, { calls: 20 });
    // Ends the holds that the last process left open.
    const expected = await contents(kv);
    for (const [name, { items }] of expected.parts) assert(items > 0, name);
    const store = { folder, kv, file: join(folder, "svc.backup") };
    await backUpPlain(store);
    const path = join(folder, "restored.kv");
    await restoreTo(path, store);
    assertEquals(await contents(path), expected);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
