/**
 * While an answer streams, what was delivered of it is made durable, whatever the surface; its bill
 * is what it always was.
 *
 * @module
 */

import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import type { Hold } from "../../gateway/domain/ledger/ledger.ts";
import { CHECKPOINT_MS } from "../../gateway/flows/stream/call_progress.ts";
import { readUntil } from "../fixtures/event_stream.ts";
import {
  chunk,
  FakeUpstream,
  json,
  LAST_CHUNK,
  type Step,
  streamHead,
} from "../fixtures/fake_upstream.ts";
import { askHosted, calling, hostedLab, searchFor, SURFACES } from "../fixtures/hosted_lab.ts";
import {
  chunkText,
  completion,
  INPUT_MICROS,
  labConfig,
  OUTPUT_MICROS,
  QUESTION,
  usage,
  usageChunk,
} from "../fixtures/lab.ts";
import { postResponse } from "../fixtures/responses_calls.ts";
import { ManualClock, TestService, until } from "../fixtures/service.ts";

const WORDS = ["one ", "two ", "three ", "four ", "five "];
/** Charge of the usage that every answer reports at its end. */
const CALL_MICROS = 10n * INPUT_MICROS + 5n * OUTPUT_MICROS;

const event = (text: string) => chunk(`data: ${text}\n\n`);

/** A chat answer that waits after its words. */
function waiting(gate: Promise<void>): Step[] {
  return [
    streamHead(),
    event(chunkText({ role: "assistant", content: "" })),
    ...WORDS.map((content) => event(chunkText({ content }))),
    { until: gate },
    event(chunkText({}, "stop")),
    event(usageChunk(usage(10, 5))),
    event("[DONE]"),
    LAST_CHUNK,
  ];
}

/** The same from an upstream that speaks Responses. */
function waitingNative(gate: Promise<void>): Step[] {
  let sequence_number = 0;
  const eventText = (type: string, fields: object) =>
    event(JSON.stringify({ type, sequence_number: sequence_number++, ...fields }));
  const content = [{ type: "output_text", text: WORDS.join(""), annotations: [] }];
  const item = { id: "msg_1", type: "message", role: "assistant", status: "completed", content };
  const response = { id: "resp_1", object: "response", model: "real-only", output: [item] };
  const counts = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  return [
    streamHead(),
    eventText("response.created", { response: { ...response, status: "in_progress", output: [] } }),
    ...WORDS.map((delta) => eventText("response.output_text.delta", { item_id: "msg_1", delta })),
    { until: gate },
    eventText("response.completed", {
      response: { ...response, status: "completed", usage: counts },
    }),
    LAST_CHUNK,
  ];
}

/** The one hold that is open, once progress was made durable. */
async function progressed(service: TestService, clock: ManualClock): Promise<Hold> {
  clock.advance(CHECKPOINT_MS);
  const { ledger } = service.running.stores;
  let open: readonly Hold[] = [];
  await until(async () => {
    open = await ledger.openHolds();
    return open[0]?.progress !== undefined;
  }, "progress to be durable");
  const [hold] = open;
  assert(hold !== undefined);
  return hold;
}

/** Asserts the checkpoint of a stream whose caller has read five words. */
function assertFiveWords({ progress, amount }: Hold): void {
  assert(progress !== undefined);
  const { cost, inputTokens, outputTokens } = progress;
  assertEquals(outputTokens, WORDS.length);
  assertEquals(cost, BigInt(inputTokens) * INPUT_MICROS + BigInt(outputTokens) * OUTPUT_MICROS);
  assertLessOrEqual(cost, amount);
}

async function assertBilled(service: TestService, micros: bigint): Promise<void> {
  await service.assertBooks();
  assertEquals((await service.wallet()).spent, micros);
  const { records } = await service.running.stores.log.search({ limit: 9 });
  assertEquals(records.map(({ outcome }) => outcome), ["ok"]);
  assertEquals(service.running.gateway.checkpoints.size, 0);
}

const ROUTES = [
  { name: "a chat stream", kind: "openai-compatible", surface: "chat", script: waiting },
  {
    name: "a translated response",
    kind: "openai-compatible",
    surface: "responses",
    script: waiting,
  },
  { name: "a native response", kind: "openai", surface: "responses", script: waitingNative },
] as const;

for (const { name, kind, surface, script } of ROUTES) {
  Deno.test(`${name} is written down while it streams`, async () => {
    await using upstream = new FakeUpstream();
    const gate = Promise.withResolvers<void>();
    upstream.answer(script(gate.promise));
    const clock = new ManualClock();
    const config = labConfig({ id: "only", baseUrl: upstream.baseUrl, upstream: { kind } });
    await using service = await TestService.start({ config, clock });
    const response = surface === "chat"
      ? await service.chat({ messages: QUESTION, stream: true })
      : await postResponse(service, { input: "Hi", stream: true });
    const reader = response.body?.getReader();
    assert(reader !== undefined);
    await readUntil(reader, "five ");
    assertFiveWords(await progressed(service, clock));
    gate.resolve();
    while (!(await reader.read()).done);
    await assertBilled(service, CALL_MICROS);
  });
}

for (const surface of SURFACES) {
  Deno.test(`a turn of hosted ${surface} is written down while it streams`, async () => {
    const clock = new ManualClock();
    await using lab = await hostedLab({ clock, pricePerSearch: "0" });
    const gate = Promise.withResolvers<void>();
    lab.model.answer(calling(searchFor("tides")), waiting(gate.promise));
    const response = await askHosted(lab.service, surface, { stream: true });
    const reader = response.body?.getReader();
    assert(reader !== undefined);
    await readUntil(reader, "five ");
    assertFiveWords(await progressed(lab.service, clock));
    gate.resolve();
    while (!(await reader.read()).done);
    const first = 20n * INPUT_MICROS + 4n * OUTPUT_MICROS;
    await assertBilled(lab.service, first + CALL_MICROS);
  });
}

Deno.test("an answer that is not streamed has no checkpoint", async () => {
  await using upstream = new FakeUpstream();
  const gate = Promise.withResolvers<void>();
  upstream.answer([{ until: gate.promise }, ...json(completion({ usage: usage(10, 5) }))]);
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
  await using service = await TestService.start({ config });
  const answer = service.chat({ messages: QUESTION });
  await until(() => upstream.requests.length === 1, "the call to reach the upstream");
  assertEquals(service.running.gateway.checkpoints.size, 0);
  gate.resolve();
  await (await answer).body?.cancel();
  await service.assertBooks();
});
