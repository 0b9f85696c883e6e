/**
 * Stores of older layouts, as a version of the service with that layout wrote them, killed with an
 * open hold. Every later version must read them; if one cannot, a migration is missing.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { restoreTo } from "../../../gateway/backup/backup_fixture.ts";
import { StoreError } from "../../../gateway/ports/store_error.ts";
import { MIGRATIONS } from "../../../gateway/stores/kv/migrate.ts";
import { openKvStores } from "../../../gateway/stores/kv/open.ts";
import { brokenPlace } from "../../../gateway/system/trail_check.ts";

const FIRST = fromFileUrl(import.meta.resolve("../../fixtures/stores/schema_1.backup"));
/** Has corrections, operators, an audit log and notifications. */
const THIRD = fromFileUrl(import.meta.resolve("../../fixtures/stores/schema_3.backup"));
/** Settled calls of 7 micros each, and the first credit. */
const CALLS = 49n;
const PAID = 10n ** 9n;
/** Time of the third store. */
const AT_MS = Date.UTC(2026, 10, 28, 12);

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

Deno.test("a store of the third layout is restored, and from then on refused by its version", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, "svc.kv");
    const { verification } = await restoreTo(path, { file: THIRD });
    assertEquals([verification.entries, verification.openHolds], [34, 1]);
    // A restore verifies a store and leaves its layout.
    const third = { migrations: MIGRATIONS.slice(0, 2), program: "0.1.0" };
    const stores = await openKvStores(path, { program: "0.2.0" });
    assertEquals((await stores.ledger.wallet("closed"))?.closedAtMs, AT_MS);
    assertEquals((await stores.keys.get("key_1"))?.walletId, "v");
    assertEquals((await stores.corrections.all()).map(({ id, state }) => [id, state]), [
      ["waits", "waiting"],
    ]);
    assertEquals((await stores.operatorStore.all()).map(({ id }) => id), ["opr_1"]);
    assertEquals((await stores.noticeStore.incidents({ limit: 9 })).rows.length, 2);
    assertEquals((await brokenPlace(stores.trailStore)).problem, undefined);
    assertEquals((await stores.verify()).problems, []);
    await stores.close();
    // That version would take a closed wallet for an open one.
    const refusal = "svc 0.2.0 wrote it in schema 5, and this svc, 0.1.0, knows schemas up to 3";
    await assertRejects(() => openKvStores(path, third), StoreError, refusal);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
