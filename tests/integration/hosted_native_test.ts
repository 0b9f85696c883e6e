/**
 * Web search where the upstream has its own: passed through, bounded, and paid for.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ResponseResource } from "@svc/sdk/protocol";
import { formatCredits } from "../../gateway/domain/ledger/money.ts";
import {
  askHosted,
  completionOf,
  responseOf,
  saying,
  storeWith,
  SURFACES,
  WEB,
} from "../fixtures/hosted_lab.ts";
import { INPUT_MICROS, labConfig, OUTPUT_MICROS } from "../fixtures/lab.ts";
import { FakeUpstream, json } from "../fixtures/fake_upstream.ts";
import { TestService, WALLET } from "../fixtures/service.ts";
import { NATIVE_USAGE, NativeResponses } from "../fixtures/upstreams/native_responses.ts";
import { readResponseEvents } from "../conformance/open_responses/event_rules.ts";

/**
 * OpenAI's price of a search by the preview tool, for models that do not reason, at a thousand credits
 * a dollar, in micro-credits.
 */
const NATIVE_SEARCH_MICROS = 25_000_000n;
const TOKENS_MICROS = 12n * INPUT_MICROS + 5n * OUTPUT_MICROS;

type Fields = Readonly<Record<string, unknown>>;

/** Items of an answer for which the upstream searched, opened a page, and wrote. */
function itemsOf(searches: number): Fields[] {
  const query = { type: "search", query: "tides" };
  const actions = [...Array(searches).fill(query), {
    type: "open_page",
    url: "https://a.example/",
  }];
  const part = { type: "output_text", text: "Tides turn.", annotations: [], logprobs: [] };
  return [
    ...actions.map((action, at) => (
      { type: "web_search_call", id: `ws_native_${at}`, status: "completed", action }
    )),
    {
      type: "message",
      id: "msg_native",
      role: "assistant",
      status: "completed",
      content: [{ ...part, annotations: [citation] }],
    },
  ];
}

const citation = {
  type: "url_citation",
  start_index: 0,
  end_index: 5,
  url: "https://a.example/",
  title: "Tides",
};

function resourceOf(output: readonly Fields[], status = "completed"): Fields {
  return {
    id: "resp_native1",
    object: "response",
    created_at: 1_700_000_000,
    completed_at: status === "completed" ? 1_700_000_001 : null,
    status,
    model: "real-native-2025",
    output,
    usage: status === "completed" ? NATIVE_USAGE : null,
  };
}

/** The whole answer as its upstream sends it. */
function rawAnswer(searches: number, stream: boolean): string {
  const items = itemsOf(searches);
  const whole = resourceOf(items);
  if (!stream) return JSON.stringify(whole);
  const begun = resourceOf([], "in_progress");
  const events: Fields[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...items.flatMap((item, output_index) => eventsOf(item, output_index)),
    { type: "response.completed", response: whole },
  ];
  return events.map(({ type, ...fields }, sequence_number) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`
  ).join("");
}

function eventsOf(item: Fields, output_index: number): Fields[] {
  const started = { ...item, status: "in_progress" };
  const added = { type: "response.output_item.added", output_index };
  const done = { type: "response.output_item.done", output_index, item };
  const place = { item_id: item["id"], output_index };
  if (item["type"] === "web_search_call") {
    const phases = ["in_progress", "searching", "completed"].map((phase) => (
      { type: `response.web_search_call.${phase}`, ...place }
    ));
    return [{ ...added, item: started }, ...phases, done];
  }
  const at = { ...place, content_index: 0 };
  const [part] = itemsOf(0).flatMap(({ content }) => Array.isArray(content) ? content : []);
  const empty = { ...part, text: "", annotations: [] };
  const text = "response.output_text";
  return [
    { ...added, item: { ...started, content: [] } },
    { type: "response.content_part.added", ...at, part: empty },
    { type: `${text}.delta`, ...at, delta: part.text, logprobs: [] },
    { type: `${text}.annotation.added`, ...at, annotation_index: 0, annotation: citation },
    { type: `${text}.done`, ...at, text: part.text, logprobs: [] },
    { type: "response.content_part.done", ...at, part },
    done,
  ];
}

/** A response as its upstream had it: what an upstream leaves out is not made up. */
async function passedOn(answer: Response): Promise<ResponseResource> {
  if (answer.headers.get("content-type") === "application/json") return await answer.json();
  const events = await readResponseEvents(answer);
  assertEquals(events.map((event) => event["sequence_number"]), events.map((_, at) => at));
  const last = events.at(-1);
  assertEquals(last?.type, "response.completed");
  return last?.["response"] as unknown as ResponseResource;
}

function nativeConfig(baseUrl: string): Record<string, unknown> {
  return labConfig({ id: "native", baseUrl, upstream: { kind: "openai" } });
}

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "whole";

  Deno.test(`an upstream's own searches are passed through and paid, ${how}`, async () => {
    await using native = new NativeResponses();
    await using service = await TestService.start({ config: nativeConfig(native.baseUrl) });
    native.say({ raw: rawAnswer(2, stream) });
    const answer = await askHosted(service, "responses", { stream });
    const { metadata, output } = await passedOn(answer);
    assertEquals(output.map(({ type }) => type), [
      ...Array(3).fill("web_search_call"),
      "message",
    ]);
    assertEquals(native.last.body["tools"], [WEB]);
    assertEquals(native.last.body["max_tool_calls"], 8);
    // Opening a page is no search.
    const charged = TOKENS_MICROS + 2n * NATIVE_SEARCH_MICROS;
    assertEquals(metadata.billing?.charged, formatCredits(charged));
    const record = await service.lastRequest();
    assertEquals([record.charged, record.holdIds.length], [formatCredits(charged), 1]);
    assertEquals((await service.wallet()).spent, charged);
    await service.assertBooks();
  });

  Deno.test(`a cap leaves an upstream's own searches their price, or they are not run, ${how}`, async () => {
    await using native = new NativeResponses();
    await using service = await TestService.start({ config: nativeConfig(native.baseUrl) });
    // Eight searches would be 200 credits.
    const { key, wallet } = await service.newKey({ policy: { maxChargePerRequest: "70" } });
    const refused = await askHosted(service, "responses", { key, stream });
    const { error } = await refused.json();
    assertEquals([refused.status, error.code], [403, "policy_denied"]);
    assertStringIncludes(error.message, "70.000000");
    assertEquals(native.requests.length, 0);

    native.say({ raw: rawAnswer(2, stream) });
    const more = { max_tool_calls: 2 };
    const { metadata } = await passedOn(
      await askHosted(service, "responses", { key, stream, more }),
    );
    assertEquals(native.last.body["max_tool_calls"], 2);
    const charged = TOKENS_MICROS + 2n * NATIVE_SEARCH_MICROS;
    assertEquals(metadata.billing?.charged, formatCredits(charged));
    const { spent } = await service.wallet(wallet);
    assert(spent === charged && spent <= 70_000_000n);
    await service.assertBooks();
  });
}

