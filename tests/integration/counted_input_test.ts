/**
 * Input that counts where no usage is reported: everything that the model read, not its text alone.
 *
 * @module
 */

import { assert, assertEquals, assertGreaterOrEqual, assertLess } from "@std/assert";
import { dataUri, PNG } from "../../gateway/images/image_fixture.ts";
import { chunk, FakeUpstream, streamHead } from "../fixtures/fake_upstream.ts";
import { labConfig, QUESTION } from "../fixtures/lab.ts";
import { postResponse } from "../fixtures/responses_calls.ts";
import { CHAT, RESPONSES } from "../fixtures/answered_text.ts";
import { TestService } from "../fixtures/service.ts";

/** 40 000 characters, some 10 000 tokens. */
const LONG = "word and word again ".repeat(2_000);
const IMAGE = dataUri("image/png", PNG);

type Fields = Readonly<Record<string, unknown>>;

/** Returns the charge for the input of a call that is cut after its first word. */
async function inputOf(route: "chat" | "responses", asks: Fields): Promise<number> {
  await using upstream = new FakeUpstream();
  const wire = route === "chat" ? CHAT : RESPONSES;
  const begun = wire.begun({ pieces: ["Hello"] }).map(chunk);
  upstream.answer([streamHead(), ...begun, { close: true }]);
  const config = labConfig({
    id: "first",
    baseUrl: upstream.baseUrl,
    featureTags: ["tools", "json", "vision", "files", "audio"],
    upstream: { kind: route === "chat" ? "openai-compatible" : "openai" },
  });
  await using service = await TestService.start({ config });
  const response = route === "chat"
    ? await service.chat({ messages: QUESTION, stream: true, ...asks })
    : await postResponse(service, { input: "Hi", stream: true, ...asks });
  assertEquals(response.status, 200, await response.clone().text());
  await response.text();
  const { inputTokens, estimated, outputTokens } = await service.lastRequest();
  assertEquals([estimated, outputTokens], [true, 1]);
  await service.assertBooks();
  return inputTokens;
}

const SCHEMA = { type: "object", description: LONG };
const FUNCTION = { name: "f", description: LONG, parameters: { type: "object" } };
const CHAT_ASKS: Readonly<Record<string, Fields>> = {
  functions: { functions: [FUNCTION] },
  tools: { tools: [{ type: "function", function: FUNCTION }] },
  "a schema": {
    response_format: { type: "json_schema", json_schema: { name: "s", schema: SCHEMA } },
  },
  "a prediction": { prediction: { type: "content", content: LONG } },
  "arguments of an earlier tool call": {
    messages: [
      ...QUESTION,
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: LONG } }],
      },
      { role: "tool", tool_call_id: "c", content: "Done" },
    ],
  },
  "arguments of an earlier legacy call": {
    messages: [
      ...QUESTION,
      { role: "assistant", content: null, function_call: { name: "f", arguments: LONG } },
      { role: "function", name: "f", content: "Done" },
    ],
  },
};

const RESPONSE_ASKS: Readonly<Record<string, Fields>> = {
  tools: { tools: [{ type: "function", strict: false, ...FUNCTION }] },
  "a schema": { text: { format: { type: "json_schema", name: "s", schema: SCHEMA } } },
  "arguments of an earlier tool call": {
    input: [
      { role: "user", content: "Hi" },
      { type: "function_call", call_id: "c", name: "f", arguments: LONG },
      { type: "function_call_output", call_id: "c", output: "Done" },
    ],
  },
  "the input of an earlier custom tool call": {
    input: [
      { role: "user", content: "Hi" },
      { type: "custom_tool_call", call_id: "c", name: "f", input: LONG },
      { type: "custom_tool_call_output", call_id: "c", output: "Done" },
    ],
  },
  "the output of an earlier custom tool call": {
    input: [
      { role: "user", content: "Hi" },
      { type: "custom_tool_call", call_id: "c", name: "f", input: "ls" },
      { type: "custom_tool_call_output", call_id: "c", output: LONG },
    ],
  },
};

for (const [route, rows] of [["chat", CHAT_ASKS], ["responses", RESPONSE_ASKS]] as const) {
  for (const [name, asks] of Object.entries(rows)) {
    Deno.test(`input tokens outside the messages' text are counted (${route}): ${name}`, async () => {
      const tokens = await inputOf(route, asks);
      assertGreaterOrEqual(tokens, 8_000);
      assertLess(tokens, 12_000);
    });
  }
}

Deno.test("images are counted as in their hold", async () => {
  const image = { type: "image_url", image_url: { url: IMAGE } };
  const content = [{ type: "text", text: "Hi" }, image, image];
  assertEquals(await inputOf("chat", { messages: [{ role: "user", content }] }), 1 + 2 * 4_800);
  const part = { type: "input_image", image_url: IMAGE };
  const input = [{ role: "user", content: [{ type: "input_text", text: "Hi" }, part] }];
  assertEquals(await inputOf("responses", { input }), 1 + 4_800);
});

Deno.test("documents and speech are counted as in their hold", async () => {
  const file_data = `data:application/pdf;base64,${"QUJD".repeat(10_000)}`;
  const file = { type: "file", file: { filename: "a.pdf", file_data } };
  const content = [{ type: "text", text: "Hi" }, file];
  const ofFile = await inputOf("chat", { messages: [{ role: "user", content }] });
  // Half of it as text, at 0.4 tokens a character and a margin of 1.5.
  assertGreaterOrEqual(ofFile, 12_000);
  assertLess(ofFile, 12_100);
  const part = { type: "input_file", filename: "a.pdf", file_data };
  const input = [{ role: "user", content: [{ type: "input_text", text: "Hi" }, part] }];
  const native = await inputOf("responses", { input });
  assert(Math.abs(native - ofFile) < 20, `${native}`);
  const audio = { type: "input_audio", input_audio: { data: "A".repeat(32_000), format: "wav" } };
  const spoken = [{ role: "user", content: [{ type: "text", text: "Hi" }, audio] }];
  assertGreaterOrEqual(await inputOf("chat", { messages: spoken }), 600);
});
