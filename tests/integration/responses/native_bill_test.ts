/**
 * Usage reports of an upstream that speaks Responses itself: which are accepted, and which answers are
 * valid.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { FakeUpstream } from "../../fixtures/fake_upstream.ts";
import { INPUT_MICROS, OUTPUT_MICROS } from "../../fixtures/lab.ts";
import { answered, postResponse } from "../../fixtures/responses_calls.ts";
import { twoRoutes } from "../../fixtures/two_routes.ts";
import {
  assertEventRules,
  readResponseEvents,
} from "../../conformance/open_responses/event_rules.ts";

type Fields = Readonly<Record<string, unknown>>;

const TEXT = "word ".repeat(200).trim();
const content = [{ type: "output_text", text: TEXT, annotations: [], logprobs: [] }];
const ITEM = { type: "message", id: "msg_u1", role: "assistant", status: "completed", content };
const WHOLE = { id: "resp_u1", object: "response", status: "completed", output: [ITEM] };
const USAGE = { input_tokens: 60, output_tokens: 50, total_tokens: 110 };

const created = {
  type: "response.created",
  response: { ...WHOLE, status: "in_progress", output: [] },
};
const done = { type: "response.output_item.done", output_index: 0, item: ITEM };

function events(...list: readonly Fields[]): string {
  return list.map((event, at) => `data: ${JSON.stringify({ sequence_number: at, ...event })}\n\n`)
    .join("");
}

Deno.test("the same text without usage costs the same, whole and streamed without deltas", async () => {
  const raws: readonly (readonly [boolean, string])[] = [
    [false, JSON.stringify(WHOLE)],
    [true, events(created, done, { type: "response.completed", response: WHOLE })],
    [true, events(created, { type: "response.completed", response: WHOLE })],
    // Cut, but all of the text had gone out.
    [true, events(created, done)],
  ];
  const spent: bigint[] = [];
  for (const [stream, raw] of raws) {
    await using routes = await twoRoutes("native", new FakeUpstream());
    const { service, native } = routes;
    native.say({ raw });
    const text = await (await postResponse(service, { input: "Hi", stream })).text();
    assert(text.includes(TEXT));
    await service.quiet();
    spent.push((await service.wallet()).spent);
    assertEquals((await service.lastRequest()).estimated, true);
    await service.assertBooks();
  }
  assert((spent[0] ?? 0n) > 100n * OUTPUT_MICROS);
  assertEquals(new Set(spent).size, 1, `${spent}`);
});

Deno.test("usage that a failed response reports is what is charged", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native } = routes;
  native.say({ failAfter: 6, usage: USAGE });
  const response = await postResponse(service, { input: "Hi", stream: true });
  const failed = assertEventRules(await readResponseEvents(response), "response.failed");
  const { usage, metadata: { billing } } = failed;
  assertEquals([usage?.input_tokens, usage?.output_tokens], [60, 50]);
  assertEquals(billing?.estimated, false);
  assertEquals((await service.wallet()).spent, 60n * INPUT_MICROS + 50n * OUTPUT_MICROS);
  await service.assertBooks();
});

Deno.test("reported usage wins although a detail of it cannot be", async () => {
  for (const stream of [false, true]) {
    await using routes = await twoRoutes("native", new FakeUpstream());
    const { service, native } = routes;
    const input_tokens_details = { cached_tokens: 70 };
    native.say({ usage: { ...USAGE, total_tokens: 99, input_tokens_details } });
    const response = await postResponse(service, { input: "Hi", stream });
    const { usage, metadata: { billing } } = stream
      ? assertEventRules(await readResponseEvents(response))
      : await response.json();
    assertEquals([billing?.output_tokens, billing?.estimated], [50, false]);
    // The resource says what the bill says.
    assertEquals([usage?.input_tokens, usage?.input_tokens_details.cached_tokens], [60, 60]);
    assertEquals([usage?.output_tokens, usage?.total_tokens], [50, 110]);
    assert((await service.wallet()).spent >= 50n * OUTPUT_MICROS);
    await service.assertBooks();
  }
});

Deno.test("an incomplete native answer is not delivered and not charged", async () => {
  const wrong: readonly Fields[] = [
    ...["queued", "in_progress", "cancelled"].map((status) => ({ status, output: [] })),
    ...[7, "", null].map((id) => ({ id })),
    ...[[null], [5], [[]]].map((output) => ({ output })),
  ];
  for (const fields of wrong) {
    await using routes = await twoRoutes("native", new FakeUpstream());
    const { service, native } = routes;
    native.say({ raw: JSON.stringify({ ...WHOLE, usage: USAGE, ...fields }) });
    const { model, metadata } = await answered(service, { input: "Hi" });
    assertEquals(model, "chat", JSON.stringify(fields));
    assertEquals(metadata.routing?.attempts.map(({ outcome }) => outcome), ["malformed", "ok"]);
    const charged = BigInt((metadata.billing?.charged ?? "").replace(".", ""));
    assertEquals((await service.wallet()).spent, charged);
    await service.assertBooks();
  }
});
