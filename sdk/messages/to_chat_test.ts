import { assertEquals } from "@std/assert";
import { chatRequestOf } from "./to_chat.ts";

// The conversion itself is in the conformance vectors, `messages-to-chat`.

Deno.test("a result may show as much as there is room for", () => {
  const image = { type: "image", source: { type: "url", url: "http://svc.test/a.png" } };
  const content = Array.from({ length: 200_000 }, () => image);
  const shown = { type: "tool_result", tool_use_id: "1", content };
  const { messages } = chatRequestOf({
    messages: [{ role: "user", content: [shown, ...content] }],
  });
  // The line that says whose they are comes with those of the result.
  assertEquals(messages.at(-1)?.content?.length, 400_001);
});
