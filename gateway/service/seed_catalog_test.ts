import { assertEquals } from "@std/assert";
import { detectUpstreams } from "../config/detect_upstreams.ts";
import { Trail } from "../flows/operators/trail.ts";
import { openKvStores } from "../stores/kv/open.ts";
import { systemClock as clock } from "../system/clock.ts";
import { seedCatalog } from "./seed_catalog.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };

Deno.test("the audit log has each catalog that a start makes, and no start that makes none", async () => {
  const stores = await openKvStores(":memory:");
  try {
    const { catalogs, trailStore } = stores;
    const trail = new Trail({ trailStore, clock, logger: silent });
    const start = { env: () => undefined, clock, trail };
    for (let times = 0; times < 2; times++) {
      await seedCatalog(catalogs, { ...start, config: undefined });
    }
    const { content } = await detectUpstreams({}, { nowMs: clock.nowMs() });
    const config = { ...content, auto: { ...content.auto, dial: 0.9 } };
    for (let times = 0; times < 2; times++) await seedCatalog(catalogs, { ...start, config });
    const { entries } = await trailStore.page({ limit: 9 });
    const done = entries.filter(({ stage }) => stage === "done");
    assertEquals(entries.length, 4);
    assertEquals(done.map(({ action, subject, author: { id } }) => [action, subject, id]), [
      ["applyCatalog", "/catalog", "start"],
      ["applyCatalog", "/catalog", "start"],
    ]);
    const [later, first] = done.map(({ after }) => Object(after));
    assertEquals([first.version, first.upstreams, later.version], [1, "sim", 2]);
    assertEquals(later.changes.map(({ path }: { path: string }) => path), ["auto"]);
  } finally {
    await stores.close();
  }
});
