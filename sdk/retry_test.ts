import { assert, assertEquals, assertFalse, assertRejects, assertStrictEquals } from "@std/assert";
import { type LogDetails, ServiceAPIError, ServiceConnectionError } from "./mod.ts";
import { isTransient, retryWaitMs } from "./retry.ts";
import { all, cut, json, MESSAGES, type Reply, scripted } from "./scripted_service_test.ts";

const NOW_MS = Date.UTC(2026, 0, 31, 12);

/** The wait after so many tries, with this `Retry-After`. */
function waitMs(tries: number, after?: string, random = 0): number | undefined {
  const headers = new Headers(after === undefined ? {} : { "retry-after": after });
  return retryWaitMs({ tries, headers, random, nowMs: NOW_MS });
}

Deno.test("only 429 and 5xx may be better another time", () => {
  const statuses = [200, 302, 400, 401, 402, 403, 404, 408, 409, 422, 429, 500, 502, 503, 504, 529];
  assertEquals(statuses.filter(isTransient), [429, 500, 502, 503, 504, 529]);
});

Deno.test("waits double up to eight seconds, less up to a quarter", () => {
  assertEquals([1, 2, 3, 4, 5, 6, 60].map((tries) => waitMs(tries)), [
    ...[500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000],
  ]);
  assertEquals([0, 0.5, 1].map((random) => waitMs(1, undefined, random)), [500, 437.5, 375]);
  assertEquals(retryWaitMs({ tries: 1, random: 0, nowMs: NOW_MS }), 500);
});

const RETRY_AFTER: readonly [text: string, ms: number | undefined][] = [
  ["0", 0],
  ["3", 3_000],
  [" 1.5 ", 1_500],
  ["60", 60_000],
  ["61", undefined],
  ["Sat, 31 Jan 2026 12:00:20 GMT", 20_000],
  ["Sat, 31 Jan 2026 11:00:00 GMT", 0],
  ["Sat, 31 Jan 2026 13:00:00 GMT", undefined],
  ["", 500],
  ["soon", 500],
  ["-5", 500],
];

for (const [text, ms] of RETRY_AFTER) {
  Deno.test(`Retry-After "${text}" waits ${ms} ms`, () => assertEquals(waitMs(1, text), ms));
}

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

const fails: Reply = () => {
  throw new TypeError("connection refused");
};

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

Deno.test("a call that failed as often as was allowed throws the last failure", async () => {
  const { create, sent } = calling([busy(500), busy(502), busy(429), good], 2);
  const error = await assertRejects(create, ServiceAPIError, "Busy");
  assertEquals([error.status, sent.length], [429, 3]);
});

Deno.test("a service that is not reached is tried again", async () => {
  const { create, sent } = calling([fails, good], 1);
  assertEquals((await create()).id, "good");
  assertEquals(sent.length, 2);
  const never = calling([fails], 0);
  await assertRejects(never.create, ServiceConnectionError, "Cannot reach the service");
  assertEquals(never.sent.length, 1);
});

for (const status of [302, 400, 401, 402, 403, 408, 409, 422]) {
  Deno.test(`a refusal with ${status} is not tried again`, async () => {
    const { create, sent } = calling([busy(status), good], 5);
    assertEquals((await assertRejects(create, ServiceAPIError)).status, status);
    assertEquals(sent.length, 1);
  });
}

Deno.test("a call is tried again where the answer before cannot be let go of", async () => {
  const body = () => new ReadableStream({ cancel: () => new Promise(() => {}) });
  const held: Reply = () => new Response(body(), { status: 503, headers: SOON });
  const { create, sent } = calling([held, good], 1);
  assertEquals((await create()).id, "good");
  assertEquals(sent.length, 2);
});

Deno.test("a service that wants to be left alone for long is not asked again", async () => {
  const headers = { "retry-after": "3600" };
  const { create, sent } = calling([json({}, { status: 503, headers }), good], 5);
  const error = await assertRejects(create, ServiceAPIError);
  assertEquals([error.headers.get("retry-after"), sent.length], ["3600", 1]);
});

Deno.test("a refusal that forbids retries is not retried, for any delay", async () => {
  const headers = { "x-should-retry": "false", ...SOON };
  const { create, sent } = calling([json({}, { status: 503, headers }), good], 5);
  assertEquals((await assertRejects(create, ServiceAPIError)).status, 503);
  assertEquals(sent.length, 1);
});

Deno.test("a call has no time to wait for longer than its own limit", async () => {
  const headers = { "retry-after": "30" };
  const { client, sent } = calling([json({}, { status: 503, headers }), good], 5);
  const call = client.chat.completions.create({ messages: MESSAGES }, { timeoutMs: 20_000 });
  await assertRejects(() => call, ServiceAPIError);
  assertEquals(sent.length, 1);
});

Deno.test("nothing is tried again after the first byte of an answer", async () => {
  const broken: Reply = () =>
    new Response(new ReadableStream({ start: (c) => c.error(new TypeError("reset")) }));
  const half = calling([broken, good], 3);
  await assertRejects(half.create, ServiceConnectionError);
  const streamed = calling([cut({ id: "c", choices: [] }), good], 3);
  const stream = streamed.client.chat.completions.stream({ messages: MESSAGES });
  await assertRejects(() => all(stream), ServiceConnectionError);
  const inside = calling([json({ error: { message: "Inside a 200" } }), good], 3);
  await assertRejects(inside.create, ServiceAPIError);
  assertEquals([half, streamed, inside].map(({ sent }) => sent.length), [1, 1, 1]);
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
