/**
 * Requests that meet a busy upstream, or a busy service: each waits its turn, holds no money meanwhile,
 * and in the end is answered or told when to come back.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { FakeUpstream, json, sse } from "../fixtures/fake_upstream.ts";
import { completion, labConfig, QUESTION, streamed, usage } from "../fixtures/lab.ts";
import { type TestKey, TestService, until } from "../fixtures/service.ts";

const ASKED = { messages: QUESTION, max_completion_tokens: 16 };
const PATIENT = { queueMs: 60_000 };

/** Options of a request. */
interface Sent {
  readonly key?: TestKey;
  readonly signal?: AbortSignal;
  /** More of the body. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A service before one model, at an upstream that has few places. */
class BusyLab implements AsyncDisposable {
  readonly upstream: FakeUpstream;
  readonly service: TestService;
  readonly config: Record<string, unknown>;
  readonly #gate = Promise.withResolvers<void>();

  private constructor(upstream: FakeUpstream, service: TestService, config: BusyLab["config"]) {
    this.upstream = upstream;
    this.service = service;
    this.config = config;
  }

  static async start(
    options: { limits?: Record<string, number>; places?: number } = {},
  ): Promise<BusyLab> {
    const upstream = new FakeUpstream();
    upstream.otherwise(json(completion()));
    const { baseUrl } = upstream;
    const only = { id: "only", baseUrl, upstream: { maxInFlight: options.places ?? 1 } };
    const config = { ...labConfig(only), limits: { ...PATIENT, ...options.limits } };
    return new BusyLab(upstream, await TestService.start({ config }), config);
  }

