/**
 * Upstreams that are to be read to the end after the caller has left: every such reading ends, and its
 * hold with it.
 *
 * @module
 */

import { assert, assertEquals, assertGreater } from "@std/assert";
import { leaveAfter } from "../fixtures/event_stream.ts";
import {
  chunk,
  FakeUpstream,
  LAST_CHUNK,
  type Script,
  type Step,
  streamHead,
} from "../fixtures/fake_upstream.ts";
import {
  askHosted,
  calls,
  type HostedLab,
  hostedLab,
  SURFACES,
  TURN_MICROS,
} from "../fixtures/hosted_lab.ts";
import { chunkText, INPUT_MICROS, labConfig, QUESTION } from "../fixtures/lab.ts";
import { postResponse } from "../fixtures/responses_calls.ts";
import { TestService, until } from "../fixtures/service.ts";

const DRAIN = { onDisconnect: "drain" } as const;
const STALL: Step = { stall: true };
/** Output that the caller allows, in tokens. */
const LIMIT = 16;
/** Input that a turn of the hosted lab reports, in tokens. */
const REPORTED_INPUT = 20;
/** Far more events than so many tokens can come in. */
const ENDLESS = 1_000;

const event = (text: string) => chunk(`data: ${text}\n\n`);
const word = event(chunkText({ content: "word " }));
const BEGINNING = [
  streamHead(),
  event(chunkText({ role: "assistant", content: "" })),
  event(chunkText({ content: "Hello " })),
];

