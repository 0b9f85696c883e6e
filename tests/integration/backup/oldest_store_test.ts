/**
 * A store of the first layout, as the first version of the service with that layout wrote it,
 * killed with an open hold. Every later version must read it; if one cannot, a migration is
 * missing.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { restoreTo } from "../../../gateway/backup/backup_fixture.ts";
import { openKvStores } from "../../../gateway/stores/kv/open.ts";

const FIRST = fromFileUrl(import.meta.resolve("../../fixtures/stores/schema_1.backup"));
/** Settled calls of 7 micros each, and the first credit. */
const CALLS = 49n;
const PAID = 10n ** 9n;

Deno.test("a store of the first layout is restored, opened and verified", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, "svc.kv");
    const { verification } = await restoreTo(path, { file: FIRST });
    assertEquals([verification.entries, verification.openHolds], [101, 1]);
    const stores = await openKvStores(path);
    const wallet = await stores.ledger.wallet("w");
    const spent = CALLS * 7n;
    assertEquals([wallet?.spent, wallet?.available, wallet?.held], [spent, PAID - spent, 0n]);
    const { entries, problems } = await stores.verify();
    // The open hold was ended.
    assertEquals([entries, problems], [102, []]);
    await stores.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
