import { assert, assertEquals, assertRejects } from "@std/assert";
import { ServiceFault } from "../../domain/fault.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import { faultOf } from "../request/fault_of.ts";
import type { ModelAnswer } from "../request/model_answer.ts";
import { SSE_KEEP_ALIVE } from "../../wire/sse.ts";
import { earlyFailure, startedInTime } from "./early_stream.ts";

/** A stream with this text, which notes its cancellation. */
function streamOf(text: string) {
  let wasCancelled = false;
  const bytes = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
    cancel() {
      wasCancelled = true;
    },
  }, { highWaterMark: 0 });
  return { answer: { kind: "stream", bytes } as const, wasCancelled: () => wasCancelled };
}

const CHAT = { endpoint: "chat", dialect: "service", requestId: "req_1" } as const;

/** Begins an answer whose planning takes long. */
async function slow(failed = (error: unknown) => earlyFailure(faultOf(error), CHAT)) {
  const { promise, resolve, reject } = Promise.withResolvers<ModelAnswer>();
  const events: string[] = [];
  const begin = (onPlanning: () => void) => {
    onPlanning();
    return promise;
  };
  const early = await startedInTime(begin, {
    onLeave: () => void events.push("events"),
    failed,
    silenceMs: 1,
  });
  assert(early.kind === "stream");
  return { bytes: early.bytes, resolve, reject, events };
}

/** Reads this many keep-alives. */
async function readSilence(bytes: ReadableStream<Uint8Array>, times: number) {
  const reader = bytes.getReader();
  for (let time = 0; time < times; time++) {
    const { value } = await reader.read();
    assertEquals(new TextDecoder().decode(value), SSE_KEEP_ALIVE);
  }
  reader.releaseLock();
}

/** Returns the text at the end, without keep-alives. */
async function restOf(bytes: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of bytes) text += new TextDecoder().decode(piece);
  return text.replaceAll(SSE_KEEP_ALIVE, "");
}

Deno.test("an answer that begins in time is passed on unchanged, and a failure is thrown", async () => {
  const options = { onLeave: () => {}, failed: () => "" };
  const { answer } = streamOf("hello");
  const begin = (onPlanning: () => void) => {
    onPlanning();
    return Promise.resolve(answer);
  };
  assertEquals(await startedInTime(begin, options), answer);
  const fault = new ServiceFault("rate_limit_exceeded");
  await assertRejects(() => startedInTime(() => Promise.reject(fault), options), ServiceFault);
  await answer.bytes.cancel();
});

Deno.test("an answer without planning keeps its status, however long it takes", async () => {
  const { promise, reject } = Promise.withResolvers<ModelAnswer>();
  const options = { onLeave: () => {}, failed: () => "", silenceMs: 1 };
  setTimeout(() => reject(new ServiceFault("upstream_timeout")), 20);
  await assertRejects(() => startedInTime(() => promise, options), ServiceFault);
});

Deno.test("a stream with long planning is kept alive until it begins", async () => {
  const { bytes, resolve, events } = await slow();
  await readSilence(bytes, 3);
  resolve(streamOf("data: x\n\n").answer);
  const rest = await restOf(bytes);
  assertEquals([rest, events], ["data: x\n\n", []]);
});

Deno.test("a later failure is reported in an event, without a clean end", async () => {
  const { bytes, reject } = await slow();
  await readSilence(bytes, 1);
  reject(new ServiceFault("insufficient_balance", { extra: { metadata: { billing: 1 } } }));
  const text = await restOf(bytes);
  const { error, choices, metadata } = JSON.parse(text.slice("data: ".length));
  assertEquals([error.code, choices, metadata.billing], ["insufficient_balance", [], 1]);
  const fault = new ServiceFault("upstream_error");
  const event = JSON.parse(
    earlyFailure(fault, { ...CHAT, endpoint: "responses" }).slice("data: ".length),
  );
  assertEquals([event.type, event.code, event.sequence_number], ["error", "upstream_error", 0]);
});

Deno.test("a disconnect during planning ends it, and a later answer is not read", async () => {
  const errors: unknown[] = [];
  const { bytes, reject, events } = await slow((error) => `${errors.push(error)}`);
  await readSilence(bytes, 1);
  const reader = bytes.getReader();
  const reading = reader.read();
  const leaving = reader.cancel();
  reject(new CallerDisconnected("gone"));
  await Promise.all([reading, leaving]);
  assertEquals([events, errors], [["events"], []]);
  const late = await slow();
  await readSilence(late.bytes, 1);
  const { answer, wasCancelled } = streamOf("data: x\n\n");
  const last = late.bytes.getReader();
  const pending = last.read();
  const cancelled = last.cancel();
  late.resolve(answer);
  await Promise.all([pending, cancelled]);
  assert(wasCancelled());
});

Deno.test("a disconnect after it began ends the answer itself", async () => {
  const { bytes, resolve, events } = await slow();
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1)),
    cancel: () => void events.push("cancelled"),
  });
  resolve({ kind: "stream", bytes: endless });
  const reader = bytes.getReader();
  while ((await reader.read()).value?.length !== 1);
  await reader.cancel();
  assertEquals(events, ["cancelled"]);
});
