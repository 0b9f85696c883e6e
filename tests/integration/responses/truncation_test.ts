/**
 * Requests that are longer than any model, and what of them is left with `truncation: "auto"`.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { FakeUpstream } from "../../fixtures/fake_upstream.ts";
import { answered, refused } from "../../fixtures/responses_calls.ts";
import { twoRoutes } from "../../fixtures/two_routes.ts";

const SMALL = { more: { contextTokens: 2_000, maxOutputTokens: 100 } };

/** Some 150 tokens. */
const words = (name: string) => `${name}: ${"some words that say little ".repeat(25)}`;
const user = (content: string) => ({ type: "message", role: "user", content });
const assistant = (content: string) => ({ type: "message", role: "assistant", content });
const call = (id: string) => ({
  type: "function_call",
  call_id: id,
  name: "f",
  arguments: JSON.stringify({ words: words(id) }),
});
const result = (id: string) => ({
  type: "function_call_output",
  call_id: id,
  output: words(`${id} gave`),
});

const LONG = [
  { type: "message", role: "developer", content: "Always be kind" },
  ...Array.from(
    { length: 30 },
    (_, at) => at % 2 ? assistant(words(`${at}`)) : user(words(`${at}`)),
  ),
];

function sentTo(chat: FakeUpstream): Record<string, unknown>[] {
  return JSON.parse(chat.last.text).messages;
}

/** The leading words of what a chat upstream was sent, in order. */
function names(messages: readonly Record<string, unknown>[]): string[] {
  return messages.map(({ content }) => String(content).split(":")[0] ?? "");
}

Deno.test("the oldest items go until a model is long enough, and no more of them", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream(), SMALL);
  const { service, chat } = routes;
  const request = { instructions: "Be brief", input: [...LONG, user("What now?")] };
  const refusal = await refused(service, request);
  assertEquals([refusal.status, refusal.code], [400, "context_length_exceeded"]);
  assertEquals(
    (await refused(service, { ...request, truncation: "disabled" })).code,
    "context_length_exceeded",
  );

  const resource = await answered(service, { ...request, truncation: "auto" });
  assertEquals([resource.truncation, resource.instructions], ["auto", "Be brief"]);
  const sent = names(sentTo(chat));
  assertEquals(sent.slice(0, 2), ["Be brief", "Always be kind"]);
  assertEquals(sent.at(-1), "What now?");
  const kept = sent.slice(2, -1);
  assert(kept.length > 3, `Only ${kept} were left`);
  assertEquals(kept, Array.from({ length: kept.length }, (_, at) => `${30 - kept.length + at}`));
  const lines = resource.metadata.routing?.["not_carried"];
  assertEquals(lines, [`input: the ${30 - kept.length} oldest items were left out`]);

  // One more would have been too many.
  const oneMore = LONG.slice(-(kept.length + 1));
  const whole = { ...request, input: [LONG[0], ...oneMore, user("What now?")] };
  assertEquals((await refused(service, whole)).code, "context_length_exceeded");

  // What is kept is what was asked.
  const { data } = await service.client().responses.inputItems.list(resource.id, { limit: 100 });
  assertEquals(data.length, 32);
  await service.assertBooks();
});

Deno.test("calls and their outputs leave together", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream(), SMALL);
  const { service, chat } = routes;
  for (let filler = 0; filler < 6; filler++) {
    const input = [
      ...LONG.slice(0, filler),
      ...[call("a"), call("b"), result("b"), result("a"), assistant(words("done"))],
      ...[call("c"), result("c"), call("d"), result("d"), call("e"), result("e")],
      user("What now?"),
      ...[call("g"), result("g")],
    ];
    await answered(service, { input, truncation: "auto" });
    const messages = sentTo(chat);
    const calls = messages.flatMap(({ tool_calls: calls }) => Array.isArray(calls) ? calls : [])
      .map(({ id }) => id);
    const results = messages.flatMap(({ tool_call_id: id }) => id === undefined ? [] : [id]);
    assertEquals(calls.toSorted(), results.toSorted());
    assert(calls.length > 0 && calls.length < 6);
    assertEquals(calls.at(-1), "g");
    assert(names(messages).includes("What now?"));
  }
});

Deno.test("the user's last message is never dropped, even if it alone is too long", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream(), SMALL);
  const input = [...LONG, user(words("Long").repeat(20))];
  const { code } = await refused(routes.service, { input, truncation: "auto" });
  assertEquals(code, "context_length_exceeded");
  const one = words("Long").repeat(20);
  const alone = await refused(routes.service, { input: one, truncation: "auto" });
  assertEquals(alone.code, "context_length_exceeded");
  assertEquals(routes.chat.requests.length, 0);
  await routes.service.assertBooks();
});

Deno.test("a native upstream is sent what is left, and the wish to truncate", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream(), SMALL);
  const { service, native } = routes;
  let previous: string | null = null;
  for (let turn = 0; turn < 12; turn++) {
    const { id } = await answered(service, {
      input: `${turn}: ${words("turn")}`,
      previous_response_id: previous,
      truncation: "auto",
    });
    previous = id;
  }
  const { input, truncation, previous_response_id: sent } = native.last.body;
  assertEquals([truncation, sent ?? null], ["auto", null]);
  assert(Array.isArray(input) && input.length < 23);
  assertEquals(String(input.at(-1).content).split(":")[0], "11");
  // A short one says who it continues, and no more.
  const short = await answered(service, { input: "Hi" });
  await answered(service, { input: "On", previous_response_id: short.id, truncation: "auto" });
  assertEquals(native.last.body, {
    model: "real-native",
    input: "On",
    previous_response_id: short.id,
    truncation: "auto",
  });
  await service.assertBooks();
});

Deno.test("a request that fits is sent whole", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream(), SMALL);
  const { service, chat } = routes;
  const { metadata } = await answered(service, {
    input: [...LONG.slice(0, 4), user("What now?")],
    truncation: "auto",
  });
  assertEquals(sentTo(chat).length, 5);
  assertEquals(metadata.routing?.["not_carried"], undefined);
});

Deno.test("ten thousand items are shortened without being tried one by one", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream(), SMALL);
  const { service, chat } = routes;
  const input = Array.from({ length: 9_999 }, (_, at) => user(`${at}: a little`));
  await answered(service, { input: [...input, user("What now?")], truncation: "auto" });
  const sent = names(sentTo(chat));
  assert(sent.length > 20 && sent.length < 500, `${sent.length} were left`);
  assertEquals(sent.at(-2), "9998");
});
