/**
 * Several turns as one answer: who wrote it, what it says, and what belongs to which call.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { ChatCompletionChunk } from "@svc/sdk/protocol";
import { json, sse } from "../fixtures/fake_upstream.ts";
import {
  askHosted,
  calling,
  calls,
  completionOf,
  hostedLab,
  saying,
  searchFor,
  SURFACES,
  toolResults,
} from "../fixtures/hosted_lab.ts";
import { chunkText, usage, usageChunk } from "../fixtures/lab.ts";
import { readResponseEvents } from "../conformance/open_responses/event_rules.ts";

/** The chunks of a streamed chat answer. */
async function chunksOf(answer: Response): Promise<ChatCompletionChunk[]> {
  return (await answer.text()).split("\n").filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)));
}

/** A laboratory whose first model fails after its first turn. */
async function failingLater() {
  const lab = await hostedLab();
  lab.model.answer(calling(searchFor("tides")));
  lab.model.otherwise(json({ error: { message: "Out of order" } }, { status: 500 }));
  lab.second.answer(saying("Twice", " a day."));
  return lab;
}

Deno.test("the answer names the model that answered last", async () => {
  for (const surface of SURFACES) {
    await using lab = await failingLater();
    const { model, metadata } = await (await askHosted(lab.service, surface)).json();
    assertEquals([model, metadata.routing.model], ["second", "second"]);
  }
});

Deno.test("chat, streamed: chunks name the model that wrote them, the last the last", async () => {
  await using lab = await failingLater();
  const chunks = await chunksOf(await askHosted(lab.service, "chat", { stream: true }));
  const names = chunks.map(({ model }) => model);
  assertEquals(names.at(-1), "second");
  const spoken = chunks.filter(({ choices }) => choices[0]?.delta.content);
  assertEquals(spoken.map(({ model }) => model), ["second", "second"]);
  assertEquals(spoken.map(({ choices }) => choices[0]?.delta.content), ["Twice", " a day."]);
  assert(names.lastIndexOf("first") < names.indexOf("second"));
});

Deno.test("responses, streamed: the last event names the model that answered last", async () => {
  await using lab = await failingLater();
  const answer = await askHosted(lab.service, "responses", { stream: true });
  const events = await readResponseEvents(answer);
  const names = events.flatMap(({ response }) => response === undefined ? [] : [Object(response)])
    .map(({ model, status }) => [status, model]);
  assertEquals(names, [
    ["in_progress", "first"],
    ["in_progress", "first"],
    ["completed", "second"],
  ]);
  const { id } = Object(events.at(-1)?.["response"]);
  const kept = await lab.service.client().responses.retrieve(id);
  assertEquals(kept.model, "second");
});

/** A chunk that says something, with the probability of it. */
function likely(content: string, logprob: string): string {
  const token = `{"token":${JSON.stringify(content)},"logprob":${logprob},"bytes":null,` +
    '"top_logprobs":[]}';
  return chunkText({ content }).replace(
    '"finish_reason"',
    () => `"logprobs":{"content":[${token}],"refusal":null},"finish_reason"`,
  );
}

const LAST_TOKEN = [likely("2", "-2e-1"), chunkText({}, "stop"), usageChunk(usage(20, 4))];

for (const response_format of [undefined, { type: "json_object" }]) {
  const how = response_format === undefined ? "text" : "JSON";

  Deno.test(`chat: log probabilities of ${how} are the same, streamed or not`, async () => {
    await using lab = await hostedLab();
    const { service, model } = lab;
    const searching = calls(searchFor("tides"));
    const more = { logprobs: true, ...(response_format === undefined ? {} : { response_format }) };
    const logprobs: unknown[] = [];
    for (const stream of [false, true]) {
      model.answer(
        sse([likely("7", "-0.5"), ...searching]),
        // Two chunks that are alike are two tokens.
        sse([likely("1", "-1.0"), likely("1", "-1.0"), likely("", "-3"), ...LAST_TOKEN]),
      );
      const answer = await askHosted(service, "chat", { stream, more });
      if (!stream) {
        const text = await answer.text();
        assert(text.includes('"logprob":-1.0,') && text.includes('"logprob":-2e-1,'), text);
        const [choice] = JSON.parse(text).choices;
        assertEquals(choice.logprobs.refusal, null);
        logprobs.push(choice.logprobs.content);
      } else {
        const chunks = (await chunksOf(answer)).flatMap(({ choices }) => choices);
        logprobs.push(chunks.flatMap((choice) => Object(choice["logprobs"]).content ?? []));
      }
    }
    const [whole, streamed] = logprobs;
    assertEquals(streamed, whole);
    const tokens = [whole].flat().map((token) => Object(token).token);
    const last = ["1", "1", "", "2"];
    assertEquals(tokens, response_format === undefined ? ["7", ...last] : last);
  });
}

Deno.test("chat: without a request for them there are no log probabilities", async () => {
  await using lab = await hostedLab();
  lab.model.answer(saying("Hi"));
  const { choices } = await completionOf(await askHosted(lab.service, "chat"));
  assertEquals(choices[0]?.logprobs, null);
});

