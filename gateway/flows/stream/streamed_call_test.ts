import { assert, assertEquals, assertGreaterOrEqual, assertLess, assertMatch } from "@std/assert";
import type { SettleCommand } from "../../domain/ledger/ledger.ts";
import { freezePrice, outputTokensFor } from "../../domain/ledger/pricing.ts";
import type { LateText } from "../../ports/token_counter.ts";
import type { AnswerEnd } from "../../wire/answer_relay.ts";
import { ChatRelay } from "../../wire/chat/relay.ts";
import type { BegunCall } from "../call/attempt.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { RequestBill } from "../request/request_bill.ts";
import { EventBatcher } from "./event_batcher.ts";
import type { OpenedStream } from "./opened_stream.ts";
import { type StreamDeps, StreamedCall } from "./streamed_call.ts";

/** Resolves when sent events have arrived. */
const arrived = () => new Promise((resolve) => setTimeout(resolve));

const chunk = (content: string, usage?: unknown) =>
  JSON.stringify({
    id: "c",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }],
    ...usage === undefined ? {} : { usage },
  });

/** Notes of a request that these tests do not read. */
const IGNORED_NOTES = { noteContent: () => {}, noteOutcome: () => {} };

/** A call whose upstream sends these events, with a record of its settlement. */
function callOf(events: readonly string[], onDisconnect: "cancel" | "drain" = "cancel") {
  const settled: SettleCommand[] = [];
  const counted: number[] = [];
  const warnings: string[] = [];
  const price = freezePrice(
    { inputPerMTok: "1", outputPerMTok: "2", currency: "USD" },
    "1000",
    { version: 1 },
  );
  const deps = {
    clock: { nowMs: () => 1, monotonicMs: () => 1 },
    admission: { spent: () => {} },
    inFlight: { watch: () => () => {} },
    checkpoints: new Checkpoints(),
    ledger: {
      settle: (command: SettleCommand) => Promise.resolve({ ok: settled.push(command) > 0 }),
    },
    log: { append: () => Promise.resolve() },
    logger: { warn: (event: string) => warnings.push(event) },
    ...{ signatures: { remember: () => {} }, settlementRetries: { settleEarlier: () => {} } },
    tokens: {
      count(text: string | LateText) {
        const made = typeof text === "string" ? text : text.text();
        counted.push(made.length);
        // A word is a token.
        return Promise.resolve(made.split(" ").length - 1);
      },
    },
  };
  async function* batches() {
    for (const event of events) yield [event];
  }
  const held = 1_000_000n;
  const relay = new ChatRelay("auto", { maxTokens: price && outputTokensFor(held, price) });
  const begunCall = {
    hold: { id: "hold_1", held, price, outputTokens: 500 },
    lease: { release: () => {}, report: () => {} },
    abort: new AbortController(),
    candidate: {
      model: { id: "m", contextTokens: 1_000 },
      upstream: { id: "u", onDisconnect },
      outputTokens: 10,
      mediaInputTokens: 0,
      imageInputTokens: 0,
    },
    answer: { events: new EventBatcher(batches()), relay, first: relay.accept(chunk(" first")) },
  };
  const identity = { stream: true, key: { id: "key_1" }, endpoint: "chat" };
  const active = {
    ...{ identity, key: identity.key, bill: new RequestBill() },
    ...{ report: { lastAttemptMs: 0 }, record: () => ({}), ...IGNORED_NOTES },
  };
  const call = new StreamedCall(deps as unknown as StreamDeps, {
    active: active as unknown as ActiveRequest,
    begunCall: begunCall as unknown as BegunCall<OpenedStream>,
    inputText: () => " question",
    endsRequest: true,
  });
  return { call, settled, relay, counted, begunCall, warnings };
}

async function takeNext(call: StreamedCall): Promise<void> {
  (await call.next())?.();
}

