import { assert, assertEquals } from "@std/assert";
import { callOf, recordedUpstream } from "./upstream_fixture.ts";

const JSON_HEAD = { id: "1", created: 7, model: "m" };
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function events(...values: readonly unknown[]): Response {
  const text = values.map((value) =>
    `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`
  ).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

/** The answer's message: whole, and put together from a stream. */
async function messages(kind: string, whole: unknown, ...frames: readonly unknown[]) {
  const config = { kind, resourceName: "own" };
  using json = recordedUpstream(config, { answer: () => Response.json(whole) });
  const reply = await json.upstream.call(callOf({}, { model: "m" }));
  assert(reply.kind === "json", JSON.stringify(reply));
  const [choice] = Array.isArray(reply.body.value["choices"]) ? reply.body.value["choices"] : [];
  using stream = recordedUpstream(config, { answer: () => events(...frames) });
  const streamed = await stream.upstream.call(callOf({}, { model: "m", stream: true }));
  assert(streamed.kind === "stream", JSON.stringify(streamed));
  const deltas: Record<string, unknown>[] = [];
  for await (const texts of streamed.events) {
    for (const text of texts) {
      for (const { delta } of JSON.parse(text).choices) deltas.push(delta);
    }
  }
  return { whole: choice.message, deltas };
}

Deno.test("a refusal of Azure's models, and what they cite, reach the caller", async () => {
  const citation = { url: "https://a.test/", title: "A", start_index: 0, end_index: 2 };
  const annotations = [{ type: "url_citation", url_citation: citation }];
  const message = { role: "assistant", content: null, refusal: "I cannot", annotations };
  const chunk = (delta: unknown, finish_reason: string | null = null) => ({
    ...JSON_HEAD,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const reply = await messages(
    "azure",
    { ...JSON_HEAD, choices: [{ index: 0, message, finish_reason: "stop" }], usage: USAGE },
    chunk({ role: "assistant", content: null, refusal: null }),
    chunk({ refusal: "I " }),
    chunk({ refusal: "cannot" }),
    chunk({ annotations }),
    chunk({}, "stop"),
    { ...JSON_HEAD, object: "chat.completion.chunk", choices: [], usage: USAGE },
    "[DONE]",
  );
  assertEquals(reply.whole, message);
  assertEquals(reply.deltas.map(({ refusal }) => refusal ?? "").join(""), "I cannot");
  assertEquals(reply.deltas.flatMap((delta) => delta["annotations"] ?? []), annotations);
});

Deno.test("the plan of Cohere's models before a call becomes reasoning", async () => {
  const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
  const usage = { tokens: { input_tokens: 1, output_tokens: 1 } };
  const reply = await messages(
    "cohere",
    {
      id: "1",
      message: { role: "assistant", tool_plan: "I will look.", tool_calls: [call] },
      finish_reason: "TOOL_CALL",
      usage,
    },
    { type: "message-start", id: "1" },
    { type: "tool-plan-delta", delta: { message: { tool_plan: "I will " } } },
    { type: "tool-plan-delta", delta: { message: { tool_plan: "look." } } },
    { type: "tool-call-start", delta: { message: { tool_calls: call } } },
    { type: "tool-call-end" },
    { type: "message-end", delta: { finish_reason: "TOOL_CALL", usage } },
  );
  assertEquals(reply.whole.reasoning_content, "I will look.");
  const streamed = reply.deltas.map((delta) => delta["reasoning_content"] ?? "").join("");
  assertEquals(streamed, "I will look.");
});