Deno.test("an upstream that searches more than it may is paid no more than was held", async () => {
  await using native = new NativeResponses();
  await using service = await TestService.start({ config: nativeConfig(native.baseUrl) });
  native.say({ raw: rawAnswer(5, false) });
  const more = { max_tool_calls: 1, max_output_tokens: 16 };
  const { metadata } = await passedOn(await askHosted(service, "responses", { more }));
  const { spent } = await service.wallet();
  assert(spent < 2n * NATIVE_SEARCH_MICROS, `${spent}`);
  assertEquals(metadata.billing?.charged, formatCredits(spent));
  await service.assertBooks();
});

Deno.test("a wallet that cannot pay for an upstream's searches has the gateway's own", async () => {
  await using native = new NativeResponses();
  await using lab = await chatBeside(native.baseUrl);
  const { key } = await lab.service.newKey({ credits: "20" });
  lab.chat.answer(saying("Tides turn."));
  // What is short of the eight searches is not waited for twice.
  const { model } = await responseOf(await askHosted(lab.service, "responses", { key }));
  assertEquals([model, native.requests.length], ["chat", 0]);
  await lab.service.assertBooks();
});

Deno.test("file search never leaves the gateway, and chat is run by it too", async () => {
  await using upstream = new FakeUpstream();
  const config = {
    ...nativeConfig(upstream.baseUrl),
    search: { kind: "offline" },
  };
  await using service = await TestService.start({ config });
  const store = await storeWith(service, { wallet: WALLET, text: "The gallery is closed." });
  const file = { type: "file_search", vector_store_ids: [store] };
  for (const [surface, tool] of [["responses", file], ["chat", file], ["chat", WEB]] as const) {
    upstream.answer(saying("Closed."));
    const answer = await askHosted(service, surface, { more: { tools: [tool] } });
    if (surface === "chat") await completionOf(answer);
    else await responseOf(answer);
    assert(upstream.last.target.endsWith("/chat/completions"), upstream.last.target);
    const { tools, stream } = JSON.parse(upstream.last.text);
    assertEquals(tools.map(({ type }: Fields) => type), ["function"]);
    assertEquals(stream, true);
    assert(!upstream.last.text.includes(store));
  }
  await service.assertBooks();
});

Deno.test("without a search server an upstream's own serves responses, and chat is refused", async () => {
  await using native = new NativeResponses();
  await using service = await TestService.start({ config: nativeConfig(native.baseUrl) });
  for (const surface of SURFACES) {
    native.say({ raw: rawAnswer(1, false) });
    const answer = await askHosted(service, surface);
    const { error } = await answer.json();
    const refused = surface === "chat" ? [400, "unsupported_tool"] : [200, undefined];
    assertEquals([answer.status, error?.code], refused);
  }
});

Deno.test("an upstream's failed answer is not a search: the gateway runs its own", async () => {
  await using broken = new FakeUpstream();
  broken.otherwise(json({ error: { message: "Out of order" } }, { status: 500 }));
  await using lab = await chatBeside(broken.baseUrl);
  lab.chat.answer(saying("Tides turn."));
  const { metadata, model } = await responseOf(await askHosted(lab.service, "responses"));
  assertEquals(model, "chat");
  assertEquals(metadata.routing?.attempts.map(({ outcome }) => outcome), ["server_error", "ok"]);
  await lab.service.assertBooks();
});

/** A model with searches of its own, and a worse one without. */
async function chatBeside(nativeUrl: string) {
  const chat = new FakeUpstream();
  const config = {
    ...labConfig(
      { id: "native", baseUrl: nativeUrl, upstream: { kind: "openai" }, quality: 0.95 },
      { id: "chat", baseUrl: chat.baseUrl, quality: 0.1 },
    ),
    search: { kind: "offline" },
  };
  const service = await TestService.start({ config });
  return {
    chat,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await chat[Symbol.asyncDispose]();
    },
  };
}
