import { assertEquals } from "@std/assert";
import type { CatalogContent, SearchConfig, UpstreamConfig } from "./catalog.ts";
import { catalogOf } from "../routing/route_fixture_test.ts";
import type { TraitsOf } from "./provider_traits.ts";
import { searchInForce } from "./search_in_force.ts";

const SEARXNG: SearchConfig = {
  kind: "searxng",
  baseUrl: "http://127.0.0.1:8080",
  pricePerSearch: "0",
};

const traitsOf: TraitsOf = (kind) => ({ isSimulated: kind === "simulator" });

function contentWith(kinds: readonly UpstreamConfig["kind"][]): CatalogContent {
  const base = catalogOf([]);
  const [lab] = base.upstreams;
  return {
    ...base,
    upstreams: kinds.flatMap((kind) => lab === undefined ? [] : [{ ...lab, id: kind, kind }]),
  };
}

Deno.test("searchInForce() returns the catalog's search for any upstreams", () => {
  for (const kinds of [["simulator"], ["openai"]] as const) {
    assertEquals(searchInForce({ ...contentWith(kinds), search: SEARXNG }, traitsOf), SEARXNG);
  }
});

Deno.test("searchInForce() is the offline stand-in only where all upstreams are simulated", () => {
  const offline: SearchConfig = { kind: "offline", pricePerSearch: "0" };
  assertEquals(searchInForce(contentWith(["simulator"]), traitsOf), offline);
  assertEquals(searchInForce(contentWith(["simulator", "anthropic"]), traitsOf), undefined);
  assertEquals(searchInForce(contentWith(["openai"]), traitsOf), undefined);
});
