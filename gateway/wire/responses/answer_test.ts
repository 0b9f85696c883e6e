import { assert, assertEquals } from "@std/assert";
import { responseSchema } from "../../http/schemas/responses_resource.ts";
import { reasoningKind } from "./output_text.ts";
import { responseOf } from "./answer.ts";
import { bodyOf, contextOf, END } from "./responses_fixture.ts";

function response(message: unknown, finish_reason = "stop", request = {}) {
  const body = bodyOf({ choices: [{ index: 0, message, finish_reason }] });
  const value = JSON.parse(responseOf(body, contextOf(request), END));
  assertEquals(responseSchema.safeParse(value).error?.issues, undefined);
  return value;
}

Deno.test("every field is there, and nothing else", () => {
  const { status, completed_at, usage, output, metadata } = response({ content: "Hi" });
  assertEquals([status, completed_at, usage.total_tokens], ["completed", 9, 12]);
  assertEquals(output, [{
    type: "message",
    id: "msg_1",
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", annotations: [], logprobs: [], text: "Hi" }],
  }]);
  assertEquals(metadata.request_id, "req_1");
});

Deno.test("an incomplete answer states its reason and its unfinished item", () => {
  const tool_calls = [{ id: "a", function: { name: "f", arguments: '{"x' } }];
  const cut = response({ content: "Let me", tool_calls }, "length");
  assertEquals([cut.status, cut.incomplete_details.reason, cut.completed_at], [
    "incomplete",
    "max_output_tokens",
    null,
  ]);
  assertEquals(cut.output.map((item: { status: string }) => item.status), [
    "completed",
    "incomplete",
  ]);
  const filtered = response({ content: "x" }, "content_filter");
  assertEquals(filtered.incomplete_details.reason, "content_filter");
});

Deno.test("reasoning is shown as a summary only where one was asked for", () => {
  const message = { reasoning: "Hm", content: "Hi" };
  const [raw] = response(message).output;
  assertEquals([raw.summary, raw.content], [[], [{ type: "reasoning_text", text: "Hm" }]]);
  const [summary] = response(message, "stop", { reasoning: { summary: "auto" } }).output;
  assertEquals([summary.summary, summary.content], [[{ type: "summary_text", text: "Hm" }], []]);
});

Deno.test("answers of sloppy upstreams", () => {
  assertEquals(response(null).output, []);
  assertEquals(
    response({ content: [{ type: "text", text: "a" }, { text: "b" }, null] }).output[0]
      .content[0].text,
    "ab",
  );
  const tool_calls = [
    { function: { name: "f", arguments: { x: 1 } } },
    { id: "", function: { name: "g" } },
    null,
  ];
  const { output } = response({ content: null, tool_calls });
  assertEquals(
    output.map((item: Record<string, unknown>) => [item["call_id"], item["arguments"]]),
    [["call_2", '{"x":1}'], ["call_4", "{}"], ["call_6", "{}"]],
  );
  const empty = JSON.parse(responseOf(bodyOf({}), contextOf(), END));
  assertEquals(empty.output, []);
});

Deno.test("opaque members of calls and messages keep their bytes", () => {
  const signed = '{"vertex":{"n":1.0,"big":12345678901234567890}}';
  const text = responseOf(
    bodyOf(`{"choices":[{"index":0,"finish_reason":"tool_calls","message":{"content":"x",
      "thought_signature":"s\\u0041","tool_calls":[
      {"id":"a","function":{"name":"f","arguments":"{}"},"extra_content":${signed}},
      {"id":"b","function":{"name":"g","arguments":"{}"}}]}}]}`),
    contextOf(),
    END,
  );
  assert(text.includes(`"extra_content":${signed}`));
  assert(text.includes('"thought_signature":"s\\u0041"'));
  const { output } = JSON.parse(text);
  assertEquals(output.map((item: Record<string, unknown>) => "extra_content" in item), [
    false,
    true,
    false,
  ]);
});

Deno.test("reasoning is a summary where one is asked for, by the older name too", () => {
  assertEquals(reasoningKind({}), "reasoning_text");
  assertEquals(reasoningKind({ reasoning: { effort: "low" } }), "reasoning_text");
  assertEquals(reasoningKind({ reasoning: { summary: "auto" } }), "summary_text");
  const older = { generate_summary: "auto" };
  assertEquals(reasoningKind({ reasoning: older }), "summary_text");
});
