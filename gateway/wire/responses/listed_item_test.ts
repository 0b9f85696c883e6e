import { assertEquals } from "@std/assert";
import type OpenAI from "openai";
import { listedItem } from "./listed_item.ts";

const listed = (item: unknown) => JSON.parse(listedItem(JSON.stringify(item)));

Deno.test("a request's short forms are listed in full, as OpenAI's clients read them", () => {
  const user = {
    id: "msg_1",
    role: "user",
    type: "message",
    content: [{ type: "input_text", text: 'Hi "you"\n' }],
  } satisfies OpenAI.Responses.ResponseItem;
  assertEquals(listed({ id: "msg_1", role: "user", content: 'Hi "you"\n' }), user);
  const assistant = {
    id: "msg_2",
    role: "assistant",
    type: "message",
    content: [{ type: "output_text", text: "Hello", annotations: [], logprobs: [] }],
    status: "completed",
  } satisfies OpenAI.Responses.ResponseItem;
  assertEquals(
    listed({ id: "msg_2", role: "assistant", type: null, content: "Hello" }),
    assistant,
  );
  const output = {
    id: "fco_1",
    type: "function_call_output",
    call_id: "c",
    output: "1",
    status: "completed",
  } satisfies OpenAI.Responses.ResponseItem;
  const { status: _, ...short } = output;
  assertEquals(listed(short), output);
});

Deno.test("text of a model that is written out short gets its citations and probabilities", () => {
  const part = '{"type":"output_text","text":"1.0"}';
  const item =
    `{"id":"m","type":"message","role":"assistant","status":"completed","content":[${part},` +
    '{"type":"refusal","refusal":"No"},{"type":"output_text","text":"x","logprobs":[{"token":"x"}]}]}';
  assertEquals(
    listedItem(item),
    '{"id":"m","type":"message","role":"assistant","status":"completed","content":[' +
      '{"type":"output_text","text":"1.0","annotations":[],"logprobs":[]},' +
      '{"type":"refusal","refusal":"No"},' +
      '{"type":"output_text","text":"x","logprobs":[{"token":"x"}],"annotations":[]}]}',
  );
  const whole = item.replaceAll('0"}', '0","annotations":[],"logprobs":[]}')
    .replace('"x"}]}', '"x"}],"annotations":[]}');
  assertEquals(listedItem(whole), whole);
});

Deno.test("an expanded item keeps its bytes", () => {
  const texts = [
    '{ "id": "m", "type": "message", "role": "user", "content": [{"type":"input_text","text":"1.0"}] }',
    '{"id":"f","type":"function_call","call_id":"c","name":"f","arguments":"{}","status":"incomplete"}',
    '{"id":"r","type":"reasoning","summary":[], "big": 12345678901234567890}',
    '{"id":"w"}',
  ];
  for (const text of texts) assertEquals(listedItem(text), text);
});
