import { assertEquals } from "@std/assert";
import { chatRequestOf } from "./chat_request.ts";
import { bodyOf } from "./responses_fixture.ts";

function resultOf(id: string) {
  return { type: "function_call_output", call_id: id, output: "ok" };
}

Deno.test("what a search found is read before the calls beside it, whose bytes are kept", () => {
  const signed = '{"google":{"thought_signature":"a+/="}}';
  const own = (id: string) =>
    `{"extra_content":${signed},"type":"function_call","call_id":"${id}","name":"f","arguments":""}`;
  const search = (id: string) => `{"type":"web_search_call","id":"${id}"}`;
  const rest = JSON.stringify([resultOf("b"), resultOf("c")]).slice(1, -1);
  const input = [
    ...[own("a"), JSON.stringify(resultOf("a")), search("ws_1"), own("b"), search("ws_2")],
    ...[own("c"), search("ws_3"), rest],
  ];
  const body = bodyOf(`{"model":"auto","input":[${input.join(",")}]}`);
  const found = new Map([["ws_1", "First"], ["ws_2", "Second"]]);
  const { chat, losses } = chatRequestOf(body, { found });
  assertEquals(
    chat.value.messages.map(({ role, content, tool_calls }) => [
      role,
      role === "user" ? content : tool_calls?.map(({ id }) => id).join(),
    ]),
    [
      ["assistant", "a"],
      ["tool", undefined],
      ["user", "First"],
      ["user", "Second"],
      ["assistant", "b,c"],
      ["tool", undefined],
      ["tool", undefined],
    ],
  );
  assertEquals(chat.text.split(`"extra_content":${signed}`).length, 4);
  assertEquals(JSON.parse(chat.text), chat.value);
  assertEquals(losses.map(({ path }) => path), ["input.6"]);
});
