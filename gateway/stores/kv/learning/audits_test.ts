import { assertEquals, assertRejects } from "@std/assert";
import { openKvStores } from "../open.ts";

Deno.test("reservations and costs outlive a restart, and those of earlier days are deleted", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/svc.kv`;
    const first = await openKvStores(path);
    const { auditStore } = first;
    await auditStore.reserve({ id: "old", day: "2026-11-22", amount: 5n, budget: 9n });
    await auditStore.reserve({ id: "a", day: "2026-11-23", amount: 5n, budget: 100n });
    await auditStore.settle({ id: "a", day: "2026-11-23", cost: 2n });
    // Killed before it was settled.
    await auditStore.reserve({ id: "b", day: "2026-11-23", amount: 30n, budget: 100n });
    await first.close();

    const second = await openKvStores(path);
    assertEquals(await second.auditStore.spentOn("2026-11-23"), 32n);
    assertEquals(await second.auditStore.spentOn("2026-11-22"), 0n);
    const third = { id: "c", day: "2026-11-23", amount: 100n, budget: 100n };
    assertEquals(await second.auditStore.reserve(third), 68n);
    await second.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a reservation that cannot be stored is refused, and is not counted", async () => {
  const stores = await openKvStores(":memory:");
  await stores.close();
  const audit = { id: "a", day: "2026-11-23", amount: 5n, budget: 9n };
  await assertRejects(() => stores.auditStore.reserve(audit));
});
