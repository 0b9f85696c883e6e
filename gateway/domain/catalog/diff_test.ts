import { assert, assertEquals } from "@std/assert";
import type { CatalogContent, SearchConfig, UpstreamConfig } from "./catalog.ts";
import { diffCatalog, HIDDEN } from "./diff.ts";
import { catalogOf, modelWith, tierWith } from "../routing/route_fixture_test.ts";

const base: CatalogContent = catalogOf([
  modelWith({ id: "a", featureTags: ["tools"] }),
  modelWith({ id: "svc/b.1" }),
]);

function withUpstream(changes: Partial<UpstreamConfig>): CatalogContent {
  const [first, ...rest] = base.upstreams;
  assert(first !== undefined);
  return { ...base, upstreams: [{ ...first, ...changes }, ...rest] };
}

Deno.test("diffCatalog() of equal catalogs is empty, copies and order of models aside", () => {
  assertEquals(diffCatalog(base, structuredClone(base)), []);
  assertEquals(diffCatalog(base, { ...base, models: base.models.toReversed() }), []);
});

Deno.test("diffCatalog() names what was added, removed and changed", () => {
  const [a] = base.models;
  assert(a !== undefined);
  const after: CatalogContent = {
    ...base,
    models: [
      { ...a, featureTags: ["tools", "json"], price: { ...a.price, inputPerMTok: "2" } },
      modelWith({ id: "c" }),
    ],
    auto: { dial: 0.8 },
  };
  assertEquals(diffCatalog(base, after), [
    { path: "models.a.featureTags", kind: "changed", before: ["tools"], after: ["tools", "json"] },
    { path: "models.a.price.inputPerMTok", kind: "changed", before: "1", after: "2" },
    { path: "models.svc/b.1", kind: "removed", before: base.models[1] },
    { path: "models.c", kind: "added", after: modelWith({ id: "c" }) },
    { path: "auto.dial", kind: "changed", before: 0.5, after: 0.8 },
  ]);
});

Deno.test("diffCatalog() shows a changed order of tiers", () => {
  const after = { ...base, tiers: [...base.tiers.toReversed(), tierWith({ id: "new" })] };
  assertEquals(diffCatalog(base, after), [
    { path: "tiers.new", kind: "added", after: tierWith({ id: "new" }) },
    {
      path: "tiers",
      kind: "changed",
      before: ["low", "mid", "high"],
      after: ["high", "mid", "low"],
    },
  ]);
});

Deno.test("diffCatalog() never shows a key", () => {
  const one = withUpstream({ apiKey: "sk-one" });
  const two = withUpstream({ apiKey: "sk-two" });
  const none = { ...base, upstreams: [] };
  const path = "upstreams.lab.apiKey";
  assertEquals(diffCatalog(one, two), [{ path, kind: "changed", before: HIDDEN, after: HIDDEN }]);
  assertEquals(diffCatalog(base, two), [{ path, kind: "added", after: HIDDEN }]);
  assertEquals(diffCatalog(one, base), [{ path, kind: "removed", before: HIDDEN }]);
  for (const changes of [diffCatalog(none, one), diffCatalog(one, none)]) {
    assertEquals(changes.length, 2);
    assert(!JSON.stringify(changes).includes("sk-"));
  }
});

Deno.test("diffCatalog() shows where web search asks and what it costs, never its key", () => {
  const brave: SearchConfig = {
    kind: "brave",
    baseUrl: "https://api.search.brave.com",
    apiKey: "sk-one",
    pricePerSearch: "0.005",
  };
  const one = { ...base, search: brave };
  const dearer = { ...base, search: { ...brave, apiKey: "sk-two", pricePerSearch: "0.01" } };
  assertEquals(diffCatalog(one, dearer), [
    { path: "search.apiKey", kind: "changed", before: HIDDEN, after: HIDDEN },
    { path: "search.pricePerSearch", kind: "changed", before: "0.005", after: "0.01" },
  ]);
  assertEquals(diffCatalog(base, one), [
    { path: "search", kind: "added", after: { ...brave, apiKey: HIDDEN } },
  ]);
  assertEquals(diffCatalog(one, { ...base, search: undefined }), [
    { path: "search", kind: "removed", before: { ...brave, apiKey: HIDDEN } },
  ]);
  const offline: CatalogContent = { ...base, search: { kind: "offline", pricePerSearch: "0" } };
  const changed = diffCatalog(one, offline);
  assertEquals(changed.map(({ path }) => path), [
    "search.kind",
    "search.baseUrl",
    "search.apiKey",
    "search.pricePerSearch",
  ]);
  assert(!JSON.stringify(changed).includes("sk-"));
});

Deno.test("diffCatalog() shows what vector stores are embedded with", () => {
  const embeddings = { upstream: "lab", model: "small" };
  const one: CatalogContent = { ...base, vectorStores: { embeddings } };
  assertEquals(diffCatalog(base, one), [
    { path: "vectorStores", kind: "added", after: { embeddings } },
  ]);
  const other = { ...base, vectorStores: { embeddings: { ...embeddings, model: "large" } } };
  assertEquals(diffCatalog(one, other), [{
    path: "vectorStores.embeddings.model",
    kind: "changed",
    before: "small",
    after: "large",
  }]);
});