/** A service before one model whose upstream is to be drained. */
async function drainedLab(kind = "openai-compatible") {
  const upstream = new FakeUpstream();
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl, upstream: { ...DRAIN, kind } });
  const service = await TestService.start({ config });
  return {
    upstream,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** Resolves when the service knows that the caller has left: no call takes a place any more. */
async function noticed({ service }: { readonly service: TestService }): Promise<void> {
  await until(async () => {
    const { models } = await service.admin("GET", "/models");
    assert(Array.isArray(models));
    return models.every(({ inFlight }) => inFlight === 0);
  }, "the service to notice that the caller left");
}

/** Asks for a stream and leaves it after a word; the rest comes once that was noticed. */
async function leaveChat(
  { service, upstream }: Awaited<ReturnType<typeof drainedLab>>,
  rest: Script,
): Promise<void> {
  const gate = Promise.withResolvers<void>();
  upstream.answer([...BEGINNING, { until: gate.promise }, ...rest]);
  const body = { messages: QUESTION, stream: true, max_tokens: LIMIT };
  try {
    await leaveAfter("Hello", (signal) => service.chat(body, { signal }));
    await noticed({ service });
  } finally {
    gate.resolve();
  }
}

/** Checks that the request ended as one whose caller left; what was billed, in tokens of output. */
async function assertLeft(service: TestService, isEstimated: boolean): Promise<number> {
  const record = await service.lastRequest();
  assertEquals([record.outcome, record.estimated], ["client_left", isEstimated]);
  await service.assertBooks();
  return record.outputTokens;
}

Deno.test("an endless drain is left once it is far beyond what its hold pays for", async () => {
  await using lab = await drainedLab();
  await leaveChat(lab, [...Array<Step>(ENDLESS).fill(word), STALL]);
  await lab.upstream.clientLeft();
  assertGreater(await assertLeft(lab.service, true), 0);
});

Deno.test("an endless drain of a native stream of responses is left as well", async () => {
  await using lab = await drainedLab("openai");
  const response = { id: "resp_1", object: "response", status: "in_progress", output: [] };
  const head = { type: "response.created", sequence_number: 0, response };
  const deltas = Array.from({ length: ENDLESS }, (_, at) => ({
    type: "response.output_text.delta",
    item_id: "msg_1",
    output_index: 0,
    content_index: 0,
    delta: "word ",
    sequence_number: at + 1,
  }));
  const [created, first, ...rest] = [head, ...deltas].map((each) => event(JSON.stringify(each)));
  assert(created !== undefined && first !== undefined);
  // The rest in one read would pass the limit before the service notices that the caller left.
  const gate = Promise.withResolvers<void>();
  lab.upstream.answer([streamHead(), created, first, { until: gate.promise }, ...rest, STALL]);
  const body = { input: "Hi", stream: true, max_output_tokens: LIMIT };
  try {
    await leaveAfter("word", (signal) => postResponse(lab.service, body, { signal }));
    await noticed(lab);
  } finally {
    gate.resolve();
  }
  await lab.upstream.clientLeft();
  assertGreater(await assertLeft(lab.service, true), 0);
});

Deno.test("the service ends during a drain: it is left at once", async () => {
  await using lab = await drainedLab();
  await leaveChat(lab, [STALL]);
  const { gateway, stores } = lab.service.running;
  assertEquals((await stores.ledger.openHolds()).length, 1);
  gateway.inFlight.abortAll();
  await lab.upstream.clientLeft();
  assertGreater(await assertLeft(lab.service, true), 0);
});

/** Leaves a call for one JSON body, and waits until that must have been noticed. */
async function leaveJson({ service, upstream }: Awaited<ReturnType<typeof drainedLab>>) {
  const body = { messages: QUESTION, max_tokens: LIMIT };
  await leaveUnread(upstream, (signal) => service.chat(body, { signal }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  assertEquals((await service.running.stores.ledger.openHolds()).length, 1);
}

Deno.test("the service ends during a JSON call that was left: it costs nothing", async () => {
  await using lab = await drainedLab();
  lab.upstream.answer([STALL]);
  await leaveJson(lab);
  lab.service.running.gateway.inFlight.abortAll();
  await lab.upstream.clientLeft();
  assertEquals(await assertLeft(lab.service, false), 0);
  assertEquals((await lab.service.wallet()).spent, 0n);
});

/** Begins a hosted answer whose first turn has come as far as a word, and leaves it. */
async function leaveHosted(
  { service, model }: HostedLab,
  how: { surface: typeof SURFACES[number]; stream: boolean; rest: Script },
): Promise<void> {
  const gate = Promise.withResolvers<void>();
  const { surface, stream, rest } = how;
  model.answer([...BEGINNING, { until: gate.promise }, ...rest]);
  const ask = (signal: AbortSignal) =>
    askHosted(service, surface, {
      stream,
      signal,
      more: { [surface === "chat" ? "max_tokens" : "max_output_tokens"]: LIMIT },
    });
  try {
    if (stream) await leaveAfter("Hello", ask);
    else await leaveUnread(model, ask);
    await noticed({ service });
  } finally {
    gate.resolve();
  }
}

/** Leaves a call whose answer has begun, for all that its caller knows it has not. */
async function leaveUnread(
  model: FakeUpstream,
  ask: (signal: AbortSignal) => Promise<Response>,
): Promise<void> {
  const leaving = new AbortController();
  const pending = ask(leaving.signal);
  await until(() => model.requests.length === 1, "the call to reach the upstream");
  await new Promise((resolve) => setTimeout(resolve, 50));
  leaving.abort();
  await pending.catch(() => {});
}

for (const surface of SURFACES) {
  for (const stream of [true, false]) {
    const how = `${surface}, ${stream ? "streamed" : "as one body"}`;

    Deno.test(`a drained turn of hosted tools is billed, its searches are not run: ${how}`, async () => {
      await using lab = await hostedLab({ more: { upstream: DRAIN } });
      const made = calls({ name: "web_search", input: { query: "tides" } }).slice(1).map(event);
      const rest = [...made, event("[DONE]"), LAST_CHUNK];
      await leaveHosted(lab, { surface, stream, rest });
      // Of a caller who had a part of it, the input that was counted is more than what is reported.
      await assertLeft(lab.service, stream);
      const { inputTokens } = await lab.service.lastRequest();
      assertEquals(inputTokens > REPORTED_INPUT, stream);
      const more = BigInt(inputTokens - REPORTED_INPUT) * INPUT_MICROS;
      assertEquals((await lab.service.wallet()).spent, TURN_MICROS + more);
      assertEquals([lab.model.requests.length, lab.search.requests.length], [1, 0]);
    });

    Deno.test(`an endless turn of hosted tools is left: ${how}`, async () => {
      await using lab = await hostedLab({ more: { upstream: DRAIN } });
      const rest = [...Array<Step>(ENDLESS).fill(word), STALL];
      await leaveHosted(lab, { surface, stream, rest });
      await lab.model.clientLeft();
      assertEquals(await assertLeft(lab.service, stream) > 0, stream);
    });

    Deno.test(`the service ends during a drained turn of hosted tools: ${how}`, async () => {
      await using lab = await hostedLab({ more: { upstream: DRAIN } });
      await leaveHosted(lab, { surface, stream, rest: [STALL] });
      lab.service.running.gateway.inFlight.abortAll();
      await lab.model.clientLeft();
      assertEquals(await assertLeft(lab.service, stream) > 0, stream);
    });
  }
}
