import { assertEquals, assertThrows } from "@std/assert";
import { ServiceFault } from "../domain/fault.ts";
import { asksForHosted } from "../flows/hosted/hosted_tools.ts";
import { readHostedTools } from "./hosted_tools.ts";

const FUNCTION = { type: "function", function: { name: "file_search" } };

Deno.test("functions are not hosted tools, for any names", () => {
  for (const tools of [[], [FUNCTION, { type: "custom", name: "web_search" }]]) {
    assertEquals(asksForHosted(readHostedTools(tools)), false);
  }
});

Deno.test("every name of web search means the same, with what it says", () => {
  for (const type of ["web_search", "web_search_preview", "web_search_2025_08_26"]) {
    const { webSearch } = readHostedTools([FUNCTION, { type }]);
    assertEquals(webSearch, {
      path: "tools.1",
      isLive: true,
      contextSize: undefined,
      userLocation: undefined,
      allowedDomains: undefined,
    });
  }
  const user_location = { type: "approximate", country: "NO", city: "Oslo", region: null };
  const { webSearch } = readHostedTools([{
    type: "web_search",
    search_context_size: "low",
    user_location,
    filters: { allowed_domains: ["a.example"] },
    external_web_access: false,
  }]);
  assertEquals(webSearch, {
    path: "tools.0",
    isLive: false,
    contextSize: "low",
    userLocation: { country: "NO", city: "Oslo", region: undefined, timezone: undefined },
    allowedDomains: ["a.example"],
  });
  const nulls = { search_context_size: null, user_location: null, filters: null };
  assertEquals(
    readHostedTools([{ type: "web_search", ...nulls }]).webSearch?.contextSize,
    undefined,
  );
});

Deno.test("file search has its stores, and their path in the request", () => {
  const filters = {
    type: "and",
    filters: [{ type: "eq", key: "lang", value: "en" }, { type: "in", key: "n", value: [1, true] }],
  };
  const { fileSearch } = readHostedTools([FUNCTION, {
    type: "file_search",
    vector_store_ids: ["vs_1"],
    max_num_results: 3,
    ranking_options: { score_threshold: 0.5, ranker: "auto" },
    filters,
  }]);
  assertEquals({ ...fileSearch, filter: Object(fileSearch).filter }, {
    storeIds: ["vs_1"],
    path: "tools.1.vector_store_ids",
    maxResults: 3,
    scoreThreshold: 0.5,
    filter: filters,
  });
});

Deno.test("unsupported search options are listed; options that request nothing are not", () => {
  const files = { type: "file_search", vector_store_ids: ["vs_1"] };
  const ranked = (ranking_options: unknown) => [{ ...files, ranking_options }];
  for (
    const [tools, paths] of [
      [[FUNCTION, { type: "web_search", future: 1, past: null }], ["tools.1.future"]],
      [[{ type: "web_search", search_content_types: ["text"] }], []],
      [[{ type: "web_search", search_content_types: ["image"] }], ["tools.0.search_content_types"]],
      [[{ type: "web_search", user_location: { type: "approximate", zip: 1 } }], [
        "tools.0.user_location.zip",
      ]],
      [ranked({ ranker: "auto", score_threshold: 0.1 }), []],
      [ranked({ ranker: "none", hybrid_search: {} }), [
        "tools.0.ranking_options.ranker",
        "tools.0.ranking_options.hybrid_search",
      ]],
      [[{ type: "web_search", constructor: 1 }, { ...files, toString: 1 }], [
        "tools.0.constructor",
        "tools.1.toString",
      ]],
    ] as const
  ) {
    const lines = readHostedTools(tools).leftOut ?? [];
    assertEquals(lines.map((line) => line.split(": ")[0]), [...paths]);
    assertEquals(lines.some((line) => /undefined|function/.test(line)), false);
  }
});

Deno.test("an unsupported tool is refused by name, the first wrong one", () => {
  const files = { type: "file_search", vector_store_ids: ["vs_1"] };
  for (
    const [tools, code, param] of [
      [[FUNCTION, { type: "mcp" }], "unsupported_tool", "tools.1.type"],
      [[{ type: "web_search" }, { type: "web_search_preview" }], "conflicting_tools", "tools"],
      [[files, FUNCTION, files], "conflicting_tools", "tools.2"],
      [[{ type: "file_search" }], "invalid_request", "tools.0.vector_store_ids"],
      [[{ ...files, filters: { type: "xor" } }], "invalid_request", "tools.0.filters.type"],
    ] as const
  ) {
    const fault = assertThrows(() => readHostedTools(tools), ServiceFault);
    assertEquals([fault.code, fault.param], [code, param]);
  }
});
