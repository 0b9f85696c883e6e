import { assert, assertEquals, assertFalse, assertRejects, assertStrictEquals } from "@std/assert";
import { type LogDetails, ServiceAPIError } from "./mod.ts";
import { json, MESSAGES, type Reply, scripted } from "./scripted_service_test.ts";

const SOON = { "retry-after": "0" };
const busy = (status: number): Reply =>
  json({ error: { message: "Busy" } }, { status, headers: SOON });
const good = json({ choices: [], id: "good" });

/** A call over this script, how many requests it took, and what was logged. */
function calling(replies: readonly Reply[], maxRetries: number) {
  const log: (readonly [level: string, event: string, details: LogDetails])[] = [];
  const logger = {
    debug: (event: string, details: LogDetails) => void log.push(["debug", event, details]),
    warn: (event: string, details: LogDetails) => void log.push(["warn", event, details]),
  };
  const { client, sent } = scripted(replies, { maxRetries, logger });
  return {
    log,
    sent,
    create: () => client.chat.completions.create({ messages: MESSAGES }),
    client,
  };
}

Deno.test("a call is tried again where it may help, as often as was allowed", async () => {
  const { create, log, sent } = calling([busy(429), busy(500), busy(503), good], 3);
  assertEquals((await create()).id, "good");
  assertEquals(new Set(sent.map(({ text }) => text)).size, 1);
  assertEquals(log.map(([level, event, { status, tries }]) => [level, event, tries, status]), [
    ...[["debug", "request", 1, undefined], ["debug", "answer", 1, 429], ["warn", "retry", 1, 429]],
    ...[["debug", "request", 2, undefined], ["debug", "answer", 2, 500], ["warn", "retry", 2, 500]],
    ...[["debug", "request", 3, undefined], ["debug", "answer", 3, 503], ["warn", "retry", 3, 503]],
    ...[["debug", "request", 4, undefined], ["debug", "answer", 4, 200]],
  ]);
  assertEquals(log.map(([, , { path }]) => path)[0], "/chat/completions");
});

Deno.test("a call is tried again where the answer before cannot be let go of", async () => {
  const body = () => new ReadableStream({ cancel: () => new Promise(() => {}) });
  const held: Reply = () => new Response(body(), { status: 503, headers: SOON });
  const { create, sent } = calling([held, good], 1);
  assertEquals((await create()).id, "good");
  assertEquals(sent.length, 2);
});

Deno.test("a call has no time to wait for longer than its own limit", async () => {
  const headers = { "retry-after": "30" };
  const { client, sent } = calling([json({}, { status: 503, headers }), good], 5);
  const call = client.chat.completions.create({ messages: MESSAGES }, { timeoutMs: 20_000 });
  await assertRejects(() => call, ServiceAPIError);
  assertEquals(sent.length, 1);
});

Deno.test("the body of an answer that is not used is let go, also where it is broken", async () => {
  let isCancelled = false;
  const open: Reply = () => {
    const body = new ReadableStream({
      cancel: () => {
        isCancelled = true;
        throw new TypeError("broken already");
      },
    });
    return new Response(body, { status: 503, headers: SOON });
  };
  assertFalse(isCancelled);
  assertEquals((await calling([open, good], 1).create()).id, "good");
  assert(isCancelled);
});

Deno.test("a signal ends the wait for the next try with its own reason", async () => {
  const controller = new AbortController();
  const reason = new Error("Not wanted any more");
  const headers = { "retry-after": "60" };
  const logger = { debug: () => {}, warn: () => controller.abort(reason) };
  const { client, sent } = scripted(json({}, { status: 503, headers }), { maxRetries: 1, logger });
  const { signal } = controller;
  const error = await assertRejects(() =>
    client.chat.completions.create({ messages: MESSAGES }, { signal })
  );
  assertStrictEquals(error, reason);
  assertEquals(sent.length, 1);
});

const BROKEN: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error("The disk is full");
  },
  // No code awaits a logger's result.
  rejects: () => Promise.reject(new Error("The disk is full")),
};

for (const [how, log] of Object.entries(BROKEN)) {
  Deno.test(`a logger that ${how} changes nothing of a call`, async () => {
    const logger = { debug: log, warn: log };
    const busy = json({}, { status: 503, headers: { "retry-after": "0" } });
    const answer = json({ tiers: [] });
    const { client, sent } = scripted([busy, answer], { maxRetries: 1, logger });
    await client.pricing.retrieve();
    assertEquals(sent.length, 2);

    const refused = scripted(json({ error: { message: "No" } }, { status: 402 }), { logger });
    await assertRejects(() => refused.client.pricing.retrieve(), ServiceAPIError, "No");
  });
}