const JSON_FORMATS = [
  { type: "json_object" },
  { type: "json_schema", json_schema: { name: "a", schema: { type: "object" } } },
];

for (const stream of [false, true]) {
  for (const response_format of JSON_FORMATS) {
    const how = `${response_format.type}${stream ? ", streamed" : ""}`;

    Deno.test(`chat: ${how}: the text of the last turn alone is the content`, async () => {
      await using lab = await hostedLab();
      const { service, model } = lab;
      const [role = "", ...searching] = calls(searchFor("tides"));
      model.answer(
        sse([role, chunkText({ content: '{"a":' }), chunkText({ content: "1}" }), ...searching]),
        saying('{"a":', "2}"),
      );
      const answer = await askHosted(service, "chat", { stream, more: { response_format } });
      const content = stream ? await streamedText(answer) : await wholeText(answer);
      assertEquals(JSON.parse(content), { a: 2 });
      // The model itself reads what it said before.
      const { messages } = JSON.parse(model.last.text);
      assertEquals(messages[1].content, '{"a":1}');
      await service.assertBooks();
    });
  }

  Deno.test(`chat: text beside a call of the caller's is the content, streamed: ${stream}`, async () => {
    await using lab = await hostedLab();
    const own = { type: "function", function: { name: "own", parameters: { type: "object" } } };
    const [role = "", ...made] = calls({ name: "own", input: {} });
    lab.model.answer(sse([role, chunkText({ content: '{"a":1}' }), ...made]));
    const more = { response_format: JSON_FORMATS[0], tools: [{ type: "web_search" }, own] };
    const answer = await askHosted(lab.service, "chat", { stream, more });
    const content = stream ? await streamedText(answer) : await wholeText(answer);
    assertEquals(JSON.parse(content), { a: 1 });
  });
}

Deno.test("chat: JSON that breaks off has not been delivered, and is not charged", async () => {
  await using lab = await hostedLab();
  const { service, model } = lab;
  model.answer([...sse([chunkText({ content: '{"a":' })]).slice(0, 2), { reset: true }]);
  const answer = await askHosted(service, "chat", {
    stream: true,
    more: { response_format: JSON_FORMATS[0] },
  });
  const text = await answer.text();
  assert(!text.includes('{\\"a\\"') && text.includes('"error"'), text);
  assertEquals((await service.wallet()).spent, 0n);
  await service.assertBooks();
});

async function streamedText(answer: Response): Promise<string> {
  const chunks = await chunksOf(answer);
  return chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
}

async function wholeText(answer: Response): Promise<string> {
  return String((await completionOf(answer)).choices[0]?.message.content);
}

/** Two searches under one id, each a chunk of its own or both in one. */
function alike(apart: boolean): string[] {
  const made = ["tides", "boats"].map((query, index) => ({
    ...(apart ? { index } : {}),
    id: "call_same",
    type: "function",
    function: { name: "web_search", arguments: JSON.stringify({ query }) },
  }));
  const deltas = apart ? made.map((call) => [call]) : [made];
  return [
    ...deltas.map((tool_calls) => chunkText({ tool_calls })),
    chunkText({}, "tool_calls"),
    usageChunk(usage(20, 4)),
  ];
}

for (const surface of SURFACES) {
  for (const apart of [false, true]) {
    const how = apart ? "in chunks of their own" : "in one chunk";

    Deno.test(`${surface}: calls of one id, ${how}, are answered apart`, async () => {
      await using lab = await hostedLab();
      const { service, model, search } = lab;
      const results = (name: string) => ({
        query: name,
        results: [{ url: `https://${name}.example/`, title: name, content: `About ${name}` }],
        unresponsive_engines: [],
      });
      model.answer(sse(alike(apart)), saying("Ok."));
      search.otherwise(json(results("tides")));
      search.answer(json(results("boats")));
      const answer = await askHosted(service, surface);
      assertEquals(answer.status, 200);
      await answer.body?.cancel();
      await assertAnsweredApart(lab);
    });
  }
}

/** Every call has an id of its own, and the result under that id is that of its own query. */
async function assertAnsweredApart(
  { model, search, service }: Awaited<ReturnType<typeof hostedLab>>,
): Promise<void> {
  const { messages } = JSON.parse(model.last.text);
  const made: { id: string; function: { arguments: string } }[] = messages.at(-3).tool_calls;
  assertEquals(new Set(made.map(({ id }) => id)).size, 2);
  const queries = search.requests.map(({ target }) => new URL(target, "http://x/").searchParams);
  assertEquals(queries.length, 2);
  assertEquals(toolResults(model).length, 2);
  for (const { id, function: { arguments: input } } of made) {
    const results = messages.filter((message: Record<string, unknown>) =>
      message["tool_call_id"] === id
    );
    assertEquals(results.length, 1);
    // The first request got the results about boats.
    const isFirst = queries[0]?.get("q") === JSON.parse(input).query;
    assert(results[0].content.includes(isFirst ? "About boats" : "About tides"), input);
  }
  await service.assertBooks();
}
