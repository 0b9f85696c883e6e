/**
 * Search results have to fit into the context of the model completely, and the caller sees what the
 * model read.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  askHosted,
  calling,
  completionOf,
  hostedLab,
  responseOf,
  saying,
  searchFor,
  storeWith,
  SURFACES,
  toolResults,
  WEB,
} from "../fixtures/hosted_lab.ts";
import { json } from "../fixtures/fake_upstream.ts";
import { WALLET } from "../fixtures/service.ts";

const TIDES = Array.from({ length: 8_000 }, (_, day) => `The tide table of day ${day} says high.`);
const FILE_CALL = { name: "file_search", input: { query: "tide table" } };

/** A lab whose models hold so many tokens. */
function labOf(contextTokens: number) {
  return hostedLab({ more: { more: { contextTokens } } });
}

function fileSearch(id: string, more: Readonly<Record<string, unknown>> = {}) {
  return [{ type: "file_search", vector_store_ids: [id], ...more }];
}

/** Pages at long addresses, ten for each search. */
function longPages(search: number) {
  const results = Array.from({ length: 10 }, (_, at) => ({
    url: `https://long.example/${"a".repeat(1_900)}${search}/${at}`,
    title: "Long",
    content: "An address",
  }));
  return json({ query: "q", results, unresponsive_engines: [] });
}

for (const surface of SURFACES) {
  Deno.test(`${surface}: of passages longer than the context, those that fit are read`, async () => {
    await using lab = await labOf(8_000);
    const { service, model, second } = lab;
    const id = await storeWith(service, { wallet: WALLET, text: TIDES.join(" ") });
    model.answer(calling(FILE_CALL));
    model.otherwise(saying("High."));
    second.otherwise(json({}, { status: 500 }));
    const answer = await askHosted(service, surface, { more: { tools: fileSearch(id) } });
    assertEquals(answer.status, 200, await answer.clone().text());
    const [read = ""] = toolResults(model);
    const { results } = JSON.parse(read);
    assert(results.length > 0 && results.length < 20, `${results.length} passages`);
    assert(read.length < 8_000 * 4);
    await answer.body?.cancel();
    await service.assertBooks();
  });
}

Deno.test("fifty passages are listed in the order of reading", async () => {
  await using lab = await hostedLab();
  const { service, model } = lab;
  const id = await storeWith(service, { wallet: WALLET, text: TIDES.join(" ") });
  model.answer(calling(FILE_CALL));
  model.otherwise(saying("See [1]."));
  const include = ["file_search_call.results"];
  const tools = fileSearch(id, { max_num_results: 50 });
  const answer = await askHosted(service, "responses", { more: { tools, include } });
  const [call] = (await responseOf(answer)).output.filter(({ type }) =>
    type === "file_search_call"
  );
  const { results: listed } = Object(call);
  const { results: read } = JSON.parse(toolResults(model)[0] ?? "");
  assert(listed.length > 10, `${listed.length} passages`);
  const textOf = ({ text }: { readonly text: string }) => text;
  assertEquals(listed.map(textOf), read.map(textOf));
});

Deno.test("a passage that does not fit is shortened", async () => {
  await using lab = await labOf(2_000);
  const { service, model, second } = lab;
  second.otherwise(json({}, { status: 500 }));
  const id = await storeWith(service, { wallet: WALLET, text: TIDES.join(" ") });
  model.answer(calling(FILE_CALL));
  model.otherwise(saying("High."));
  const more = { tools: fileSearch(id), max_tokens: 1_000 };
  const { metadata } = Object(await completionOf(await askHosted(service, "chat", { more })));
  const { results: [read, ...others] } = JSON.parse(toolResults(model)[0] ?? "");
  assertEquals(others, []);
  assert(read.text.endsWith("…"));
  assertEquals(metadata.hosted_tools[0].results.map(({ text }: { text: string }) => text), [
    read.text,
  ]);
});

Deno.test("long addresses count: sixteen searches do not end the answer", async () => {
  await using lab = await hostedLab();
  const { service, model, search } = lab;
  for (let at = 0; at < 16; at++) search.answer(longPages(at));
  const eight = calling(...Array.from({ length: 8 }, (_, at) => searchFor(`q${at}`)));
  model.answer(eight, eight);
  model.otherwise(saying("Done."));
  const tools = [{ ...WEB, search_context_size: "high" }];
  const answer = Object(await completionOf(await askHosted(service, "chat", { more: { tools } })));
  assertEquals(answer.choices[0].message.content, "Done.");
  const urlsOf = (list: readonly { readonly url: string }[]) => list.map(({ url }) => url);
  const listed = answer.metadata.hosted_tools.map(({ action }: {
    readonly action: { readonly sources?: readonly { readonly url: string }[] };
  }) => urlsOf(action.sources ?? []));
  const read = toolResults(model).map((text) => urlsOf(JSON.parse(text).results));
  assert(read.flat().length > 0);
  assertEquals(read.length, 16);
  assertEquals(listed, read);
});

for (const surface of SURFACES) {
  Deno.test(`${surface}: a model that still refuses the results answers without them`, async () => {
    await using lab = await hostedLab();
    const { service, model } = lab;
    const message = "This model's maximum context length is 8192 tokens";
    const error = { message, type: "invalid_request_error", code: "context_length_exceeded" };
    model.answer(calling(searchFor("tides")), json({ error }, { status: 400 }));
    model.otherwise(saying("From memory."));
    const answer = await askHosted(service, surface);
    const text = await answer.text();
    assertEquals(answer.status, 200, text);
    assertStringIncludes(text, "From memory.");
    assertStringIncludes(JSON.parse(text).metadata.routing.not_carried[0], "too long");
    assertEquals(JSON.parse(model.last.text).tool_choice, "none");
    assertStringIncludes(toolResults(model)[0] ?? "", "left out");
    await service.assertBooks();
  });

  Deno.test(`${surface}: any other refusal ends the request`, async () => {
    await using lab = await hostedLab();
    const { service, model } = lab;
    const error = { message: "Bad tool", type: "invalid_request_error" };
    model.answer(calling(searchFor("tides")));
    model.otherwise(json({ error }, { status: 400 }));
    const answer = await askHosted(service, surface);
    assertEquals([answer.status, model.requests.length], [400, 2], await answer.text());
    await service.assertBooks();
  });
}
