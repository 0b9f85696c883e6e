import { assertEquals } from "@std/assert";
import { NativeItems } from "./native_items.ts";

function itemsAfter(...events: readonly Record<string, unknown>[]): NativeItems {
  const items = new NativeItems();
  for (const event of events) items.note(String(event["type"]), event, JSON.stringify(event));
  return items;
}

const added = (output_index: number, item: object) => (
  { type: "response.output_item.added", output_index, item }
);
const inMessage = { item_id: "msg_1", output_index: 1, content_index: 0 };
const inSummary = { item_id: "rs_1", output_index: 0, summary_index: 0 };
const inCall = { item_id: "fc_1", output_index: 2 };

Deno.test("items that are open are ended with what has come of them, and the others stay", () => {
  const thought = { id: "rs_0", type: "reasoning", summary: [], status: "completed" };
  const items = itemsAfter(
    added(0, { ...thought, status: "in_progress" }),
    { type: "response.output_item.done", output_index: 0, item: thought },
    added(1, { id: "msg_1", type: "message", role: "assistant", content: [] }),
    { type: "response.content_part.added", ...inMessage, part: {} },
    { type: "response.output_text.delta", ...inMessage, delta: "It is " },
    { type: "response.output_text.delta", ...inMessage, delta: "tea" },
    added(2, { id: "fc_1", type: "function_call", name: "f", call_id: "c", arguments: "" }),
    { type: "response.function_call_arguments.delta", ...inCall, delta: '{"a":' },
  );
  const part = { type: "output_text", text: "It is tea", annotations: [], logprobs: [] };
  const call = { id: "fc_1", type: "function_call", name: "f", call_id: "c", arguments: '{"a":' };
  const message = { id: "msg_1", type: "message", role: "assistant", content: [part] };
  const [ended, endedCall] = [message, call].map((item) => ({ ...item, status: "incomplete" }));
  assertEquals(items.end(), [
    ["response.output_text.done", { ...inMessage, text: "It is tea", logprobs: [] }],
    ["response.content_part.done", { ...inMessage, part }],
    ["response.output_item.done", { output_index: 1, item: ended }],
    ["response.function_call_arguments.done", { ...inCall, arguments: '{"a":' }],
    ["response.output_item.done", { output_index: 2, item: endedCall }],
  ]);
  assertEquals(items.texts().map((text) => JSON.parse(text)), [thought, ended, endedCall]);
});

Deno.test("a finished part of an open item is not finished twice", () => {
  const summary = (index: number) => ({ ...inSummary, summary_index: index });
  const items = itemsAfter(
    added(0, { id: "rs_1", type: "reasoning", summary: [] }),
    { type: "response.reasoning_summary_text.delta", ...summary(0), delta: "Hm" },
    { type: "response.reasoning_summary_text.done", ...summary(0), text: "Hm" },
    { type: "response.reasoning_summary_part.done", ...summary(0), part: {} },
    { type: "response.reasoning_summary_text.delta", ...summary(1), delta: "So" },
  );
  const parts = ["Hm", "So"].map((text) => ({ type: "summary_text", text }));
  assertEquals(items.end().map(([type]) => type), [
    "response.reasoning_summary_text.done",
    "response.reasoning_summary_part.done",
    "response.output_item.done",
  ]);
  const [text = ""] = items.texts();
  assertEquals(JSON.parse(text).summary, parts);
});

Deno.test("events that belong to no known item are passed over", () => {
  const items = itemsAfter(
    { type: "response.output_text.delta", ...inMessage, delta: "lost" },
    { type: "response.output_item.added", item: {} },
    { type: "response.web_search_call.searching", output_index: 7 },
  );
  assertEquals([items.end(), items.texts()], [[], []]);
});
