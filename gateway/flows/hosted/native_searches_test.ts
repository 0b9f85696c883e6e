import { assertEquals, assertStrictEquals } from "@std/assert";
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
  assertEquals(searchFee("1000"), 10_000_000n);
  assertEquals(searchesHold(REQUEST, "1000"), 80_000_000n);
  assertEquals(searchesHold({ ...REQUEST, max_tool_calls: 1 }, "100"), 1_000_000n);
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
