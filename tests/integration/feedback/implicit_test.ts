/**
 * Implicit outcomes: on every endpoint and either route, streamed or not, an answer with a sign of
 * being bad counts against its model, and no other answer does.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { FakeUpstream, json, type Script, sse } from "../../fixtures/fake_upstream.ts";
import { chunkText, completion, streamed, usage, usageChunk } from "../../fixtures/lab.ts";
import { BOOTSTRAP_KEY, ManualClock, TestService, WALLET } from "../../fixtures/service.ts";
import { type TwoRoutes, twoRoutes } from "../../fixtures/two_routes.ts";
import type { Said } from "../../fixtures/upstreams/native_responses.ts";
import { FeedbackLab } from "./lab.ts";

const SCHEMA = { type: "object", required: ["sum"], properties: { sum: { type: "number" } } };
const PARAMETERS = { type: "object", properties: { at: { type: "string" } } };

/** An answer of a model, and the form that its request demands. */
interface Case {
  readonly text?: string;
  readonly refusal?: string;
  readonly finish?: string;
  readonly call?: readonly [name: string, input: string];
  readonly asks?: "schema" | "tools";
  readonly isAlarm: boolean;
}

const CASES: Readonly<Record<string, Case>> = {
  "a text": { text: "Hello", isAlarm: false },
  "no text": { text: "", isAlarm: true },
  "a refusal": { refusal: "I will not", isAlarm: true },
  "filtered content": { text: "I", finish: "content_filter", isAlarm: true },
  "no text within the output limit": { text: "", finish: "length", isAlarm: false },
  "JSON of the schema": { asks: "schema", text: '{"sum": 391}', isAlarm: false },
  "JSON of another schema": { asks: "schema", text: '{"sum": "391"}', isAlarm: true },
  "a text in place of JSON": { asks: "schema", text: "It is 391", isAlarm: true },
  "a call": { asks: "tools", call: ["weather", '{"at": "Oslo"}'], isAlarm: false },
  "a call with broken input": { asks: "tools", call: ["weather", '{"at": "O'], isAlarm: true },
  "a call of an unknown tool": { asks: "tools", call: ["forecast", "{}"], isAlarm: true },
};

const schemaFormat = { name: "sum", schema: SCHEMA };
const weather = { name: "weather", parameters: PARAMETERS };

function chatBody(text: string, { asks }: Case, stream: boolean): Record<string, unknown> {
  return {
    ...{ model: "auto", messages: [{ role: "user", content: text }], stream, max_tokens: 100 },
    ...(asks === "schema"
      ? { response_format: { type: "json_schema", json_schema: schemaFormat } }
      : {}),
    ...(asks === "tools" ? { tools: [{ type: "function", function: weather }] } : {}),
  };
}

function responsesBody(text: string, { asks }: Case, stream: boolean): Record<string, unknown> {
  return {
    ...{ model: "auto", input: text, stream, store: false },
    ...(asks === "schema" ? { text: { format: { type: "json_schema", ...schemaFormat } } } : {}),
    ...(asks === "tools" ? { tools: [{ type: "function", strict: false, ...weather }] } : {}),
  };
}

function chatScript({ text = "", refusal, finish, call }: Case, stream: boolean): Script {
  const calls = call && [{
    ...{ index: 0, id: "call_1", type: "function" },
    function: { name: call[0], arguments: call[1] },
  }];
  const ending = finish ?? (call === undefined ? "stop" : "tool_calls");
  const reported = usage(10, 5);
  if (stream) {
    const beside = { ...(refusal && { refusal }), ...(calls && { tool_calls: calls }) };
    return sse([
      chunkText({ role: "assistant", content: "", reasoning_content: "Well" }),
      ...text.split(/(?<= )/).filter(Boolean).map((content) => chunkText({ content })),
      chunkText(beside),
      chunkText({}, ending),
      usageChunk(reported),
    ]);
  }
  const message = {
    ...{ role: "assistant", content: call === undefined ? text : null, refusal: refusal ?? null },
    ...(calls && { tool_calls: calls }),
    reasoning_content: "Well",
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: ending }];
  return json(completion({ choices, usage: reported }));
}

function saidOf({ text = "", refusal, finish, call }: Case): Said {
  return {
    items: [
      { type: "reasoning", summary: "Well" },
      call === undefined
        ? { type: "message", texts: text === "" ? [] : [text], ...(refusal && { refusal }) }
        : { type: "function_call", name: call[0], arguments: call[1] },
    ],
    ...(finish === "content_filter" ? { incomplete: finish } : {}),
    ...(finish === "length" ? { incomplete: "max_output_tokens" } : {}),
  };
}

