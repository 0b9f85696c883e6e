import { assertEquals } from "@std/assert";
import { selfContained } from "./native_request.ts";

Deno.test("an upstream that did not search is told what was found where no text stands for it", () => {
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
  assertEquals(selfContained(body, { found: new Map([["fs_1", "Results"]]) }).value, {
    previous_response_id: null,
    input: [{ type: "message", role: "user", content: "Results" }, call],
  });
  assertEquals(selfContained(body, {}).value["input"], [call]);
});
