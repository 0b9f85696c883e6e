/**
 * JSON of several turns: official clients parse what a response says, so only its last turn may speak.
 *
 * @module
 */

import { createOpenAI } from "@ai-sdk/openai";
import { assert, assertEquals } from "@std/assert";
import { generateText, jsonSchema, Output, streamText } from "ai";
import { readResponseEvents } from "../conformance/open_responses/event_rules.ts";
import { type Script, sse } from "../fixtures/fake_upstream.ts";
import {
  askHosted,
  assertHostedEvents,
  calls,
  type HostedLab,
  hostedLab,
  responseOf,
  saying,
  type ScriptedCall,
  searchFor,
} from "../fixtures/hosted_lab.ts";
import { chunkText } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY } from "../fixtures/service.ts";

const SCHEMA = {
  type: "object",
  properties: { a: { type: "number" } },
  required: ["a"],
  additionalProperties: false,
} as const;
const FORMATS = [
  { type: "json_object" },
  { type: "json_schema", name: "a", schema: SCHEMA },
] as const;
const OWN = { type: "function", name: "own", parameters: { type: "object" } };

/** A turn that says something before it calls. */
function preamble(text: string, ...made: readonly ScriptedCall[]): Script {
  const [role = "", ...rest] = calls(...made);
  return sse([role, chunkText({ content: text }), ...rest]);
}

/** Requests of official clients for an object, each after a turn with text and a search. */
const CLIENTS: Readonly<Record<string, (lab: HostedLab) => Promise<unknown>>> = {
  "openai's parse": async ({ service }) => {
    const { output_parsed } = await service.client().responses.parse(openaiRequest());
    return output_parsed;
  },
  "openai's stream": async ({ service }) => {
    const { output_parsed } = await service.client().responses.stream(openaiRequest())
      .finalResponse();
    return output_parsed;
  },
  "Vercel's generateText": async (lab) => (await generateText(vercelRequest(lab))).output,
  "Vercel's streamText": async (lab) => await streamText(vercelRequest(lab)).output,
};

function openaiRequest() {
  const tools = [{ type: "web_search" as const }];
  return { model: "auto", input: "Search for tides", tools, text: { format: FORMATS[1] } };
}

function vercelRequest({ service }: HostedLab) {
  const provider = createOpenAI({ baseURL: service.openaiUrl, apiKey: BOOTSTRAP_KEY });
  return {
    model: provider("auto"),
    prompt: "Search for tides",
    tools: { web_search: provider.tools.webSearch({}) },
    output: Output.object({ schema: jsonSchema<{ a: number }>(SCHEMA) }),
  };
}

for (const [client, ask] of Object.entries(CLIENTS)) {
  Deno.test(`${client} gets the object that the last turn says`, async () => {
    await using lab = await hostedLab();
    lab.model.answer(preamble("Let me look.", searchFor("tides")), saying('{"a":', "2}"));
    assertEquals(await ask(lab), { a: 2 });
    await lab.service.assertBooks();
  });
}

for (const stream of [false, true]) {
  for (const format of FORMATS) {
    Deno.test(`${format.type}${stream ? ", streamed" : ""}: one message, after the search`, async () => {
      await using lab = await hostedLab();
      const { service, model } = lab;
      model.answer(preamble('{"a":1}', searchFor("tides")), saying('{"a":', "2}"));
      const more = { text: { format } };
      const { output, id } = await responseOf(
        await askHosted(service, "responses", { stream, more }),
      );
      assertEquals(output.map(({ type }) => type), ["web_search_call", "message"]);
      const kept = await service.client().responses.retrieve(id);
      assertEquals(kept.output_text, '{"a":2}');
      // The model itself reads what it said before.
      const { messages } = JSON.parse(model.last.text);
      assertEquals(messages[1].content, '{"a":1}');
      await service.assertBooks();
    });
  }

  Deno.test(`text beside a call of the caller's comes before it, streamed: ${stream}`, async () => {
    await using lab = await hostedLab();
    lab.model.answer(preamble('{"a":1}', { name: "own", input: {} }));
    const more = { text: { format: FORMATS[0] }, tools: [{ type: "web_search" }, OWN] };
    const { output } = await responseOf(
      await askHosted(lab.service, "responses", { stream, more }),
    );
    assertEquals(output.map(({ type }) => type), ["message", "function_call"]);
  });
}

Deno.test("held-back text is cut at the output limit", async () => {
  await using lab = await hostedLab();
  lab.model.answer(preamble('{"a":', searchFor("tides")));
  const more = { text: { format: FORMATS[0] }, max_output_tokens: 4 };
  const answer = await askHosted(lab.service, "responses", { stream: true, more });
  const events = await readResponseEvents(answer);
  const { output, status } = assertHostedEvents(events, "response.incomplete");
  assertEquals([status, output.map(({ type }) => type)], ["incomplete", ["message"]]);
});

Deno.test("JSON that breaks off has not been delivered, and is not charged", async () => {
  await using lab = await hostedLab();
  const { service, model } = lab;
  model.answer([...sse([chunkText({ content: '{"a":' })]).slice(0, 2), { reset: true }]);
  const more = { text: { format: FORMATS[0] } };
  const text = await (await askHosted(service, "responses", { stream: true, more })).text();
  assert(!text.includes('{\\"a\\"') && text.includes("response.failed"), text);
  assertEquals((await service.wallet()).spent, 0n);
  await service.assertBooks();
});
