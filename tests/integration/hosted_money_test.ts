/**
 * Costs of hosted tools: each turn and each search has a separate hold and settlement, however it
 * ends.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { json } from "../fixtures/fake_upstream.ts";
import {
  askHosted,
  calling,
  completionOf,
  hostedLab,
  responseOf,
  saying,
  SEARCH_MICROS,
  searchFor,
  SURFACES,
  toolResults,
  TURN_MICROS,
} from "../fixtures/hosted_lab.ts";
import { formatCredits } from "../../gateway/domain/ledger/money.ts";

for (const surface of SURFACES) {
  for (const stream of [false, true]) {
    const how = `${surface}${stream ? ", streamed" : ""}`;

    Deno.test(`${how}: the bill is the turns and the searches, and so is the log`, async () => {
      await using lab = await hostedLab();
      const { service, model, search } = lab;
      model.answer(
        calling(searchFor("tides"), searchFor("harbours")),
        calling(searchFor("boats")),
        saying("Tides ", "turn [1]."),
      );
      const answer = await askHosted(service, surface, { stream });
      const text = await answer.text();
      assertEquals(answer.status, 200, text);
      const record = await service.lastRequest();
      const charged = 3n * TURN_MICROS + 3n * SEARCH_MICROS;
      assertEquals(record.charged, formatCredits(charged));
      assertEquals([record.outcome, record.status, record.stream], ["ok", 200, stream]);
      assertEquals([record.inputTokens, record.outputTokens], [60, 12]);
      assertEquals([record.holdIds.length, new Set(record.holdIds).size], [6, 6]);
      assertStringIncludes(text, `"charged":"${record.charged}"`);
      assertEquals((await service.wallet()).spent, charged);
      assertEquals([model.requests.length, search.requests.length], [3, 3]);
      const { records } = await service.running.stores.log.search({ limit: 10 });
      assertEquals(records.length, 1);
      assertEquals(service.running.gateway.inFlight.count, 0);
      await service.assertBooks();
    });
  }
}

Deno.test("a failed search costs nothing, and the model receives its failure", async () => {
  await using lab = await hostedLab();
  const { service, model, search } = lab;
  search.answer(json({}, { status: 500 }));
  model.answer(calling(searchFor("tides")), saying("I could not search."));
  const { output, metadata } = await responseOf(await askHosted(service, "responses"));
  assertEquals(output.map((item) => [item.type, "status" in item ? item.status : ""]), [
    ["web_search_call", "failed"],
    ["message", "completed"],
  ]);
  assertEquals(metadata.billing?.charged, formatCredits(2n * TURN_MICROS));
  assertStringIncludes(toolResults(model).join(), "search_failed");
  assert(service.logs.some(({ event }) => event === "web_search_failed"));
  await service.assertBooks();
});

Deno.test("the policy's cap holds for all turns and searches together, also at once", async () => {
  await using lab = await hostedLab();
  const { service, model, search } = lab;
  // Room for two searches, and not for a third.
  const policy = { maxChargePerRequest: "25" };
  const { key, wallet } = await service.newKey({ policy });
  model.answer(
    calling(...["a", "b", "c", "d"].map(searchFor)),
    saying("Two will do."),
  );
  const { metadata } = await responseOf(await askHosted(service, "responses", { key }));
  assertEquals(search.requests.length, 2);
  assertEquals(metadata.billing?.charged, formatCredits(2n * TURN_MICROS + 2n * SEARCH_MICROS));
  const results = toolResults(model);
  assertEquals(results.filter((text) => text.includes("insufficient_balance")).length, 2);
  assert((await service.wallet(wallet)).spent < 25_000_000n);
  await service.assertBooks();
});

Deno.test("a wallet or a budget that cannot pay for a search pays for the answer without it", async () => {
  await using lab = await hostedLab();
  const { service, model, search } = lab;
  for (const options of [{ credits: "9" }, { policy: { budget: { total: "9" } } }]) {
    const { key, wallet } = await service.newKey(options);
    model.answer(calling(searchFor("tides")), saying("Without it, then."));
    const { choices } = await completionOf(await askHosted(service, "chat", { key }));
    assertEquals(choices[0]?.message.content, "Without it, then.");
    assertEquals((await service.wallet(wallet)).spent, 2n * TURN_MICROS);
  }
  assertEquals(search.requests.length, 0);
  await service.assertBooks();
});

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "whole";
  Deno.test(`a wallet that runs dry between two turns ends the answer, ${how}`, async () => {
    await using lab = await hostedLab();
    const { service, model } = lab;
    // A turn and a search, and 16 tokens of another turn are beyond it.
    const { key, wallet } = await service.newKey({ credits: "10.05" });
    model.answer(calling(searchFor("tides")), saying("Never asked for"));
    const answer = await askHosted(service, "chat", { key, stream });
    const text = await answer.text();
    assertEquals(answer.status, stream ? 200 : 402);
    assertStringIncludes(text, "insufficient_balance");
    const spent = TURN_MICROS + SEARCH_MICROS;
    assertStringIncludes(text, `"charged":"${formatCredits(spent)}"`);
    assertEquals(text.includes("[DONE]"), false);
    const record = await service.lastRequest();
    assertEquals([record.charged, record.outcome], [
      formatCredits(spent),
      stream ? "cut" : "error",
    ]);
    assertEquals((await service.wallet(wallet)).spent, spent);
    assertEquals(model.requests.length, 1);
    await service.assertBooks();
  });
}

Deno.test("max_tool_calls bounds the searches; the caller's own functions may be called on", async () => {
  await using lab = await hostedLab();
  const { service, model, search } = lab;
  model.answer(calling(searchFor("a"), searchFor("b")), saying("One it was."));
  await responseOf(await askHosted(service, "responses", { more: { max_tool_calls: 1 } }));
  assertEquals(search.requests.length, 1);
  assertEquals(JSON.parse(model.last.text).tool_choice, "none");
  assertStringIncludes(toolResults(model)[1] ?? "", "too_many_tool_calls");

  const own = { type: "function", name: "own", parameters: { type: "object", properties: {} } };
  model.answer(calling(searchFor("a")), calling({ name: "own", input: {} }));
  const more = { max_tool_calls: 1, tools: [{ type: "web_search" }, own] };
  const { output } = await responseOf(await askHosted(service, "responses", { more }));
  assertEquals(output.map(({ type }) => type), ["web_search_call", "function_call"]);
  assertEquals(JSON.parse(model.last.text).tool_choice, undefined);
  await service.assertBooks();
});

Deno.test("a model that searches on and on is stopped after eight turns", async () => {
  await using lab = await hostedLab();
  const { service, model, search } = lab;
  model.otherwise(calling(searchFor("more")));
  const { metadata, output, status } = await responseOf(await askHosted(service, "responses"));
  assertEquals([model.requests.length, search.requests.length], [8, 7]);
  assertEquals(JSON.parse(model.last.text).tool_choice, "none");
  assertEquals([status, output.length], ["completed", 8]);
  assertEquals(metadata.billing?.charged, formatCredits(8n * TURN_MICROS + 7n * SEARCH_MICROS));
  await service.assertBooks();
});

Deno.test("a search without a price has no hold", async () => {
  await using lab = await hostedLab({ pricePerSearch: "0" });
  const { service, model } = lab;
  model.answer(calling(searchFor("tides")), saying("Free."));
  await completionOf(await askHosted(service, "chat"));
  const { holdIds, charged } = await service.lastRequest();
  assertEquals([holdIds.length, charged], [2, formatCredits(2n * TURN_MICROS)]);
  await service.assertBooks();
});

Deno.test("usage and overview say the same of searches and of the model that asked for them", async () => {
  await using lab = await hostedLab();
  const { service, model } = lab;
  model.answer(calling(searchFor("tides"), searchFor("boats")), saying("Tides turn."));
  await (await askHosted(service, "chat")).text();
  await service.quiet();
  const usage = await service.admin("GET", "/usage?by=model");
  const overview = await service.admin("GET", "/overview?since=1h");
  const charges = ({ usage, models }: Record<string, unknown>) => {
    const rows = (usage ?? models) as { model: string; charged: string; requests: number }[];
    return rows.map((row) => [row.model, row.charged, row.requests]).sort();
  };
  assertEquals(charges(overview), charges(usage));
  assertEquals(charges(usage).length, 2);
});
