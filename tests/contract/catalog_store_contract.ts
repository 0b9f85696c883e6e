import { assert, assertEquals, assertThrows } from "@std/assert";
import type { CatalogContent, Model } from "../../gateway/domain/catalog/catalog.ts";
import type { CatalogStore } from "../../gateway/ports/catalog_store.ts";
import { StoreError } from "../../gateway/ports/store_error.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

/** A catalog of so many models. */
export function catalogOf(models: number): CatalogContent {
  return {
    upstreams: [],
    models: Array.from({ length: models }, (_, index) => modelOf(`model-${index}`)),
    tiers: [],
  };
}

function modelOf(id: string): Model {
  return {
    id,
    name: id,
    upstream: "sim",
    upstreamModel: id,
    endpoints: ["chat"],
    quality: 0.5,
    contextTokens: 1_000,
    maxOutputTokens: 100,
    featureTags: ["tools"],
    industryPacks: [],
    sku: "text",
    price: { inputPerMTok: "1", outputPerMTok: "2", currency: "USD" },
    description: { en: "A model", zh: "模型" },
    disabled: false,
  };
}

const CLAUSES: Clauses<CatalogStore> = {
  "an empty store has no catalog": async (catalogs) => {
    assertThrows(() => catalogs.current(), StoreError, "No catalog");
    assertEquals(await catalogs.get(1), undefined);
    assertEquals(await catalogs.history(5), []);
  },

  "a version is applied on the one it was made from": async (catalogs) => {
    const first = await catalogs.apply(catalogOf(1), { expected: 0, note: "first", atMs: 10 });
    assertEquals([first?.version, first?.updatedAtMs], [1, 10]);
    assertEquals(catalogs.current(), first);
    const late = await catalogs.apply(catalogOf(2), { expected: 0, note: "late", atMs: 11 });
    assertEquals(late, undefined);
    const second = await catalogs.apply(catalogOf(3), { expected: 1, note: "second", atMs: 12 });
    assertEquals(catalogs.current(), second);
    assertEquals(await catalogs.get(1), first);
    assertEquals(await catalogs.history(5), [
      { version: 2, updatedAtMs: 12, note: "second" },
      { version: 1, updatedAtMs: 10, note: "first" },
    ]);
    assertEquals((await catalogs.history(1)).length, 1);
  },

  "of two at once one wins": async (catalogs) => {
    const options = { expected: 0, note: "", atMs: 1 };
    const both = await Promise.all([1, 2].map((n) => catalogs.apply(catalogOf(n), options)));
    assertEquals(both.map((catalog) => catalog?.models.length), [1, undefined]);
  },

  "a catalog far beyond one row comes back whole": async (catalogs) => {
    const applied = await catalogs.apply(catalogOf(4_000), { expected: 0, note: "", atMs: 1 });
    assert(JSON.stringify(applied).length > 1_000_000);
    assertEquals(await catalogs.get(1), applied);
  },
};

/** Contract of every catalog store. */
export function catalogStoreContract(name: string, open: Open<CatalogStore>): void {
  runContract(name, { open, clauses: CLAUSES });
}
