/**
 * Hosted tools where a request and what it was promised meet the turns after the first.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { FakeUpstream, json } from "../fixtures/fake_upstream.ts";
import {
  askHosted,
  calling,
  hostedLab,
  saying,
  searchFor,
  storeWith,
  SURFACES,
  toolResults,
  WEB,
} from "../fixtures/hosted_lab.ts";
import { labConfig } from "../fixtures/lab.ts";
import { TestService, until, WALLET } from "../fixtures/service.ts";

const OWN = {
  chat: { type: "function", function: { name: "own", parameters: { type: "object" } } },
  responses: { type: "function", name: "own", parameters: { type: "object" } },
};

for (const surface of SURFACES) {
  Deno.test(`${surface}: which tools are allowed holds after a search`, async () => {
    await using lab = await hostedLab();
    lab.model.answer(calling(searchFor("tides")), saying("Twice a day."));
    const allowed = { mode: "required", tools: [{ type: "web_search_preview" }] };
    const tool_choice = surface === "chat"
      ? { type: "allowed_tools", allowed_tools: allowed }
      : { type: "allowed_tools", ...allowed };
    const more = { tools: [WEB, OWN[surface]], tool_choice };
    const answer = await askHosted(lab.service, surface, { more });
    await answer.body?.cancel();
    assertEquals(answer.status, 200);
    const [first, later] = lab.model.requests.map(({ text }) => JSON.parse(text).tool_choice);
    assertEquals(first.allowed_tools.mode, "required");
    const auto = { ...first.allowed_tools, mode: "auto" };
    assertEquals(later, { ...first, allowed_tools: auto });
  });

  Deno.test(`${surface}: a search that is removed meanwhile remains available until the answer's end`, async () => {
    await using lab = await hostedLab();
    const gate = Promise.withResolvers<void>();
    lab.model.answer([{ until: gate.promise }, ...calling(searchFor("tides"))], saying("Ok."));
    const asking = askHosted(lab.service, surface);
    await until(() => lab.model.requests.length === 1, "the first turn");
    const without = labConfig({ id: "first", baseUrl: lab.model.baseUrl });
    await lab.service.admin("POST", "/catalog/apply", { content: without, force: true });
    gate.resolve();
    const answer = await asking;
    assertEquals([answer.status, (await answer.json()).error ?? null], [200, null]);
    assertEquals(lab.search.requests.length, 1);
    await lab.service.assertBooks();
    const refused = await askHosted(lab.service, surface);
    assertEquals((await refused.json()).error.code, "unsupported_tool");
  });

  Deno.test(`${surface}: more vector stores than a search takes are refused at once`, async () => {
    await using lab = await hostedLab();
    const ids: string[] = [];
    for (let count = 0; count < 21; count++) {
      ids.push(await storeWith(lab.service, { wallet: WALLET, text: "Tide tables" }));
    }
    const search = (storeIds: readonly string[]) => {
      const tools = [{ type: "file_search", vector_store_ids: storeIds }];
      return askHosted(lab.service, surface, { more: { tools } });
    };
    const refused = await search(ids);
    assertEquals(refused.status, 400);
    assertStringIncludes((await refused.json()).error.param, "vector_store_ids");
    assertEquals(lab.model.requests.length, 0);
    lab.model.answer(calling({ name: "file_search", input: { query: "tide" } }), saying("Ok."));
    const answer = await search(ids.slice(1));
    assertEquals(answer.status, 200);
    await answer.body?.cancel();
    assertStringIncludes(toolResults(lab.model)[0] ?? "", "Tide tables");
  });
}

Deno.test("a disconnect during a file search ends the embedding of its query", async () => {
  await using model = new FakeUpstream();
  await using embeddings = new FakeUpstream();
  const lab = labConfig({ id: "first", baseUrl: model.baseUrl });
  const { baseUrl } = embeddings;
  const config = {
    ...lab,
    upstreams: [
      ...[lab["upstreams"]].flat(),
      { id: "vectors", kind: "openai-compatible", baseUrl, apiKey: "none" },
    ],
    vectorStores: { embeddings: { upstream: "vectors", model: "tiny" } },
  };
  await using service = await TestService.start({ config });
  embeddings.answer(json({ data: [{ index: 0, embedding: [1, 2, 3] }] }));
  const id = await storeWith(service, { wallet: WALLET, text: "Tide tables" });
  embeddings.answer([{ stall: true }]);
  model.answer(calling({ name: "file_search", input: { query: "tide" } }), saying("Ok."));
  const leaving = new AbortController();
  const tools = [{ type: "file_search", vector_store_ids: [id] }];
  const { signal } = leaving;
  const answer = await askHosted(service, "responses", { stream: true, signal, more: { tools } });
  const reading = answer.text().catch(() => "left");
  await embeddings.stalling();
  leaving.abort();
  await embeddings.clientLeft();
  assertEquals(await reading, "left");
  await service.quiet();
  await service.assertBooks();
});