  /** Takes a place at the upstream, and keeps it until it is unblocked. */
  async block(sent: Sent = {}): Promise<{ answer: Promise<Response> }> {
    const called = this.upstream.requests.length;
    this.upstream.answer([{ until: this.#gate.promise }, ...json(completion())]);
    const answer = this.#send(sent);
    await until(() => this.upstream.requests.length > called, "the call to take its place");
    return { answer };
  }

  unblock(): void {
    this.#gate.resolve();
  }

  /** Asks, and resolves when the request has nothing more to do but to wait. */
  async ask(sent: Sent = {}): Promise<{ answer: Promise<Response> }> {
    const { inFlight } = this.service.running.gateway;
    const before = inFlight.count;
    const answer = this.#send(sent);
    await until(() => inFlight.count > before, "the request to be in flight");
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { answer };
  }

  async openHolds(): Promise<number> {
    return (await this.service.running.stores.ledger.openHolds()).length;
  }

  #send({ key, signal, more }: Sent): Promise<Response> {
    const answer = this.service.chat({ ...ASKED, ...more }, {
      ...(key === undefined ? {} : { key: key.key }),
      ...(signal === undefined ? {} : { signal }),
    });
    // The reader of the answer handles a failure.
    answer.catch(() => {});
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.unblock();
    await this.service[Symbol.asyncDispose]();
    await this.upstream[Symbol.asyncDispose]();
  }
}

/** Status, error code and model of an answer. */
async function refusalText(pending: { readonly answer: Promise<Response> }) {
  const response = await pending.answer;
  const { error, metadata } = await response.json();
  return {
    status: response.status,
    code: error?.code,
    message: error?.message ?? "",
    model: metadata?.routing?.model,
    retryAfter: response.headers.get("retry-after"),
  };
}

for (const stream of [false, true]) {
  Deno.test(`a request waits for its turn without holding money, ${stream ? "streamed" : "as JSON"}`, async () => {
    await using lab = await BusyLab.start();
    const blocked = await lab.block();
    const waiting = await lab.ask({ more: { stream } });
    assertEquals([lab.upstream.requests.length, await lab.openHolds()], [1, 1]);
    if (stream) lab.upstream.answer(sse(streamed(["Hello"], usage(10, 5))));
    lab.unblock();
    assertEquals((await refusalText(blocked)).status, 200);
    const response = await waiting.answer;
    assertEquals(response.status, 200);
    assertStringIncludes(await response.text(), "Hello");
    await lab.service.assertBooks();
  });
}

Deno.test("the service's own cap is waited for as an upstream's is", async () => {
  await using lab = await BusyLab.start({ places: 10, limits: { maxInFlight: 1 } });
  const blocked = await lab.block();
  const waiting = await lab.ask();
  assertEquals(lab.upstream.requests.length, 1);
  lab.unblock();
  assertEquals([(await refusalText(blocked)).status, (await refusalText(waiting)).status], [
    200,
    200,
  ]);
});

Deno.test("a request that waits without success receives Retry-After, and is not charged", async () => {
  await using lab = await BusyLab.start({ limits: { queueMs: 30 } });
  const blocked = await lab.block();
  const { status, code, message, retryAfter } = await refusalText({
    answer: lab.service.chat(ASKED),
  });
  assertEquals([status, code, retryAfter], [503, "no_model_available", "1"]);
  assertStringIncludes(message, "busy");
  lab.unblock();
  await refusalText(blocked);
  const { charged, holdIds } = await lab.service.lastRequest();
  assertEquals([charged !== "0.000000", holdIds.length], [true, 1], "of the one that was served");
  await lab.service.assertBooks();
});

Deno.test("without a queue, a busy upstream is reported at once", async () => {
  await using lab = await BusyLab.start({ limits: { queueLength: 0 } });
  const blocked = await lab.block();
  const { status, code } = await refusalText({ answer: lab.service.chat(ASKED) });
  assertEquals([status, code], [503, "no_model_available"]);
  lab.unblock();
  await refusalText(blocked);
});

Deno.test("a caller that disconnects while waiting leaves the queue at once, and takes no turn", async () => {
  await using lab = await BusyLab.start();
  const blocked = await lab.block();
  const leaving = new AbortController();
  const leavingCall = await lab.ask({ signal: leaving.signal });
  leaving.abort();
  await assertRejects(() => leavingCall.answer);
  const { inFlight } = lab.service.running.gateway;
  await until(() => inFlight.count === 1, "the waiting request to end");
  const next = await lab.ask();
  lab.unblock();
  assertEquals([(await refusalText(blocked)).status, (await refusalText(next)).status], [200, 200]);
  assertEquals(lab.upstream.requests.length, 2);
  await lab.service.assertBooks();
});

Deno.test("the end of the service ends the waiting for a place", async () => {
  await using lab = await BusyLab.start();
  const blocked = await lab.block();
  const waiting = await lab.ask();
  lab.service.running.gateway.inFlight.abortAll();
  for (const { status, code } of [await refusalText(waiting), await refusalText(blocked)]) {
    assertEquals([status, code], [503, "shutting_down"]);
  }
  await lab.service.assertBooks();
});

Deno.test("a key that was disabled, revoked or narrowed while its request waited is looked at again", async () => {
  await using lab = await BusyLab.start();
  const blocked = await lab.block();
  const pending = [];
  for (const change of ["disable", "revoke", "narrow", "none"] as const) {
    const key = await lab.service.newKey();
    pending.push({ change, key, ...await lab.ask({ key }) });
  }
  for (const { change, key } of pending) {
    if (change === "none") continue;
    const body = change === "narrow" ? { policy: { models: [] } } : undefined;
    await lab.service.admin("POST", `/keys/${key.id}/${change}`, body);
  }
  lab.unblock();
  await refusalText(blocked);
  const codes = [];
  for (const one of pending) codes.push((await refusalText(one)).code);
  assertEquals(codes, ["invalid_api_key", "invalid_api_key", "policy_denied", undefined]);
  assertEquals(lab.upstream.requests.length, 2);
  await lab.service.assertBooks();
});

Deno.test("a waiting request is served by the models of a new catalog", async () => {
  await using lab = await BusyLab.start();
  const blocked = await lab.block();
  const waiting = await lab.ask();
  const { baseUrl } = lab.upstream;
  const content = { ...labConfig({ id: "newer", baseUrl }), limits: PATIENT };
  await lab.service.admin("POST", "/catalog/apply", { content });
  assertEquals((await refusalText(waiting)).model, "newer");
  lab.unblock();
  assertEquals((await refusalText(blocked)).model, "only");
  await lab.service.assertBooks();
});

Deno.test("keys take turns: one that floods does not keep another waiting behind all its requests", async () => {
  await using lab = await BusyLab.start();
  const [flooding, other] = [await lab.service.newKey(), await lab.service.newKey()];
  const blocked = await lab.block();
  const order: string[] = [];
  const flood = [];
  for (let n = 0; n < 10; n++) flood.push(await lab.ask({ key: flooding }));
  const one = await lab.ask({ key: other });
  for (const { answer } of flood) void answer.then(() => order.push("flood"));
  void one.answer.then(() => order.push("one"));
  lab.unblock();
  for (const each of [blocked, ...flood, one]) assertEquals((await refusalText(each)).status, 200);
  assert(order.indexOf("one") <= 2, order.join());
});

Deno.test("64 callers go through four places, and all are answered", async () => {
  await using lab = await BusyLab.start({ places: 3, limits: { maxInFlight: 4 } });
  const { baseUrl } = lab.upstream;
  const models = ["one", "two"].map((id) => ({ id, baseUrl, upstream: { maxInFlight: 3 } }));
  const content = { ...labConfig(...models), limits: { ...PATIENT, maxInFlight: 4 } };
  await lab.service.admin("POST", "/catalog/apply", { content });
  lab.upstream.otherwise([{ waitMs: 2 }, ...json(completion())]);
  const keys = await Promise.all([1, 2, 3].map(() => lab.service.newKey()));
  let most = 0;
  const calls = Array.from({ length: 64 }, async (_, n) => {
    const { status } = await refusalText({
      answer: lab.service.chat(ASKED, { key: keys[n % 3]?.key ?? "" }),
    });
    most = Math.max(most, await lab.openHolds());
    return status;
  });
  assertEquals(await Promise.all(calls), Array(64).fill(200));
  assert(most <= 4, `${most} calls in flight`);
  await lab.service.assertBooks();
});

Deno.test("a request that fails over to a busy upstream waits for a lease there", async () => {
  await using lab = await BusyLab.start();
  await using failing = new FakeUpstream();
  const gate = Promise.withResolvers<void>();
  failing.otherwise([{ until: gate.promise }, ...json({ error: {} }, { status: 500 })]);
  const models = [
    { id: "best", baseUrl: failing.baseUrl, quality: 0.99 },
    { id: "only", baseUrl: lab.upstream.baseUrl, quality: 0.1, upstream: { maxInFlight: 1 } },
  ];
  const content = { ...labConfig(...models), limits: PATIENT };
  await lab.service.admin("POST", "/catalog/apply", { content });
  const pending = lab.service.chat(ASKED);
  await until(() => failing.requests.length === 1, "the first model to be asked");
  const blocked = await lab.block({
    key: await lab.service.newKey({ policy: { models: ["only"] } }),
  });
  gate.resolve();
  const { log } = lab.service.running.stores;
  await until(async () => await lab.openHolds() === 1, "the failed call's hold to be given back");
  assertEquals([lab.upstream.requests.length, (await log.search({ limit: 9 })).records], [1, []]);
  lab.unblock();
  assertEquals(
    [(await refusalText({ answer: pending })).model, (await refusalText(blocked)).model],
    [
      "only",
      "only",
    ],
  );
  await lab.service.assertBooks();
});

Deno.test("requests that wait for money do not block the upstream for other wallets", async () => {
  await using lab = await BusyLab.start({ places: 2 });
  // A call holds 0.062 credits, and costs 0.02: it pays for two calls, one after the other.
  const poor = await lab.service.newKey({ credits: "0.1" });
  const blocked = await lab.block({ key: poor });
  const waiting = [];
  for (let n = 0; n < 5; n++) waiting.push(await lab.ask({ key: poor }));
  assertEquals(await lab.openHolds(), 1);
  const other = await refusalText({ answer: lab.service.chat(ASKED) });
  assertEquals(other.status, 200, "the second place is free");
  lab.unblock();
  const statuses = [];
  for (const each of [blocked, ...waiting]) statuses.push((await refusalText(each)).status);
  assertEquals(statuses, [200, 200, 402, 402, 402, 402]);
  await lab.service.assertBooks();
});

Deno.test("a disconnect and the end of the service each end the waiting for money", async () => {
  await using lab = await BusyLab.start({ places: 10 });
  const poor = await lab.service.newKey({ credits: "0.1" });
  const blocked = await lab.block({ key: poor });
  const leaving = new AbortController();
  await lab.ask({ key: poor, signal: leaving.signal });
  const last = await lab.ask({ key: poor });
  leaving.abort();
  const { inFlight } = lab.service.running.gateway;
  await until(() => inFlight.count === 2, "the one that left to end");
  inFlight.abortAll();
  for (const each of [last, blocked]) assertEquals((await refusalText(each)).code, "shutting_down");
  await lab.service.assertBooks();
});

Deno.test("a service that stops without grace does not wait for queued requests", async () => {
  await using lab = await BusyLab.start();
  const poor = await lab.service.newKey({ credits: "0.1" });
  const pending = [await lab.block({ key: poor }), await lab.ask(), await lab.ask({ key: poor })];
  await lab.service.running.stop({ graceMs: 0 });
  for (const each of pending) assertEquals((await refusalText(each)).code, "shutting_down");
});
