/**
 * A search that was paid for reaches the model when the caller continues, though the answer ended
 * with calls of the caller's own functions.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type FakeUpstream, json } from "../fixtures/fake_upstream.ts";
import {
  askHosted,
  calling,
  completionOf,
  hostedLab,
  responseOf,
  saying,
  searchFor,
  SURFACES,
  toolResults,
  WEB,
} from "../fixtures/hosted_lab.ts";
import { completion } from "../fixtures/lab.ts";
import { answered } from "../fixtures/responses_calls.ts";

const OWN = { type: "function", name: "own", parameters: { type: "object" } };
const CHAT_OWN = { type: "function", function: { name: "own", parameters: { type: "object" } } };
const CALL = { name: "own", input: { n: 1 } };
/** Answers where nothing is searched. */
const PLAIN = json(completion());
const LABEL = 'Results of the web search that you made for "tides":\n';

/** Ways in which a model calls the caller's function. */
const WAYS = {
  "beside a search": [calling(searchFor("tides"), CALL)],
  "before a search of the same turn": [calling(CALL, searchFor("tides"))],
  "in the turn after a search": [calling(searchFor("tides")), calling(CALL)],
};

/** Roles of what the model was asked last, and what it read of searches. */
function readBy(model: FakeUpstream): { roles: string[]; results: string[] } {
  const { messages } = JSON.parse(model.last.text);
  return {
    roles: messages.map(({ role }: { role: string }) => role),
    results: messages.map(({ content }: { content: unknown }) => content)
      .filter((content: unknown) => typeof content === "string" && content.startsWith(LABEL)),
  };
}

/** One search, read before the call that followed it. */
function assertReplayed(model: FakeUpstream): void {
  const { roles, results } = readBy(model);
  assertEquals(roles, ["user", "user", "assistant", "tool"]);
  assertEquals(results.length, 1);
  assertStringIncludes(results[0] ?? "", "https://");
  assertEquals(toolResults(model), ["42"]);
}

function callIn(output: readonly { readonly type: string }[]): string {
  const call = output.find(({ type }) => type === "function_call");
  assert(call !== undefined && "call_id" in call);
  return String(call.call_id);
}

const outputOf = (id: string) => ({ type: "function_call_output", call_id: id, output: "42" });

for (const [way, turns] of Object.entries(WAYS)) {
  for (const stream of [false, true]) {
    const how = stream ? "streamed" : "whole";

    Deno.test(`responses, ${how}: a call ${way} is continued with what was found`, async () => {
      await using lab = await hostedLab();
      const tools = [WEB, OWN];
      lab.model.answer(...turns, saying("ok"), PLAIN, PLAIN);
      const first = await responseOf(
        await askHosted(lab.service, "responses", { stream, more: { tools } }),
      );
      const result = outputOf(callIn(first.output));
      const second = await answered(lab.service, {
        previous_response_id: first.id,
        tools,
        input: [result],
      });
      assertReplayed(lab.model);
      assertEquals(second.metadata?.routing?.not_carried, undefined);
      // Also where the request declares no tools at all, and further on.
      await answered(lab.service, { previous_response_id: second.id, input: "And?" });
      assertEquals(readBy(lab.model).results.length, 1);
      const references = first.output.map(({ id }) => ({ type: "item_reference", id }));
      await answered(lab.service, { store: false, input: ["x", ...references, result].map(item) });
      assertReplayed(lab.model);
      assertEquals(lab.search.requests.length, 1);
      await lab.service.assertBooks();
    });
  }

  Deno.test(`responses that are not kept: a call ${way} is continued with its items`, async () => {
    await using lab = await hostedLab();
    const tools = [WEB, OWN];
    lab.model.answer(...turns, saying("ok"), PLAIN);
    const first = await responseOf(
      await askHosted(lab.service, "responses", { more: { tools, store: false } }),
    );
    const input = [item("x"), ...first.output, outputOf(callIn(first.output))];
    const second = await answered(lab.service, { tools, store: false, input });
    assertReplayed(lab.model);
    assertEquals(second.metadata?.routing?.not_carried, undefined);
    const { key } = await lab.service.newKey();
    const other = await answered(lab.service, { store: false, input }, key);
    assertEquals(readBy(lab.model), { roles: ["user", "assistant", "tool"], results: [] });
    assertStringIncludes(JSON.stringify(other.metadata?.routing?.not_carried), "only the text");
  });

  Deno.test(`chat: a call ${way} is continued with what was found`, async () => {
    await using lab = await hostedLab();
    const tools = [WEB, CHAT_OWN];
    lab.model.answer(...turns, saying("ok"), PLAIN, PLAIN);
    const first = await completionOf(await askHosted(lab.service, "chat", { more: { tools } }));
    const message = first.choices[0]?.message;
    const [call] = message?.tool_calls ?? [];
    const messages = [
      { role: "user", content: "x" },
      message,
      { role: "tool", tool_call_id: call?.id, content: "42" },
    ];
    await completionOf(await lab.service.chat({ tools, messages }));
    assertReplayed(lab.model);
    await completionOf(await lab.service.chat({ tools: [CHAT_OWN], messages }));
    assertReplayed(lab.model);
    const { key } = await lab.service.newKey();
    await completionOf(await lab.service.chat({ tools: [CHAT_OWN], messages }, { key }));
    assertEquals(readBy(lab.model), { roles: ["user", "assistant", "tool"], results: [] });
  });
}

for (const surface of SURFACES) {
  Deno.test(`${surface}: a search with a text that stands for it is not repeated`, async () => {
    await using lab = await hostedLab();
    lab.model.answer(calling(searchFor("tides")), saying("They rise."), PLAIN);
    const first = await askHosted(lab.service, surface);
    if (surface === "responses") {
      const { id } = await responseOf(first);
      const second = await answered(lab.service, { previous_response_id: id, input: "And?" });
      assertStringIncludes(JSON.stringify(second.metadata?.routing?.not_carried), "only the text");
    } else {
      const message = (await completionOf(first)).choices[0]?.message;
      const messages = [{ role: "user", content: "x" }, message, { role: "user", content: "And?" }];
      await completionOf(await lab.service.chat({ messages }));
    }
    assertEquals(readBy(lab.model), { roles: ["user", "assistant", "user"], results: [] });
  });
}

Deno.test("a search that failed is not repeated to the model", async () => {
  await using lab = await hostedLab();
  lab.search.otherwise(json({ error: "down" }, { status: 500 }));
  lab.model.answer(calling(searchFor("tides"), CALL), saying("ok"));
  const tools = [WEB, OWN];
  const first = await responseOf(await askHosted(lab.service, "responses", { more: { tools } }));
  const input = [outputOf(callIn(first.output))];
  await answered(lab.service, { previous_response_id: first.id, tools, input });
  assertEquals(readBy(lab.model), { roles: ["user", "assistant", "tool"], results: [] });
});

function item(value: unknown): unknown {
  return typeof value === "string" ? { type: "message", role: "user", content: value } : value;
}