Deno.test("events that were not taken before the caller disconnected are not delivered", async () => {
  const { call, settled } = callOf([chunk(" second"), chunk(" third")]);
  await takeNext(call);
  await takeNext(call);
  const overtaken = await call.next();
  await call.leave();
  assertEquals(overtaken?.(), "");
  assertEquals(settled.map(({ outputTokens, estimated }) => [outputTokens, estimated]), [[
    2,
    true,
  ]]);
});

Deno.test("an answer of which nothing was taken costs nothing", async () => {
  for (const waits of [false, true]) {
    const { call, settled } = callOf([chunk(" second")]);
    if (waits) await call.next();
    await call.leave();
    assertEquals(settled.map(({ cost, estimated }) => [cost, estimated]), [[0n, false]]);
  }
});

for (const onDisconnect of ["cancel", "drain"] as const) {
  Deno.test(`usage that has come counts, taken or not: ${onDisconnect}`, async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 3 };
    const { call, settled } = callOf([chunk(" second", usage)], onDisconnect);
    await takeNext(call);
    await call.next();
    await call.leave();
    assertEquals(settled.map(({ cost, estimated }) => [cost, estimated]), [[13_000n, false]]);
  });

  Deno.test(`usage that has arrived counts, read or not: ${onDisconnect}`, async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 3 };
    const { call, settled } = callOf([chunk(" second"), chunk(" third", usage)], onDisconnect);
    await takeNext(call);
    await takeNext(call);
    await arrived();
    await call.leave();
    assertEquals(settled.map(({ cost, estimated }) => [cost, estimated]), [[13_000n, false]]);
  });
}

Deno.test("a stream that passes its held tokens is ended, and counted", async () => {
  // The hold pays for 500 tokens of output.
  const chunks = Array.from({ length: 100 }, () => chunk(" word".repeat(50)));
  const { call, settled, relay, begunCall, warnings } = callOf(chunks);
  await takeNext(call);
  for (let taken = await call.next(); taken !== undefined; taken = await call.next()) taken();
  assert(begunCall.abort.signal.aborted);
  const words = relay.delivered.join("").split(" word").length - 1;
  assertGreaterOrEqual(words, 500);
  assertLess(words, 600);
  await call.finish();
  const [{ cost, outputTokens, estimated } = { cost: 0n, outputTokens: 0, estimated: false }] =
    settled;
  // " first" came before the words.
  assertEquals([settled.length, outputTokens, estimated], [1, words + 1, true]);
  assertGreaterOrEqual(cost, 1_000_000n);
  assertEquals(warnings, ["output_limit_passed"]);
  const end = { metadata: {}, usage: {}, completedSeconds: 1 } as unknown as AnswerEnd;
  assertMatch([...relay.completed(end)].join(""), /"finish_reason":"length"/);
});

Deno.test("a stream within its held tokens is not ended, and one with its finish reason ends normally", async () => {
  const finish = JSON.stringify({
    ...{ id: "c", created: 1, model: "m" },
    choices: [{ index: 0, delta: {}, finish_reason: "length" }],
  });
  const finished = JSON.stringify({
    ...{ id: "c", created: 1, model: "m" },
    choices: [{ index: 0, delta: { content: " word".repeat(5_000) }, finish_reason: "stop" }],
  });
  for (const events of [[chunk(" word".repeat(499)), finish], [finished]]) {
    const { call, begunCall, warnings } = callOf(events);
    await takeNext(call);
    for (let taken = await call.next(); taken !== undefined; taken = await call.next()) taken();
    assertEquals([begunCall.abort.signal.aborted, warnings], [false, []]);
    await call.leave();
  }
});

Deno.test("events after the caller disconnected are not stored", async () => {
  const { call, relay } = callOf([chunk(" second"), chunk(" third"), chunk(" fourth")], "drain");
  await takeNext(call);
  await takeNext(call);
  const sent = relay.deliveredChars;
  await call.leave();
  assertEquals([relay.deliveredChars, relay.delivered.join("")], [sent, " first second"]);
});
