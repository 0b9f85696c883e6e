/**
 * Many callers at once on one wallet, or on one key's budget: not a micro-credit is overspent,
 * every call that fits once open holds have settled is answered, and the others learn the reason.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { KeyBudget } from "../../gateway/domain/policy/key_budget.ts";
import { FakeUpstream, json, type Script, sse } from "../fixtures/fake_upstream.ts";
import { completion, labConfig, QUESTION, streamed, usage } from "../fixtures/lab.ts";
import { ManualClock, type TestKey, TestService, until } from "../fixtures/service.ts";

const CALLERS = 64;
/** Calls that the money pays for, one after another. */
const CALLS = 40;
/** Hold of one of the lab's calls: some 30 tokens of input, 16 of output. */
const HELD = 62_000n;
/** Charge of one of these calls: 10 and 5 tokens. */
const CHARGED = 20_000n;
const ASKED = { messages: QUESTION, max_completion_tokens: 16 };

/** Credits that pay for so many calls and no more. */
function creditsFor(calls: number): string {
  const micros = HELD + BigInt(calls - 1) * CHARGED;
  return `0.${`${micros}`.padStart(6, "0")}`;
}

function answers(stream: boolean): Script {
  const script = stream
    ? sse(streamed(["Hello"], usage(10, 5)))
    : json(completion({ usage: usage(10, 5) }));
  return [{ waitMs: 3 }, ...script];
}

async function lab(options: { clock?: ManualClock; otherwise?: Script } = {}) {
  const upstream = new FakeUpstream();
  upstream.otherwise(options.otherwise ?? answers(false));
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
  const { clock } = options;
  const service = await TestService.start(clock === undefined ? { config } : { config, clock });
  return {
    upstream,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** Returns `ok`, or the code of the refusal. */
async function outcome(response: Response): Promise<string> {
  const text = await response.text();
  if (response.status !== 200) return JSON.parse(text).error.code;
  assert(!text.includes('"error"'), text);
  return "ok";
}

function counted(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const each of outcomes) counts[each] = (counts[each] ?? 0) + 1;
  return counts;
}

/** Follows the journal from its beginning: at no moment was more held and spent than there was. */
async function assertNeverOverspent(
  service: TestService,
  { wallet, id }: TestKey,
  budget?: bigint,
): Promise<void> {
  let [credits, held, spent] = [0n, 0n, 0n];
  for await (const entry of service.running.stores.ledger.entries()) {
    if (entry.wallet !== wallet) continue;
    if (entry.op === "credit") credits += entry.amount;
    if (entry.op === "hold") held += entry.amount;
    if (entry.op === "settle") [held, spent] = [held - entry.held, spent + entry.charged];
    if (entry.op === "void" || entry.op === "expire") held -= entry.held;
    assert(held >= 0n && held + spent <= credits, `${held} held and ${spent} spent of ${credits}`);
    if (budget !== undefined) assert(held + spent <= budget, `${id}: ${held} and ${spent}`);
  }
  assertEquals([held, spent], [0n, BigInt(CALLS) * CHARGED]);
  await service.assertBooks();
}

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "as JSON";

  Deno.test(`64 callers on a wallet that pays for 40 calls, ${how}`, async () => {
    await using at = await lab({ otherwise: answers(stream) });
    const key = await at.service.newKey({ credits: creditsFor(CALLS) });
    const calls = Array.from(
      { length: CALLERS },
      async () => await outcome(await at.service.chat({ ...ASKED, stream }, key)),
    );
    const outcomes = counted(await Promise.all(calls));
    assertEquals(outcomes, { ok: CALLS, insufficient_balance: CALLERS - CALLS });
    assertEquals(at.upstream.requests.length, CALLS);
    await assertNeverOverspent(at.service, key);
  });

  for (const window of ["day", "month", "total"] as const) {
    Deno.test(`64 callers on a key whose ${window} pays for 40 calls, ${how}`, async () => {
      await using at = await lab({ otherwise: answers(stream) });
      const budget: KeyBudget = { [window]: creditsFor(CALLS) };
      const key = await at.service.newKey({ policy: { budget } });
      const calls = Array.from(
        { length: CALLERS },
        async () => await outcome(await at.service.chat({ ...ASKED, stream }, key)),
      );
      const outcomes = counted(await Promise.all(calls));
      assertEquals(outcomes, { ok: CALLS, key_budget_exceeded: CALLERS - CALLS });
      const most = HELD + BigInt(CALLS - 1) * CHARGED;
      await assertNeverOverspent(at.service, key, most);
    });
  }
}

Deno.test("64 callers, of whom the budget of one user pays for 20 calls, and others for the rest", async () => {
  await using at = await lab();
  const most = HELD + 19n * CHARGED;
  const policy = { budgets: [{ user: "ann", day: creditsFor(20) }, { tag: "a=b", total: "99" }] };
  const key = await at.service.newKey({ policy });
  const calls = Array.from({ length: CALLERS }, async (_, n) => {
    const user = n % 2 === 0 ? "ann" : "ben";
    const headers = { "x-tag": "a=b" };
    return `${user} ${await outcome(
      await at.service.chat({ ...ASKED, user }, { ...key, headers }),
    )}`;
  });
  const half = CALLERS / 2;
  assertEquals(counted(await Promise.all(calls)), {
    ...{ "ann ok": 20, "ann key_budget_exceeded": half - 20, "ben ok": half },
  });
  let [held, spent] = [0n, 0n];
  const names = new Map<string, readonly string[] | undefined>();
  for await (const entry of at.service.running.stores.ledger.entries()) {
    if (entry.op === "hold") names.set(entry.id, entry.budgets);
    if (!("id" in entry) || names.get(entry.id)?.includes("user:ann") !== true) continue;
    if (entry.op === "hold") held += entry.amount;
    if (entry.op === "settle") [held, spent] = [held - entry.held, spent + entry.charged];
    if (entry.op === "void") held -= entry.held;
    assert(held + spent <= most, `${held} held and ${spent} spent of ${most}`);
  }
  assertEquals([held, spent], [0n, 20n * CHARGED]);
  const spend = await at.service.running.stores.ledger.keySpend(key.id);
  assertEquals(spend?.named?.["tag:a=b"]?.totalSpent, BigInt(20 + half) * CHARGED);
  await at.service.assertBooks();
});

