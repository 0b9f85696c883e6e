import { assertEquals } from "@std/assert";
import { bodyOf } from "./responses_fixture.ts";
import { callerLine, callerPath } from "./caller_paths.ts";
import { chatRequestOf } from "./chat_request.ts";

const IMAGE = { type: "input_image", image_url: "data:image/png;base64,AA==" };
const call = (id: string) => ({ type: "function_call", call_id: id, name: "f", arguments: "{}" });

const { sources, chat } = chatRequestOf(bodyOf({
  model: "auto",
  instructions: "Be brief",
  input: [
    { role: "user", content: [{ type: "input_text", text: "a" }, IMAGE] },
    { role: "assistant", content: "One moment" },
    call("a"),
    call("b"),
    {
      type: "function_call_output",
      call_id: "b",
      output: [{ type: "input_text", text: "1" }, IMAGE],
    },
    { type: "function_call_output", call_id: "a", output: "2" },
    { role: "user", content: "Now?" },
  ],
}));

Deno.test("fields of a chat request are reported by the caller's names", () => {
  const roles = ["system", "user", "assistant", "tool", "tool", "user", "user"];
  assertEquals(chat.value.messages.map(({ role }) => role), roles);
  const callerPaths: Readonly<Record<string, string>> = {
    "messages.0.content": "instructions",
    "messages.1": "input.0",
    "messages.1.name": "input.0.name",
    "messages.1.content.1.image_url.url": "input.0.content.1.image_url",
    "messages.1.content.1.image_url": "input.0.content.1.image_url",
    "messages.1.content.1.image_url.detail": "input.0.content.1.detail",
    "messages.1.content.0.file.file_data": "input.0.content.0.file_data",
    "messages.1.content.0.cache_control": "input.0.content.0.cache_control",
    "messages[1].content[1].image_url": "input.0.content.1.image_url",
    "messages.[1].content": "input.0.content",
    "messages.2.content": "input.1.content",
    "messages.2.tool_calls.1.function.arguments": "input.3.arguments",
    "messages.2.tool_calls.0.id": "input.2.call_id",
    "messages.3.tool_call_id": "input.4.call_id",
    "messages.3.content.0.text": "input.4.output.0.text",
    "messages.4.content": "input.5.output",
    "messages.5.content.1.image_url.url": "input.4",
    "messages.6.content": "input.6.content",
    "messages.99.content": "input",
    messages: "input",
    "response_format.json_schema.schema": "text.format.schema",
    "response_format.type": "text.format.type",
    response_format: "text.format",
    reasoning_effort: "reasoning.effort",
    verbosity: "text.verbosity",
    max_tokens: "max_output_tokens",
    max_completion_tokens: "max_output_tokens",
    "tools[0].function.parameters": "tools.0.parameters",
    "tools.0.odd": "tools.0.odd",
    "tool_choice.function.name": "tool_choice.name",
    "tool_choice.allowed_tools.tools.0": "tool_choice.tools.0",
    temperature: "temperature",
    messages_odd: "messages_odd",
    "metadata.a[0]": "metadata.a[0]",
  };
  for (const [path, expected] of Object.entries(callerPaths)) {
    assertEquals(callerPath(path, sources), expected, path);
  }
});

Deno.test("of text, and of what is continued, no part has a path", () => {
  const text = chatRequestOf(bodyOf({ model: "auto", input: "Hi" })).sources;
  assertEquals(callerPath("messages.0.content.0.text", text), "input");
  const earlierItems = [bodyOf({ role: "user", content: [IMAGE] })];
  const continued = chatRequestOf(bodyOf({ model: "auto", input: "Hi" }), { earlierItems }).sources;
  const path = "messages.0.content.0.image_url.url";
  assertEquals(callerPath(path, continued), "previous_response_id");
});

Deno.test("a line names its field as the caller does", () => {
  const callerPaths: Readonly<Record<string, string>> = {
    '"messages.1.name" is not supported and was left out':
      '"input.0.name" is not supported and was left out',
    "reasoning_effort: it is unknown": "reasoning.effort: it is unknown",
    "seed: unsupported by this model": "seed: unsupported by this model",
    'the model said "messages.1"': 'the model said "messages.1"',
  };
  for (const [line, expected] of Object.entries(callerPaths)) {
    assertEquals(callerLine(line, sources), expected);
  }
});
