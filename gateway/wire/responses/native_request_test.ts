import { assertEquals } from "@std/assert";
import { foreignLosses, selfContained } from "./native_request.ts";

Deno.test("an upstream that did not search receives the results unless a text stands for them", () => {
  const value = {
    previous_response_id: "resp_1",
    input: [
      { type: "web_search_call", id: "ws_1", status: "completed" },
      { type: "file_search_call", id: "fs_1", status: "completed" },
      { type: "function_call", id: "fc_1", call_id: "a", name: "f", arguments: "{}" },
    ],
  };
  const body = { text: JSON.stringify(value), value };
  const call = { type: "function_call", call_id: "a", name: "f", arguments: "{}" };
  assertEquals(selfContained(body, { findings: new Map([["fs_1", "Results"]]) }).value, {
    previous_response_id: null,
    input: [{ type: "message", role: "user", content: "Results" }, call],
  });
  assertEquals(selfContained(body, {}).value["input"], [call]);
});

Deno.test("content that only its own model understands is left out and reported", () => {
  const input = [
    { type: "reasoning", id: "rs_1", summary: [] },
    { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "E" },
    { type: "message", role: "assistant", phase: "commentary", content: "Hm" },
    { type: "item_reference", id: "ws_1" },
    { role: "user", content: "Hi" },
  ];
  const bodyOf = (value: Readonly<Record<string, unknown>>) => ({
    text: JSON.stringify(value),
    value,
  });
  const search = bodyOf({ type: "web_search_call", id: "ws_1", status: "completed" });
  const options = {
    earlierItems: [bodyOf({ type: "reasoning", id: "rs_0", summary: [] })],
    references: new Map([["ws_1", search]]),
  };
  const lost = foreignLosses(bodyOf({ input }), options);
  assertEquals(lost.map(({ path }) => path), [
    "previous_response_id",
    "input.0",
    "input.2.phase",
    "input.3",
  ]);
  assertEquals(lost.every(({ action }) => action === "report"), true);
  assertEquals(foreignLosses(bodyOf({ input: "Hi" }), {}), []);
});