async function send({ service }: TwoRoutes, path: string, body: unknown): Promise<void> {
  const response = await fetch(`${service.openaiUrl}/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assertEquals(response.status, 200, text);
}

const ROUTES = {
  "Chat": { first: "chat", path: "chat/completions", body: chatBody },
  "Responses, translated": { first: "chat", path: "responses", body: responsesBody },
  "Responses, native": { first: "native", path: "responses", body: responsesBody },
} as const;

for (const [name, { first, path, body }] of Object.entries(ROUTES)) {
  for (const stream of [false, true]) {
    Deno.test(`${name}, ${stream ? "streamed" : "JSON"}: alarms count, other answers do not`, async () => {
      const chat = new FakeUpstream();
      await using routes = await twoRoutes(first, chat);
      const { learning } = routes.service.running;
      let alarms = 0;
      let answers = 0;
      for (const [what, one] of Object.entries(CASES)) {
        if (first === "native") routes.native.say(saidOf(one));
        else chat.answer(chatScript(one, stream));
        await send(routes, path, body(what, one, stream));
        await learning.take();
        const sums = learning.newest().wallets.get(WALLET)?.totals[first]?.sums ?? {};
        answers++;
        if (one.isAlarm) alarms++;
        assertEquals(Object.keys(sums), ["implicit"]);
        assertEquals(
          [sums.implicit?.bad.toFixed(3), sums.implicit?.weight.toFixed(2)],
          [(alarms / 4).toFixed(3), (answers / 4).toFixed(2)],
          what,
        );
      }
    });
  }
}

Deno.test("a request asked again counts against the model that answered before", async () => {
  const clock = new ManualClock();
  await using lab = await FeedbackLab.start({ clock });
  const sums = async () => {
    await lab.take();
    const totals = lab.service.running.learning.newest().wallets.get(WALLET)?.totals;
    return totals?.["cheap"]?.sums.implicit;
  };
  await lab.ask("Which rivers?");
  assertEquals((await sums())?.bad, 0);
  clock.advance(60_000);
  await lab.ask("Which rivers?", { more: { stream: false, temperature: 0.5 } });
  assertEquals((await sums())?.bad, 0.25);
  clock.advance(10 * 60_000);
  await lab.ask("Which rivers?");
  assertEquals(((await sums())?.bad ?? 1) <= 0.25, true);
});

Deno.test("a source that the catalog leaves out is not collected, or does not count", async () => {
  await using lab = await FeedbackLab.start({ auto: { sources: ["audit"] } });
  for (const upstream of lab.upstreams) {
    upstream.otherwise(json(completion({}, { content: "" })));
  }
  for (let n = 0; n < 20; n++) {
    const { requestId } = await lab.ask(`question ${n}`);
    assertEquals((await lab.vote({ request_id: requestId, score: 0 })).status, 200);
  }
  await lab.take();
  const totals = lab.service.running.learning.newest().wallets.get(WALLET)?.totals;
  assertEquals(Object.keys(totals?.["cheap"]?.sums ?? {}), ["feedback"]);
  const { routing } = await lab.ask("last");
  assertEquals([routing.model, routing.snapshot], ["cheap", 1]);
});

Deno.test("a cut stream, and a caller that disconnects, are no outcomes", async () => {
  const chat = new FakeUpstream();
  await using routes = await twoRoutes("chat", chat);
  const [head, ...rest] = sse(streamed(["Hello"]));
  chat.answer([...(head === undefined ? [] : [head]), ...rest.slice(0, 1), { reset: true }]);
  const response = await routes.service.chat({
    ...{ messages: [{ role: "user", content: "Hi" }], stream: true },
  });
  await response.text();
  await routes.service.lastRequest();
  await routes.service.running.learning.take();
  assertEquals(routes.service.running.learning.newest().number, 0);
});

Deno.test("nothing of an answer or a comment is in the log or the metrics", async () => {
  await using service = await TestService.start();
  const ask = await service.chat({ messages: [{ role: "user", content: "canary-question" }] });
  const { metadata } = await ask.json();
  const vote = await fetch(`${service.running.publicUrl}/api/v1/feedback`, {
    method: "POST",
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ request_id: metadata.request_id, score: 0, comment: "canary-comment" },
      source: "canary-source",
    }),
  });
  await vote.body?.cancel();
  await service.running.learning.take();
  const metrics = await fetch(`${service.running.adminUrl}/metrics`, {
    headers: { authorization: "Bearer svc_test_admin_token" },
  });
  const text = await metrics.text();
  assertEquals([metrics.status, vote.status], [200, 200]);
  assertEquals(/canary/.test(text + JSON.stringify(service.logs)), false);
});
