/**
 * Output of a chat model beside text and calls: where a response has no place for it, the response says
 * so.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { lastResponseIn } from "../../fixtures/event_stream.ts";
import { FakeUpstream, json, sse } from "../../fixtures/fake_upstream.ts";
import { askHosted, hostedLab } from "../../fixtures/hosted_lab.ts";
import { chunkText, completion, usageChunk } from "../../fixtures/lab.ts";
import { postResponse } from "../../fixtures/responses_calls.ts";
import { twoRoutes } from "../../fixtures/two_routes.ts";

const IMAGE = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } };
const EXTRA = {
  images: [IMAGE],
  audio: { id: "audio_1", data: "AA==" },
  content: [{ type: "thinking", thinking: [] }, { type: "text", text: "Look" }],
};
const LINES = ["images", "audio", "content"].map((name) =>
  `message.${name}: the model's answer had more than this format can carry`
);
const ODD_END = 'finish_reason: the model ended its answer with "odd"';
const USAGE = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };

/** The answer as a stream, each member in a chunk of its own. */
const FRAMES = [
  chunkText({ role: "assistant", content: "" }),
  ...Object.entries(EXTRA).map(([name, value]) => chunkText({ [name]: value })),
  chunkText({ images: [IMAGE] }),
  chunkText({}, "odd"),
  usageChunk(USAGE),
];

async function lastEvent(response: Response) {
  const text = await response.text();
  assertEquals(response.status, 200, text);
  if (!text.startsWith("event: ")) return JSON.parse(text);
  return lastResponseIn(text);
}

Deno.test("a response made of a chat answer says what of it is missing", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  const whole = completion();
  const [choice] = Array.isArray(whole["choices"]) ? whole["choices"] : [];
  for (const stream of [false, true]) {
    const message = { ...choice.message, ...EXTRA };
    const choices = [{ ...choice, message, finish_reason: "odd" }];
    routes.chat.answer(stream ? sse(FRAMES) : json({ ...whole, choices }));
    const { metadata } = await lastEvent(
      await postResponse(routes.service, { input: "Hi", stream }),
    );
    assertEquals([...metadata.routing.not_carried].sort(), [ODD_END, ...LINES].sort());
  }
  await routes.service.assertBooks();
});

Deno.test("so does an answer with hosted tools, where it is not streamed", async () => {
  await using lab = await hostedLab();
  lab.model.answer(sse(FRAMES), sse(FRAMES));
  const chat = await lastEvent(await askHosted(lab.service, "chat"));
  assertEquals([...chat.upstream_warnings].sort(), [...LINES].sort());
  const streamed = await askHosted(lab.service, "chat", { stream: true });
  const text = await streamed.text();
  assertEquals([text.includes("base64,AA=="), text.includes("upstream_warnings")], [true, false]);
  lab.model.answer(sse(FRAMES));
  const { metadata } = await lastEvent(await askHosted(lab.service, "responses"));
  assertEquals([...metadata.routing.not_carried].sort(), [ODD_END, ...LINES].sort());
});
