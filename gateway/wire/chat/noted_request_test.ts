import { assertEquals } from "@std/assert";
import { lastUserText, partRequest, withNote } from "./noted_request.ts";

const body = (messages: readonly unknown[], more: object = {}) => {
  const value = { model: "auto", messages, ...more };
  return { text: JSON.stringify(value), value };
};
const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } };
const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };

Deno.test("withNote() adds to the last message and leaves every other byte alone", () => {
  const text = '{ "temperature": 1.0, "messages": [{"role":"user","content":"Hi","name":"n"}] }';
  const noted = withNote({ text, value: JSON.parse(text) }, "\nNote");
  assertEquals(
    noted.text,
    '{ "temperature": 1.0, "messages": [{"role":"user","content":"Hi\\nNote","name":"n"}] }',
  );
  assertEquals(noted.value, JSON.parse(noted.text));
  const parts = withNote(body([{ role: "user", content: [image] }]), "Note");
  assertEquals(parts.value["messages"], [
    { role: "user", content: [image, { type: "text", text: "Note" }] },
  ]);
});

Deno.test("partRequest() keeps the messages, without tools and limits", () => {
  const request = body([
    { role: "system", content: "Be brief." },
    { role: "user", content: "What is f?", name: "n" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c", content: "7" },
    { role: "assistant", content: "It is 7." },
    { role: "user", content: "And g?" },
  ], { tools: [], max_tokens: 9, temperature: 0, response_format: { type: "json_object" } });
  assertEquals(partRequest(request, { note: " Note", outputTokens: 50 }).value, {
    model: "auto",
    stream: true,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "What is f?" },
      { role: "assistant", content: "It is 7." },
      { role: "user", content: "And g? Note" },
    ],
    max_completion_tokens: 50,
  });
  const schema = { name: "plan", schema: {} };
  assertEquals(
    partRequest(request, { note: "", outputTokens: 50, schema }).value["response_format"],
    { type: "json_schema", json_schema: { name: "plan", schema: {}, strict: true } },
  );
});

Deno.test("lastUserText() is that of the last message, where the user said it", () => {
  const message = { role: "user", content: "Hi" };
  const parts = { role: "user", content: [{ type: "text", text: "a" }, image] };
  assertEquals(lastUserText(body([message])), "Hi");
  assertEquals(lastUserText(body([parts])), "a\n");
  for (const role of ["assistant", "tool", "system"]) {
    assertEquals(lastUserText(body([message, { role, content: "x" }])), undefined);
  }
});
