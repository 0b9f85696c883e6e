import { assertEquals, assertStrictEquals } from "@std/assert";
import type { ResponsesRequest } from "@svc/sdk/protocol";
import type { Model } from "../../domain/catalog/catalog.ts";
import { modelWith } from "../../domain/routing/route_fixture_test.ts";
import {
  countSearches,
  NATIVE_SEARCHES_MAX,
  searchesHold,
  searchFee,
  withSearchLimit,
} from "./native_searches.ts";

const REQUEST = { model: "auto", input: "Hi" };

function bodyOf(text: string) {
  return { text, value: JSON.parse(text) };
}

Deno.test("a request without a limit to its searches gets one, one with a limit keeps its bytes", () => {
  const limited = bodyOf('{"max_tool_calls" : 3}');
  assertStrictEquals(withSearchLimit(limited), limited);
  for (const text of ['{"input":"Hi"}', '{"input":"Hi","max_tool_calls":null}']) {
    const { text: sent, value } = withSearchLimit(bodyOf(text));
    assertEquals(JSON.parse(sent), { input: "Hi", max_tool_calls: NATIVE_SEARCHES_MAX });
    assertEquals(value, JSON.parse(sent));
  }
});

Deno.test("the hold pays for every search that may run", () => {
  const model = modelWith({ id: "a" });
  assertEquals(searchFee(REQUEST, { model, creditsPerUsd: "1000" }), 10_000_000n);
  assertEquals(searchesHold(REQUEST, { model, creditsPerUsd: "1000" }), 80_000_000n);
  const one = { ...REQUEST, max_tool_calls: 1 };
  assertEquals(searchesHold(one, { model, creditsPerUsd: "100" }), 1_000_000n);
});

Deno.test("the preview tool is dearer where the model does not reason; the catalog's price wins", () => {
  const preview = { ...REQUEST, tools: [{ type: "web_search_preview_2025_03_11" }] };
  const plain = modelWith({ id: "a" });
  const rows: [ResponsesRequest, Model, bigint][] = [
    [preview, plain, 25_000_000n],
    [{ ...REQUEST, tools: [{ type: "web_search" }] }, plain, 10_000_000n],
    [preview, modelWith({ id: "a", featureTags: ["reasoning"] }), 10_000_000n],
    [preview, { ...plain, price: { ...plain.price, perWebSearch: "0.5" } }, 500_000_000n],
  ];
  for (const [request, model, fee] of rows) {
    assertEquals(searchFee(request, { model, creditsPerUsd: "1000" }), fee);
  }
});

Deno.test("searches are counted, pages that were opened are not", () => {
  const search = { type: "web_search_call", action: { type: "search", query: "q" } };
  const output = [
    search,
    { type: "web_search_call" },
    { type: "web_search_call", action: { type: "open_page" } },
    { type: "message" },
    null,
  ];
  assertEquals(countSearches(output), 2);
  for (const none of [undefined, null, "x", {}]) assertEquals(countSearches(none), 0);
});
