import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { ToolNames } from "./tool_name.ts";

Deno.test("names are valid and distinct, whatever a server calls its tools", () => {
  fc.assert(fc.property(fc.array(fc.string(), { maxLength: 40 }), (tools) => {
    const names = new ToolNames();
    const all = [...tools, ...tools].map((tool) => names.next("docs", tool));
    for (const name of all) assertMatch(name, /^[A-Za-z0-9_-]{1,64}$/);
    assertEquals(new Set(all).size, all.length);
  }));
});

Deno.test("a valid name keeps its form, and a changed one does not depend on the order", () => {
  const names = new ToolNames();
  assertEquals(names.next("files", "read_file"), "files_read_file");
  const long = "x".repeat(100);
  const [one, other] = [names.next("files", `${long}1`), names.next("files", `${long}2`)];
  const back = new ToolNames();
  assertEquals([back.next("files", `${long}2`), back.next("files", `${long}1`)], [other, one]);
  assertMatch(names.next("files", "a.b"), /^files_a_b_[0-9a-f]{8}$/);
  // Servers whose names run into those of their tools.
  assertEquals(names.next("a", "b_c"), "a_b_c");
  assertEquals(names.next("a_b", "c"), "a_b_c_2");
});
