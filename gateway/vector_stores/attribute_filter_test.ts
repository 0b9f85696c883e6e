import { assertEquals } from "@std/assert";
import type { AttributeFilter } from "@svc/sdk/protocol";
import { passes } from "./attribute_filter.ts";

const BOOK = { year: 2024, lang: "zh", draft: false };

const CASES: readonly (readonly [AttributeFilter, boolean])[] = [
  [{ type: "eq", key: "lang", value: "zh" }, true],
  [{ type: "eq", key: "year", value: "2024" }, false],
  [{ type: "eq", key: "toString", value: "x" }, false],
  [{ type: "ne", key: "lang", value: "en" }, true],
  [{ type: "ne", key: "absent", value: "en" }, true],
  [{ type: "gt", key: "year", value: 2023 }, true],
  [{ type: "gt", key: "year", value: 2024 }, false],
  [{ type: "gte", key: "year", value: 2024 }, true],
  [{ type: "lt", key: "year", value: 2025 }, true],
  [{ type: "lte", key: "year", value: 2023 }, false],
  [{ type: "lte", key: "year", value: "9999" }, false],
  [{ type: "lt", key: "absent", value: 1 }, false],
  [{ type: "in", key: "lang", value: ["en", "zh"] }, true],
  [{ type: "nin", key: "lang", value: ["en", "zh"] }, false],
  [{ type: "in", key: "absent", value: ["en"] }, false],
  [{ type: "nin", key: "absent", value: ["en"] }, true],
];

Deno.test("a comparison holds, or does not", () => {
  for (const [filter, expected] of CASES) {
    assertEquals(passes(filter, BOOK), expected, JSON.stringify(filter));
  }
});

Deno.test("filters are joined by and, and by or", () => {
  const yes: AttributeFilter = { type: "eq", key: "draft", value: false };
  const no: AttributeFilter = { type: "eq", key: "draft", value: true };
  assertEquals(passes({ type: "and", filters: [yes, yes] }, BOOK), true);
  assertEquals(passes({ type: "and", filters: [yes, no] }, BOOK), false);
  assertEquals(passes({ type: "or", filters: [no, yes] }, BOOK), true);
  assertEquals(passes({ type: "or", filters: [{ type: "and", filters: [no] }, no] }, BOOK), false);
});
