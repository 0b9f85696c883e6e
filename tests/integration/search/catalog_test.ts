import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import type { SearchConfig } from "../../../gateway/domain/catalog/catalog.ts";
import { openKvStores } from "../../../gateway/stores/kv/open.ts";
import { catalogOf } from "../../contract/catalog_store_contract.ts";

Deno.test("the setting of web search survives a restart; older catalogs have none", async () => {
  const search: SearchConfig = {
    kind: "tavily",
    baseUrl: "https://api.tavily.com",
    apiKeyEnv: "TAVILY_API_KEY",
    pricePerSearch: "0.008",
  };
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, "svc.kv");
    const written = await openKvStores(path, { nowMs: () => 0 });
    const options = { note: "", atMs: 1 };
    await written.catalogs.apply(catalogOf(1), { ...options, expected: 0 });
    await written.catalogs.apply({ ...catalogOf(1), search }, { ...options, expected: 1 });
    await written.close();

    const read = await openKvStores(path, { nowMs: () => 0 });
    assertEquals(read.catalogs.current().search, search);
    const older = await read.catalogs.get(1);
    assertEquals([older?.version, older?.search], [1, undefined]);
    await read.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
