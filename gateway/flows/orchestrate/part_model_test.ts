import { InFlight } from "../admit/in_flight.ts";
import { assertEquals, assertRejects } from "@std/assert";
import type { SettleCommand } from "../../domain/ledger/ledger.ts";
import { freezePrice } from "../../domain/ledger/pricing.ts";
import type { LateText } from "../../ports/token_counter.ts";
import { PartRelay } from "../../wire/chat/part_relay.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import { Checkpoints } from "../stream/checkpoints.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { RequestBill } from "../request/request_bill.ts";
import type { StreamDeps } from "../stream/streamed_call.ts";
import { type PartBegun, PartModel } from "./part_model.ts";

const CONVERSATION = { text: "{}", value: { messages: [{ role: "user", content: "question" }] } };

function chunk(content: string): string {
  return JSON.stringify({ choices: [{ index: 0, delta: { content } }] });
}

/** A part whose upstream is drained and sends three words, with a record of its settlement. */
function drainedPart() {
  const settled: bigint[] = [];
  const deps = {
    clock: { nowMs: () => 1, monotonicMs: () => 1 },
    admission: { spent: () => {} },
    inFlight: new InFlight(),
    checkpoints: new Checkpoints(),
    logger: { error: () => {} },
    ledger: {
      settle: ({ cost }: SettleCommand) => Promise.resolve({ ok: settled.push(cost) > 0 }),
    },
    signatures: { remember: () => {} },
    // A text is one token.
    tokens: {
      count: (text: string | LateText) =>
        Promise.resolve((typeof text === "string" ? text : text.text()) === "" ? 0 : 1),
    },
  } as unknown as StreamDeps;
  const identity = { stream: true, key: { id: "key_1" }, endpoint: "chat" };
  const active = {
    ...{ identity, key: identity.key, bill: new RequestBill() },
    ...{ report: { lastAttemptMs: 0 }, killedRow: () => ({}), noteContent: () => {} },
  };
  async function* events() {
    yield [chunk("second")];
    yield [chunk("third")];
  }
  const relay = new PartRelay();
  const price = freezePrice(
    { inputPerMTok: "1", outputPerMTok: "2", currency: "USD" },
    "1000",
    { version: 1 },
  );
  const begunCall = {
    hold: { id: "hold_1", held: 1_000_000n, price, outputTokens: 500 },
    lease: { release: () => {}, report: () => {} },
    abort: new AbortController(),
    candidate: {
      model: { contextTokens: 1_000 },
      upstream: { onDisconnect: "drain" },
      mediaInputTokens: 0,
      imageInputTokens: 0,
    },
    answer: { events: events(), relay, first: relay.accept(chunk("first")) },
  } as unknown as PartBegun;
  const { promise, resolve } = Promise.withResolvers<PartBegun>();
  const model = new PartModel(deps, {
    active: active as unknown as ActiveRequest,
    begin: () => promise,
  });
  return { model, settled, begin: () => resolve(begunCall) };
}

Deno.test("a part that begins after its caller disconnected delivers nothing and costs nothing", async () => {
  const { model, settled, begin } = drainedPart();
  const leaving = new AbortController();
  const events = Array.fromAsync(
    model.turn({ conversation: CONVERSATION, step: 0, signal: leaving.signal }),
  );
  leaving.abort("left");
  begin();
  await assertRejects(() => events, CallerDisconnected);
  await model.leave();
  assertEquals(settled, [0n]);
});

Deno.test("a part whose caller stays connected runs to its end and is charged", async () => {
  const { model, settled, begin } = drainedPart();
  begin();
  const { signal } = new AbortController();
  const events = await Array.fromAsync(
    model.turn({ conversation: CONVERSATION, step: 0, signal }),
  );
  assertEquals(events.at(-1), { type: "finish", finishReason: "stop", turn: "firstsecondthird" });
  assertEquals(settled, [3_000n]);
});
