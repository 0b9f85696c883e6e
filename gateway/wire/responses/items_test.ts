import { assertEquals } from "@std/assert";
import { namedIds } from "./items.ts";
import { bodyOf } from "./responses_fixture.ts";

const OWN = "rs_0123456789abcdefghjkmnpqrs";

const idsOf = (item: Readonly<Record<string, unknown>>) => namedIds(bodyOf(item));

Deno.test("an item without text names its stored content", () => {
  const named: Readonly<Record<string, unknown>>[] = [
    { id: "x" },
    { type: "item_reference", id: "x" },
    { type: "item_reference", id: "x", content: "Hi", encrypted_content: "z" },
    { type: "reasoning", id: "x", summary: [] },
    { type: "reasoning", id: "x", summary: [{ type: "summary_text", text: "So" }] },
    { type: "reasoning", id: "x", encrypted_content: "" },
    { type: "reasoning", id: "x", encrypted_content: {} },
    { type: "reasoning", id: "x", encrypted_content: 1 },
    { type: "image_generation_call", id: "x", "": "y", undefined: "y", content: "y" },
    { type: "message", id: "x", role: "assistant", content: [] },
    { role: "assistant", id: "x", content: "" },
    { type: "compaction", id: "x", encrypted_content: null },
    { type: "image_generation_call", id: "x", result: "AAAA" },
    { type: "web_search_call", id: "x", action: { type: "search", query: "q" } },
    { type: "mcp_call", id: "x", name: "f", arguments: "{}", output: "1" },
    { type: "code_interpreter_call", id: "x", code: "1", container_id: "cntr_1" },
    { type: "what_comes_next_year", id: "x" },
  ];
  for (const item of named) assertEquals(idsOf(item), [{ id: "x", member: "id" }], `${item}`);
  const approval = { type: "mcp_approval_response", approval_request_id: "y", approve: true };
  assertEquals(idsOf(approval), [{ id: "y", member: "approval_request_id" }]);
  assertEquals(idsOf({ ...approval, id: "x" }).length, 2);
});

Deno.test("an item that says it all has an id of no weight", () => {
  const whole: Readonly<Record<string, unknown>>[] = [
    { type: "message", id: "x", role: "user", content: "Hi" },
    { role: "assistant", id: "x", content: [{ type: "output_text", text: "" }] },
    { type: "reasoning", id: "x", summary: [], encrypted_content: "gAAA" },
    { type: "reasoning", summary: [] },
    { type: "function_call", id: "x", call_id: "c", name: "f", arguments: "" },
    { type: "function_call_output", id: "x", call_id: "c", output: "" },
    { type: "custom_tool_call", id: "x", call_id: "c", name: "f", input: "1" },
    { type: "computer_call", id: "x", call_id: "c", action: { type: "wait" } },
    { type: "what_comes_next_year" },
  ];
  for (const item of whole) assertEquals(idsOf(item), [], JSON.stringify(item));
});

Deno.test("an id of the service's own stays here, and so needs no proof but where it is looked up", () => {
  assertEquals(idsOf({ type: "reasoning", id: OWN, summary: [] }), []);
  assertEquals(idsOf({ type: "item_reference", id: OWN }), [{ id: OWN, member: "id" }]);
  const approval = { type: "mcp_approval_response", approval_request_id: OWN };
  assertEquals(idsOf(approval), [{ id: OWN, member: "approval_request_id" }]);
});
