import { assertEquals } from "@std/assert";
import { lostCitations, lostFinish, lostInCompletion, lostOutput } from "./lost_output.ts";

const more = (name: string) =>
  `message.${name}: the model's answer had more than this format can carry`;

Deno.test("lostOutput() names what is more than text and calls, and nothing else", () => {
  const plain = { role: "assistant", content: "Hi", refusal: null, audio: null, images: [] };
  assertEquals(lostOutput(plain), []);
  assertEquals(lostOutput({ content: [{ type: "text", text: "Hi" }], tool_calls: [{}] }), []);
  const full = {
    images: [{}],
    audio: {},
    function_call: {},
    content: [{ type: "thinking" }, null],
  };
  assertEquals(lostOutput(full), ["images", "audio", "function_call", "content"].map(more));
});

Deno.test("lostCitations() names citations of what is neither a page nor a file", () => {
  const page = { type: "url_citation", url_citation: { url: "https://a.test/" } };
  for (const annotations of [undefined, null, [], [page], [{ type: "file_citation" }]]) {
    assertEquals(lostCitations({ annotations }), []);
  }
  assertEquals(lostCitations({ annotations: [page, { type: "file_path" }] }).length, 1);
});

Deno.test("lostInCompletion() looks at the first choice, for any content", () => {
  for (const odd of [{}, { choices: 5 }, { choices: [null] }, { choices: [{ message: 5 }] }]) {
    assertEquals(lostInCompletion(odd), []);
  }
  const message = { images: [{}], annotations: [{ type: "file_path" }] };
  assertEquals(lostInCompletion({ choices: [{ message }, {}] }).length, 2);
});

Deno.test("lostFinish() names an end that would pass for a stop", () => {
  for (const known of ["stop", "length", "tool_calls", "content_filter", null, undefined]) {
    assertEquals(lostFinish(known), []);
  }
  const line = 'finish_reason: the model ended its answer with "insufficient_system_resource"';
  assertEquals(lostFinish("insufficient_system_resource"), [line]);
  const choice = { message: {}, finish_reason: "insufficient_system_resource" };
  assertEquals(lostInCompletion({ choices: [choice] }), [line]);
});