Deno.test("64 callers of several keys on one wallet, some calls fail: money that comes back is used", async () => {
  await using at = await lab();
  const { wallet, ...key } = await at.service.newKey({ credits: creditsFor(CALLS) });
  const made = await at.service.admin("POST", "/keys", { name: "second", wallet, policy: {} });
  const keys = [key.key, String(made.key)];
  // What fails is not paid for, and is not another caller's loss.
  at.upstream.answer(...Array(4).fill(json({ error: { message: "no" } }, { status: 400 })));
  const calls = Array.from(
    { length: CALLERS },
    async (_, n) => await outcome(await at.service.chat(ASKED, { key: keys[n % 2] ?? "" })),
  );
  const outcomes = counted(await Promise.all(calls));
  const rest = CALLERS - CALLS - 4;
  assertEquals(outcomes, { ok: CALLS, invalid_request: 4, insufficient_balance: rest });
  await assertNeverOverspent(at.service, { wallet, ...key });
});

for (const seed of [1, 2, 3]) {
  Deno.test(`every request that the remaining money can pay for is served after the settlements (seed ${seed})`, async () => {
    await using at = await lab();
    // From 16 to 415 tokens of output are asked for, and so held: up to fourteen times what is paid.
    const sizes = Array.from(
      { length: CALLERS },
      (_, n) => 16 + ((n * 7_919 + seed * 104_729) % 400),
    );
    const largest = 30_000n + 2_000n * BigInt(Math.max(...sizes));
    const micros = largest + BigInt(CALLERS - 1) * CHARGED;
    const credits = `${micros / 1_000_000n}.${`${micros % 1_000_000n}`.padStart(6, "0")}`;
    const policy = { budget: { day: credits, total: credits } };
    const key = await at.service.newKey({ credits, policy });
    const calls = sizes.map(async (max_completion_tokens) =>
      await outcome(await at.service.chat({ messages: QUESTION, max_completion_tokens }, key))
    );
    assertEquals(counted(await Promise.all(calls)), { ok: CALLERS });
    assertEquals((await at.service.wallet(key.wallet)).spent, BigInt(CALLERS) * CHARGED);
    await at.service.assertBooks();
  });
}

/** A call that keeps its hold open until it is let go on. */
async function open(at: Awaited<ReturnType<typeof lab>>, key: TestKey) {
  const gate = Promise.withResolvers<void>();
  const called = at.upstream.requests.length;
  at.upstream.answer([{ until: gate.promise }, ...answers(false)]);
  const answer = at.service.chat(ASKED, key);
  await until(() => at.upstream.requests.length > called, "the call to hold");
  return {
    async close() {
      gate.resolve();
      assertEquals(await outcome(await answer), "ok");
    },
  };
}

for (
  const [window, before, after] of [
    ["day", "2026-03-10T23:59:59.990Z", "2026-03-11T00:00:00.000Z"],
    ["month", "2026-04-30T23:59:59.990Z", "2026-05-01T00:00:00.000Z"],
  ] as const
) {
  Deno.test(`a ${window} ends while a hold is open: it counts where it is settled, and is held till then`, async () => {
    const clock = new ManualClock(Date.parse(before));
    await using at = await lab({ clock });
    const budget: KeyBudget = { [window]: creditsFor(2) };
    const key = await at.service.newKey({ policy: { budget } });
    const ask = async () => await outcome(await at.service.chat(ASKED, key));
    assertEquals(await ask(), "ok");
    const held = await open(at, key);
    clock.advance(Date.parse(after) - Date.parse(before));
    // The budget is whole again, but for what is still held: the next one waits for that.
    const waiting = ask();
    await until(() => at.service.running.gateway.inFlight.count === 2, "the next one to wait");
    await held.close();
    assertEquals(await waiting, "ok");
    assertEquals(await ask(), "key_budget_exceeded");
    const spend = await at.service.running.stores.ledger.keySpend(key.id);
    assertEquals([spend?.held, spend?.totalSpent], [0n, 3n * CHARGED]);
    assertEquals(window === "day" ? spend?.daySpent : spend?.monthSpent, 2n * CHARGED);
    await at.service.assertBooks();
  });
}

Deno.test("the cap of a request is for all its choices together", async () => {
  await using at = await lab();
  const key = await at.service.newKey({ policy: { maxChargePerRequest: "0.15" } });
  // 30 tokens of input are held; 120,000 micro-credits are left for 3 choices of 20 tokens.
  at.upstream.answer(json(completion({ usage: usage(10, 150) })));
  const request = { messages: QUESTION, max_completion_tokens: 50, n: 3 };
  const answered = await at.service.chat(request, key);
  const { metadata } = await answered.json();
  assertEquals(JSON.parse(at.upstream.last.text).max_completion_tokens, 20);
  assertEquals([metadata.routing.output_limit, metadata.billing.charged], [20, "0.150000"]);
  const many = await at.service.chat({ ...request, n: 4 }, key);
  assertEquals(await outcome(many), "policy_denied", "16 tokens of each are the least");
  await at.service.assertBooks();
});
