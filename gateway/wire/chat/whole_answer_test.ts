import { assertEquals } from "@std/assert";
import { recordOf } from "../json/parse.ts";
import { chunksOf, unstreamed } from "./whole_answer.ts";

Deno.test("unstreamed() asks for a complete answer and keeps all other bytes", () => {
  const text = '{"a": 1.0, "stream":true, "stream_options":{"include_usage":true},"b": 2}';
  const whole = unstreamed({ text, value: recordOf(text) });
  assertEquals(recordOf(whole.text), { a: 1, stream: false, b: 2 });
  assertEquals(whole.value, recordOf(whole.text));
  assertEquals(whole.text.includes("1.0"), true);
  const other = { text: '{"stream":false}', value: { stream: false } };
  assertEquals(unstreamed(other), other);
});

Deno.test("chunksOf() returns the message and then its finish", () => {
  const completion = {
    ...{ id: "c", object: "chat.completion", created: 5, model: "m", system_fingerprint: "f" },
    usage: { total_tokens: 1 },
    choices: [{
      index: 0,
      message: { role: "assistant", content: "B", refusal: null },
      logprobs: null,
      finish_reason: "stop",
    }],
  };
  const head = { id: "c", object: "chat.completion.chunk", created: 5, model: "m" };
  const delta = { role: "assistant", content: "B", refusal: null };
  assertEquals(chunksOf(completion).map(recordOf), [
    {
      ...head,
      system_fingerprint: "f",
      choices: [{ index: 0, logprobs: null, delta, finish_reason: null }],
    },
    { ...head, system_fingerprint: "f", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ]);
});

Deno.test("chunksOf() gives every function call an index", () => {
  const call = (id: string) => ({ id, type: "function", function: { name: id, arguments: "{}" } });
  const message = { role: "assistant", content: null, tool_calls: [call("a"), call("b")] };
  const [first = "", last = ""] = chunksOf({ choices: [{ index: 0, message }] });
  assertEquals(JSON.parse(first).choices[0].delta.tool_calls, [
    { index: 0, ...call("a") },
    { index: 1, ...call("b") },
  ]);
  assertEquals(JSON.parse(last).choices[0].finish_reason, "tool_calls");
});
