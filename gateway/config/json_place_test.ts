import { assertEquals } from "@std/assert";
import { jsonPlace } from "./json_place.ts";

Deno.test("the place is reported at which a text stops being JSON", () => {
  const cases: readonly [string, string][] = [
    ['{"a": 1', "line 1, column 8"],
    ['{\n  "apiKey": "key-0123456789" oops\n}', "line 2, column 30"],
    ['{\n  "apiKey": key-0123456789,\n  "id": "a"\n}', "line 2, column 13"],
    ['{"apiKey": key}', "line 1, column 12"],
    ["key", "line 1, column 1"],
    ['{"a": "b\\q"}', "line 1, column 10"],
    ["", "line 1, column 1"],
    ["[1,]", "line 1, column 4"],
  ];
  for (const [text, place] of cases) {
    let error: unknown;
    try {
      JSON.parse(text);
    } catch (thrown) {
      error = thrown;
    }
    assertEquals(jsonPlace(text, error), place, `${text}: ${error}`);
  }
});
