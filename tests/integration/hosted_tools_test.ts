/**
 * Hosted tools as applications use them: OpenAI's own client, both surfaces, both modes, before
 * simulated models and the offline stand-in for a search server.
 *
 * @module
 */

import { simulatorCatalog } from "../../gateway/config/simulator_catalog.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type OpenAI from "openai";
import { chatChunkSchema } from "../../gateway/http/schemas/chat_answer.ts";
import { readPairs } from "../fixtures/dialects.ts";
import { completionOf, responseOf, storeWith, WEB } from "../fixtures/hosted_lab.ts";
import { postResponse } from "../fixtures/responses_calls.ts";
import { TestService, WALLET } from "../fixtures/service.ts";

const QUESTION = "Search the web for tidal power";
const FILES_QUESTION = "What do the files say about the gallery?";
const NOTES = "The gallery is closed on Mondays.\n\nThe tower has 311 steps.";
const OFFLINE = "[offline, simulated]";
const MESSAGES = [{ role: "user" as const, content: QUESTION }];

/** A message's text and its citations. */
function saidIn(output: readonly OpenAI.Responses.ResponseOutputItem[]) {
  const message = output.find((item) => item.type === "message");
  const [part] = message?.content ?? [];
  assert(part?.type === "output_text");
  return part;
}

for (const stream of [false, true]) {
  const how = stream ? "responses.stream()" : "responses.create()";

  Deno.test(`${how}: a search, labelled results and their citations`, async () => {
    await using service = await TestService.start();
    const { responses } = service.client();
    const include = ["web_search_call.action.sources" as const];
    const request = { model: "auto", input: QUESTION, tools: [WEB], include };
    const answer = stream
      ? await responses.stream(request).finalResponse()
      : await responses.create(request);
    assertEquals(answer.output.map(({ type }) => type), ["web_search_call", "message"]);
    const [search] = answer.output;
    assert(search?.type === "web_search_call" && search.action.type === "search");
    assertEquals([search.status, search.action.query], ["completed", QUESTION]);
    assert(search.action.sources?.every(({ url }) => new URL(url).hostname === "example.invalid"));
    const { annotations, text } = saidIn(answer.output);
    assertStringIncludes(text, OFFLINE);
    assertEquals(annotations.length, 3);
    for (const annotation of annotations) {
      assert(annotation.type === "url_citation");
      const { end_index, start_index, title } = annotation;
      assertStringIncludes(title, OFFLINE);
      assert(/^\[\d\]$/.test(text.slice(start_index, end_index)));
    }
    await responseOf(await postResponse(service, { ...request, stream }));
    await service.assertBooks();
  });

  Deno.test(`${how}: the files of the wallet's own store are searched and cited`, async () => {
    await using service = await TestService.start();
    const id = await storeWith(service, { wallet: WALLET, text: NOTES });
    const { responses } = service.client();
    const tools = [{ type: "file_search" as const, vector_store_ids: [id] }];
    const include = ["file_search_call.results" as const];
    const request = { model: "auto", input: FILES_QUESTION, tools, include };
    const answer = stream
      ? await responses.stream(request).finalResponse()
      : await responses.create(request);
    const [search] = answer.output;
    assert(search?.type === "file_search_call");
    assertEquals([search.status, search.queries], ["completed", [FILES_QUESTION]]);
    assertStringIncludes(search.results?.[0]?.text ?? "", "closed on Mondays");
    const { annotations, text } = saidIn(answer.output);
    assertStringIncludes(text, "closed on Mondays");
    const [cited] = annotations;
    assert(cited?.type === "file_citation");
    assertEquals([cited.filename, text.slice(cited.index, cited.index + 3)], ["notes.txt", "[1]"]);
    await responseOf(await postResponse(service, { ...request, stream }));
    await service.assertBooks();
  });
}

Deno.test("chat completions answer with the text, its citations and metadata.hosted_tools", async () => {
  await using service = await TestService.start();
  const id = await storeWith(service, { wallet: WALLET, text: NOTES });
  const cases = [
    { tool: WEB, type: "web_search_call", citation: "url_citation", question: QUESTION },
    {
      tool: { type: "file_search", vector_store_ids: [id] },
      type: "file_search_call",
      citation: "file_citation",
      question: FILES_QUESTION,
    },
  ];
  for (const { tool, type, citation, question } of cases) {
    const messages = [{ role: "user" as const, content: question }];
    const answer = await completionOf(await service.chat({ messages, tools: [tool] }));
    const [choice] = answer.choices;
    assertEquals([choice?.finish_reason, choice?.message.tool_calls], ["stop", undefined]);
    const hostedTools = answer.metadata?.hosted_tools;
    assertEquals(hostedTools?.map((item) => [item.type, item.status]), [[type, "completed"]]);
    const annotations = Object(choice?.message)["annotations"];
    assertEquals(annotations[0].type, citation);
    assert(annotations[0][citation] !== undefined);
    assertEquals(answer.usage?.total_tokens, answer.metadata?.billing?.total_tokens);
  }
  await service.assertBooks();
});

