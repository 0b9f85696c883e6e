/**
 * Options of hosted tools that the gateway's own searches do not support are refused or reported,
 * never dropped silently; they pass unchanged to an upstream with its own searches.
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
} from "../fixtures/hosted_lab.ts";
import { labConfig } from "../fixtures/lab.ts";
import { TestService, WALLET } from "../fixtures/service.ts";
import { NativeResponses } from "../fixtures/upstreams/native_responses.ts";

const LISBON = { type: "approximate", city: "Lisbon", country: "PT", latitude: 38.7 };
const WEB = {
  type: "web_search",
  external_web_access: true,
  return_token_budget: "unlimited",
  search_content_types: ["text", "image"],
  user_location: LISBON,
};
const OFFLINE_ONLY = { type: "web_search", external_web_access: false };

/** Paths of what was reported as left out, in its order. */
function pathsIn({ metadata }: { readonly metadata: unknown }): readonly string[] {
  const { not_carried: lines = [] } = Object(Object(metadata).routing);
  return lines.map((line: string) => line.split(": ")[0]);
}

for (const surface of SURFACES) {
  for (const stream of [false, true]) {
    const how = `${surface}${stream ? ", streamed" : ""}`;

    Deno.test(`${how}: options that no search of the gateway supports are reported`, async () => {
      await using lab = await hostedLab();
      const { service, model } = lab;
      const id = await storeWith(service, { wallet: WALLET, text: "Tide tables" });
      const ranking_options = { ranker: "none", hybrid_search: { embedding_weight: 1 }, alpha: 1 };
      const files = { type: "file_search", vector_store_ids: [id], ranking_options, rewrite: true };
      model.answer(calling(searchFor("tides")), saying("Twice a day."));
      const answer = await askHosted(service, surface, { stream, more: { tools: [WEB, files] } });
      assertEquals(answer.status, 200);
      assertEquals(pathsIn(await endOf(answer)), [
        "tools.0.return_token_budget",
        "tools.0.search_content_types",
        "tools.0.user_location.latitude",
        "tools.1.rewrite",
        "tools.1.ranking_options.ranker",
        "tools.1.ranking_options.hybrid_search",
        "tools.1.ranking_options.alpha",
        "tools.0.user_location.country",
        "tools.0.user_location.city",
      ]);
      const { routing } = await service.lastRequest();
      assertEquals(routing?.not_carried?.length, 9);
    });
  }

  Deno.test(`${surface}: options that request nothing are not reported`, async () => {
    await using lab = await hostedLab();
    const { service, model } = lab;
    const id = await storeWith(service, { wallet: WALLET, text: "Tide tables" });
    const web = {
      type: "web_search",
      external_web_access: true,
      search_content_types: ["text"],
      user_location: { type: "approximate", city: null },
      future: null,
    };
    const ranking_options = { ranker: "auto", score_threshold: 0, hybrid_search: null };
    const files = { type: "file_search", vector_store_ids: [id], ranking_options };
    model.answer(saying("Twice a day."));
    const answer = await askHosted(service, surface, { more: { tools: [web, files] } });
    assertEquals([answer.status, pathsIn(await endOf(answer))], [200, []]);
  });

  Deno.test(`${surface}: a caller that forbids live searches is refused, by name`, async () => {
    await using lab = await hostedLab();
    const { service, model, search } = lab;
    const answer = await askHosted(service, surface, { more: { tools: [OFFLINE_ONLY] } });
    const { error } = await answer.json();
    assertEquals([answer.status, error.code, error.param], [
      400,
      "invalid_request",
      "tools.0.external_web_access",
    ]);
    assertEquals([model.requests.length, search.requests.length], [0, 0]);
    await service.assertBooks();
  });

  Deno.test(`${surface}: a hundred strange members make a short report`, async () => {
    await using lab = await hostedLab();
    lab.model.answer(saying("Ok."));
    const strange = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`x${at}${"y".repeat(300)}`, 1]),
    );
    const tools = [{ type: "web_search", ...strange }];
    const answer = await askHosted(lab.service, surface, { more: { tools } });
    const { metadata } = await answer.json();
    assertEquals(metadata.routing.not_carried.length, 32);
    assertStringIncludes(metadata.routing.not_carried.at(-1), "more was left out");
  });
}

Deno.test("thousands of unsupported members make a short report, also in the log", async () => {
  await using lab = await hostedLab();
  const { service, model } = lab;
  model.otherwise(saying("Ok."));
  // Each is as long in JSON as a character can be.
  const strange = Array.from({ length: 5_000 }, (_, at) => [`x${at}${"\u0001".repeat(300)}`, 1]);
  const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };
  const input = [
    { ...call, ...Object.fromEntries(strange) },
    { type: "function_call_output", call_id: "c", output: "" },
  ];
  const answer = await askHosted(service, "responses", { more: { input } });
  const { metadata } = await answer.json();
  assertEquals(metadata.routing.not_carried.length, 32);
  assertStringIncludes(metadata.routing.not_carried.at(-1), "more was left out");
  const { routing } = await service.lastRequest();
  assertEquals(routing?.not_carried, metadata.routing.not_carried);
});

Deno.test("a search server that supports places receives them, and only the rest is reported", async () => {
  await using model = new FakeUpstream();
  await using search = new FakeUpstream();
  search.answer(json({ type: "search", web: { results: [] } }));
  const baseUrl = `http://127.0.0.1:${search.port}`;
  const config = {
    ...labConfig({ id: "first", baseUrl: model.baseUrl }),
    search: { kind: "brave", baseUrl, apiKey: "BSA-operator-key", pricePerSearch: "0.01" },
  };
  await using service = await TestService.start({ config });
  model.answer(calling(searchFor("tides")), saying("Twice a day."));
  const user_location = { type: "approximate", city: "Lisbon", country: "Atlantis" };
  const tools = [{ type: "web_search", user_location }];
  const answer = await askHosted(service, "responses", { more: { tools } });
  assertEquals(pathsIn(await answer.json()), ["tools.0.user_location.country"]);
  const { headers } = search.last;
  assertEquals([headers.get("x-loc-city"), headers.get("x-loc-country")], ["Lisbon", null]);
});

Deno.test("an upstream's own search is sent the declaration as it came, and nothing is reported", async () => {
  await using native = new NativeResponses();
  const config = {
    ...labConfig({ id: "native", baseUrl: native.baseUrl, upstream: { kind: "openai" } }),
    search: { kind: "offline" },
  };
  await using service = await TestService.start({ config });
  for (const tools of [[WEB], [OFFLINE_ONLY]]) {
    const answer = await askHosted(service, "responses", { more: { tools } });
    assertEquals([answer.status, pathsIn(await answer.json())], [200, []]);
    assertEquals(native.last.body["tools"], tools);
  }
  // Vector stores exist only in the gateway: no upstream can run these two.
  const id = await storeWith(service, { wallet: WALLET, text: "Tide tables" });
  const tools = [{ type: "file_search", vector_store_ids: [id] }, OFFLINE_ONLY];
  const refused = await askHosted(service, "responses", { more: { tools } });
  const { error } = await refused.json();
  assertEquals([refused.status, error.param], [400, "tools.1.external_web_access"]);
});

/** The body of an answer, or what its last chunk or event tells of it. */
async function endOf(answer: Response): Promise<{ readonly metadata: unknown }> {
  if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) {
    return await answer.json();
  }
  const data = (await answer.text()).split("\n").filter((line) => line.startsWith("data: {"));
  const last = JSON.parse(data.at(-1)?.slice("data: ".length) ?? "{}");
  return last.response ?? last;
}
