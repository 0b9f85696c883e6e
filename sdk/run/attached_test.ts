import { assertEquals } from "@std/assert";
import { type Tool, ToolContent } from "@svc/tools";
import { ServiceClient } from "../client.ts";

const PNG = "iVBORw0KGgo=";
const URL = `data:image/png;base64,${PNG}`;
const ATTACHED = "Attached to the result of call_1:";

const camera: Tool = {
  name: "camera",
  parameters: { type: "object" },
  execute: () => new ToolContent("The gate", [{ mediaType: "image/png", data: PNG }]),
};
const plain: Tool = {
  name: "camera",
  parameters: { type: "object" },
  execute: () => new ToolContent("The gate", []),
};

/** A client whose model calls the tool, and then answers; `last` is its second request. */
function scripted(tool: Tool) {
  const sent: Record<string, unknown>[] = [];
  const fetch = (url: string | URL | Request, init?: RequestInit) => {
    const isFirst = sent.push(JSON.parse(String(init?.body))) === 1;
    const named = { name: "camera", arguments: "{}" };
    if (String(url).endsWith("/responses")) {
      const output = isFirst ? [{ type: "function_call", call_id: "call_1", ...named }] : [{
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "Seen" }],
      }];
      return Promise.resolve(Response.json({ id: "r", output, status: "completed" }));
    }
    const message = isFirst
      ? { tool_calls: [{ id: "call_1", type: "function", function: named }] }
      : { content: "Seen" };
    return Promise.resolve(Response.json({ choices: [{ index: 0, message }] }));
  };
  return { client: new ServiceClient({ apiKey: "key", fetch, tools: [tool] }), sent };
}

const messages = [{ role: "user" as const, content: "Look" }];

Deno.test("Chat and Messages show the images of a result in the message after it", async () => {
  for (const surface of ["chat", "messages"] as const) {
    const { client, sent } = scripted(camera);
    const { finalText } = surface === "chat"
      ? await client.chat.completions.run({ messages })
      : await client.messages.run({ messages, max_tokens: 100 });
    assertEquals(finalText, "Seen");
    const [, second] = sent;
    assertEquals(Array.isArray(second?.["messages"]) && second["messages"].slice(2), [
      { role: "tool", tool_call_id: "call_1", content: "The gate" },
      {
        role: "user",
        content: [
          { type: "text", text: ATTACHED },
          { type: "image_url", image_url: { url: URL } },
        ],
      },
    ]);
  }
});

Deno.test("Responses show the images of a result in the item after it", async () => {
  const { client, sent } = scripted(camera);
  const { finalText } = await client.responses.run({ input: "Look" });
  assertEquals(finalText, "Seen");
  const [, second] = sent;
  assertEquals(Array.isArray(second?.["input"]) && second["input"].slice(2), [
    { type: "function_call_output", call_id: "call_1", output: "The gate" },
    {
      ...{ type: "message", role: "user" },
      content: [
        { type: "input_text", text: ATTACHED },
        { type: "input_image", detail: "auto", image_url: URL },
      ],
    },
  ]);
});

Deno.test("a result without images has no message after it", async () => {
  const { client, sent } = scripted(plain);
  await client.chat.completions.run({ messages });
  const [, second] = sent;
  assertEquals(Array.isArray(second?.["messages"]) && second["messages"].slice(2), [
    { role: "tool", tool_call_id: "call_1", content: "The gate" },
  ]);
});
