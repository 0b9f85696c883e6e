import { assertEquals } from "@std/assert";
import { ServiceFault } from "../../domain/fault.ts";
import { validate } from "../validation.ts";
import { responsesRequestSchema } from "./responses.ts";
import { responseEventSchema } from "./responses_events.ts";

/** Returns the path of the complaint about a request. */
function complaint(request: Readonly<Record<string, unknown>>): string | undefined {
  try {
    validate(responsesRequestSchema, { model: "auto", input: "Hi", ...request });
    return undefined;
  } catch (error) {
    if (error instanceof ServiceFault) return error.param;
    throw error;
  }
}

function pairs(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, "v"]));
}

Deno.test("valid requests pass, unknown fields included", () => {
  const valid: Readonly<Record<string, unknown>>[] = [
    {},
    { input: [{ role: "user", content: "Hi", odd: 1 }], odd: { deep: true } },
    { input: [{ id: "msg_1" }, { type: "item_reference", id: "msg_1" }] },
    { input: [{ type: "function_call", call_id: "a", name: "f", arguments: "" }] },
    { input: [{ type: "function_call_output", call_id: "a", output: [] }] },
    { input: [{ type: "reasoning", id: "rs_1", summary: [], content: null }] },
    { tools: [{ type: "function", name: "f", parameters: null }, { type: "file_search" }] },
    { text: { format: { type: "json_schema", name: "n", schema: {} } }, metadata: { a: "b" } },
    { metadata: pairs(16), tool_choice: { type: "function", name: "f" } },
    { instructions: null, tools: null, reasoning: null, max_output_tokens: null, stream: null },
  ];
  for (const request of valid) {
    assertEquals(complaint(request), undefined, JSON.stringify(request));
  }
});

Deno.test("requests that are not, with the field", () => {
  const part = (value: unknown) => ({ input: [{ role: "user", content: [value] }] });
  const invalid: [Readonly<Record<string, unknown>>, string][] = [
    [{ model: "gpt-5" }, "model"],
    [{ input: [] }, "input"],
    [{ input: 7 }, "input"],
    [{ input: [{ role: "robot", content: "Hi" }] }, "input.0.role"],
    [{ input: [{ type: "message", content: "Hi" }] }, "input.0.role"],
    [{ input: [{ role: "user" }] }, "input.0.content"],
    [part({ type: "input_text" }), "input.0.content.0.text"],
    [part({ type: "input_image" }), "input.0.content.0.image_url"],
    [part({ type: "input_file" }), "input.0.content.0.file_data"],
    [part(7), "input.0.content.0"],
    [
      { input: [{ role: "assistant", content: [{ type: "refusal" }] }] },
      "input.0.content.0.refusal",
    ],
    [{ tool_choice: { type: "function" } }, "tool_choice.name"],
    [{ tool_choice: { type: "function", name: 7 } }, "tool_choice.name"],
    [{ metadata: pairs(17) }, "metadata"],
    [{ input: [{ type: "item_reference" }] }, "input.0.id"],
    [{ input: [{ type: "function_call", name: "f", arguments: "" }] }, "input.0.call_id"],
    [{ input: [{ type: "function_call", call_id: "a", arguments: "" }] }, "input.0.name"],
    [{ input: [{ type: "function_call", call_id: "a", name: "f" }] }, "input.0.arguments"],
    [{ input: [{ type: "function_call_output", output: "" }] }, "input.0.call_id"],
    [{ input: [{ type: "function_call_output", call_id: "a" }] }, "input.0.output"],
    [{ tools: [{ type: "function" }] }, "tools.0.name"],
    [{ text: { format: { type: "json_schema", schema: {} } } }, "text.format.name"],
    [{ text: { format: { type: "json_schema", name: "n" } } }, "text.format.schema"],
    [{ metadata: { a: 1 } }, "metadata.a"],
    [{ previous_response_id: "x".repeat(257) }, "previous_response_id"],
    [{ input: [{ id: "x".repeat(257) }] }, "input.0.id"],
    [
      { input: [{ type: "mcp_approval_response", approval_request_id: "x".repeat(257) }] },
      "input.0.approval_request_id",
    ],
    [{ max_output_tokens: 0 }, "max_output_tokens"],
    [{ temperature: 3 }, "temperature"],
    [part({ type: "input_image", file_id: "f" }), "input.0.content.0.file_id"],
    [part({ type: "input_image", image_url: "data:", file_id: "f" }), "input.0.content.0.file_id"],
    [part({ type: "input_file", file_data: "data:", file_id: "f" }), "input.0.content.0.file_id"],
    [
      { input: [{ type: "computer_call_output", call_id: "a", output: { file_id: "f" } }] },
      "input.0.output.file_id",
    ],
    [
      { input: [{ type: "custom_tool_call_output", output: [{}, { file_id: "f" }] }] },
      "input.0.output.1.file_id",
    ],
  ];
  for (const [request, path] of invalid) assertEquals(complaint(request), path);
});

Deno.test("of many bad parts the first is complained of, and no other is looked at", () => {
  const nobody = {
    get type(): string {
      throw new Error("A part after a bad one was read");
    },
  };
  const output = [{ type: "function_call_output", call_id: "a", output: [7, nobody] }];
  assertEquals(complaint({ input: [{ role: "user", content: [7, nobody] }] }), "input.0.content.0");
  assertEquals(complaint({ input: output }), "input.0.output.0");
  const files = [{ file_id: "f" }, {
    get file_id(): string {
      return nobody.type;
    },
  }];
  const custom = [{ type: "custom_tool_call_output", call_id: "a", output: files }];
  assertEquals(complaint({ input: custom }), "input.0.output.0.file_id");
});

Deno.test("an event with an additional or missing field is refused", () => {
  const delta = {
    type: "response.refusal.delta",
    sequence_number: 3,
    item_id: "msg_1",
    output_index: 0,
    content_index: 0,
    delta: "No",
  };
  assertEquals(responseEventSchema.safeParse(delta).success, true);
  assertEquals(responseEventSchema.safeParse({ ...delta, odd: 1 }).success, false);
  const { item_id: _id, ...rest } = delta;
  assertEquals(responseEventSchema.safeParse(rest).success, false);
});