Deno.test("OpenAI's client reads a streamed chat with a search as one answer", async () => {
  await using service = await TestService.start();
  const { completions } = service.client().chat;
  // The client's types know of functions alone.
  const tools = [WEB] as unknown as OpenAI.ChatCompletionTool[];
  const params = { model: "auto", messages: MESSAGES, tools };
  const whole = await completions.create(params);
  const stream = completions.stream(params);
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  stream.on("chunk", (chunk) => void chunks.push(chunk));
  const streamed = await stream.finalChatCompletion();
  assertEquals(streamed.choices[0]?.message.content, whole.choices[0]?.message.content);
  assertStringIncludes(streamed.choices[0]?.message.content ?? "", OFFLINE);
  for (const chunk of chunks) {
    const metadataEdit = chunk === chunks.at(-1)
      ? { metadata: readPairs(Object(chunk).metadata) }
      : {};
    const { error } = chatChunkSchema.safeParse({ ...chunk, ...metadataEdit });
    assert(error === undefined, `${error?.message} in ${JSON.stringify(chunk)}`);
  }
  assertEquals(new Set(chunks.map(({ id }) => id)).size, 1);
  const finishes = chunks.flatMap(({ choices }) => choices)
    .filter(({ finish_reason: reason }) => reason !== null);
  assertEquals(finishes.length, 1);
  const { hosted_tools = [] } = readPairs(Object(chunks.at(-1)).metadata);
  assertEquals(hosted_tools.map(({ type }) => type), ["web_search_call"]);
});

Deno.test("an answer that searched can be continued, whole or item by item", async () => {
  await using service = await TestService.start();
  const { responses } = service.client();
  for (const stream of [false, true]) {
    const request = { model: "auto", input: QUESTION, tools: [WEB] };
    const first = stream
      ? await responses.stream(request).finalResponse()
      : await responses.create(request);
    const kept = await responses.retrieve(first.id);
    const shape = ({ output }: OpenAI.Responses.Response) =>
      output.map(({ type, id }) => [type, id]);
    assertEquals(shape(kept), shape(first));
    assertEquals(saidIn(kept.output).annotations, saidIn(first.output).annotations);
    const next = { model: "auto", input: "Hello again", previous_response_id: first.id };
    const second = await responses.create(next);
    assertEquals(second.output.map(({ type }) => type), ["message"]);
    const again = { ...next, input: "Search the web once more", tools: [WEB] };
    const third = await responses.create(again);
    assertEquals(third.output.map(({ type }) => type), ["web_search_call", "message"]);
    const input = [...kept.output, { role: "user", content: "Hello again" }];
    const echoed = await responseOf(await postResponse(service, { input }));
    assertEquals(echoed.output.map(({ type }) => type), ["message"]);
  }
  await service.assertBooks();
});

Deno.test("both searches at once are two items, and one answer cites both", async () => {
  await using service = await TestService.start();
  const id = await storeWith(service, { wallet: WALLET, text: NOTES });
  const tools = [{ type: "file_search", vector_store_ids: [id] }, { type: "web_search" }];
  const input = "Search the files and the web for the gallery";
  for (const stream of [false, true]) {
    const { output } = await responseOf(await postResponse(service, { input, tools, stream }));
    assertEquals(output.map(({ type }) => type).sort(), [
      "file_search_call",
      "message",
      "web_search_call",
    ]);
    const message = output.find((item) => item.type === "message");
    const [part] = message?.content ?? [];
    assert(part?.type === "output_text");
    assertEquals(new Set(part.annotations.map(({ type }) => type)).size, 2);
  }
});

Deno.test("tool_choice may force a hosted tool, once", async () => {
  await using service = await TestService.start();
  const body = { tools: [WEB], tool_choice: WEB };
  const { output } = await responseOf(await postResponse(service, { input: "Hello", ...body }));
  assertEquals(output.map(({ type }) => type), ["web_search_call", "message"]);
  const messages = [{ role: "user", content: "Hello" }];
  const { metadata } = await completionOf(await service.chat({ messages, ...body }));
  assertEquals(metadata?.hosted_tools?.length, 1);
});

Deno.test("functions named like hosted tools work beside them", async () => {
  // The largest simulated model signs the first of parallel calls, which is the hosted tool's.
  const config = { ...simulatorCatalog(), auto: { dial: 1 } };
  await using service = await TestService.start({ config });
  const id = await storeWith(service, { wallet: WALLET, text: NOTES });
  const parameters = { type: "object", properties: { query: { type: "string" } } };
  const own = { type: "function" as const, name: "file_search", parameters, strict: false };
  const hosted = { type: "file_search" as const, vector_store_ids: [id] };
  const { responses } = service.client();
  const alone = await responses.create({ model: "auto", input: FILES_QUESTION, tools: [own] });
  assertEquals(alone.output.map(({ type }) => type), ["function_call"]);

  const request = { model: "auto", tools: [own, hosted] };
  const mixed = await responses.create({ ...request, input: FILES_QUESTION });
  const kinds = mixed.output.map(({ type }) => type);
  assertEquals(kinds.sort(), ["file_search_call", "function_call"]);
  const call = mixed.output.find((item) => item.type === "function_call");
  assertEquals(call?.name, "file_search");
  // The caller answers its own call alone; the gateway's needs no answer.
  const output = {
    type: "function_call_output" as const,
    call_id: call?.call_id ?? "",
    output: "36",
  };
  const next = await responses.create({
    ...request,
    input: [output],
    previous_response_id: mixed.id,
  });
  assertEquals(next.output.at(-1)?.type, "message");
  assertStringIncludes(next.output_text, "36");

  const messages = [{ role: "user" as const, content: FILES_QUESTION }];
  const { name, parameters: schema } = own;
  const tools = [{ type: "function", function: { name, parameters: schema } }, hosted];
  const chat = await completionOf(await service.chat({ messages, tools }));
  assertEquals(chat.choices[0]?.finish_reason, "tool_calls");
  assertEquals(chat.choices[0]?.message.tool_calls?.map((made) => made.function.name), [
    "file_search",
  ]);
  assertEquals(chat.metadata?.hosted_tools?.length, 1);
  await service.assertBooks();
});
