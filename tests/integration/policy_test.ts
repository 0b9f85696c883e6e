/**
 * Every field of a key's policy over HTTP: what it lets through and refuses, without a cost.
 *
 * @module
 */

import { assert, assertEquals, assertGreater, assertMatch, fail } from "@std/assert";
import { join } from "@std/path";
import type { KeyPolicy } from "../../gateway/domain/policy/policy.ts";
import { FakeUpstream, json } from "../fixtures/fake_upstream.ts";
import { completion, INPUT_MICROS, labConfig, OUTPUT_MICROS, usage } from "../fixtures/lab.ts";
import { ManualClock, type TestKey, TestService, until } from "../fixtures/service.ts";
import { ServiceProcess } from "../fixtures/service_process.ts";
import { TESTED_ELSEWHERE } from "./policy_elsewhere.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The usage of a call in the tier "standard": 10 tokens of input and 45 of output. */
const USAGE = usage(10, 45);
const CALL_MICROS = 10n * INPUT_MICROS + 45n * OUTPUT_MICROS;

/** The one upstream, its two models "small" and "large", and a clock that stands still. */
interface Lab extends AsyncDisposable {
  readonly upstream: FakeUpstream;
  readonly service: TestService;
  readonly clock: ManualClock;
}

async function lab(): Promise<Lab> {
  const upstream = new FakeUpstream();
  upstream.otherwise(json(completion({ usage: USAGE })));
  const { baseUrl } = upstream;
  const content = labConfig(
    {
      id: "small",
      baseUrl,
      quality: 0.3,
      featureTags: ["tools", "json"],
      upstream: { provider: "alpha" },
      more: { industryPacks: ["law"] },
    },
    {
      id: "large",
      baseUrl,
      quality: 0.9,
      price: { inputPerMTok: "2.00", outputPerMTok: "4.00" },
      upstream: { provider: "beta" },
      more: { industryPacks: ["health"] },
    },
  );
  const tier = (id: string, creditsPerUsd: string, models: "*" | readonly string[]) => {
    const text = { en: id, zh: id };
    return { id, creditsPerUsd, models, name: text, description: text };
  };
  const tiers = [tier("standard", "1000", ["small"]), tier("premium", "500", "*")];
  const clock = new ManualClock();
  const service = await TestService.start({
    clock,
    config: { ...content, tiers, auto: { dial: 1 } },
  });
  return {
    upstream,
    service,
    clock,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** A key of a premium wallet, which may use both models. */
function keyWith(at: Lab, policy: KeyPolicy): Promise<TestKey> {
  return at.service.newKey({ policy, tier: "premium" });
}

let calls = 0;

/** Asks something that was never asked before, so that no conversation sticks to its model. */
function ask(at: Lab, { key }: TestKey, more: Readonly<Record<string, unknown>> = {}) {
  const messages = [{ role: "user", content: `Question ${++calls}` }];
  return at.service.chat({ messages, max_completion_tokens: 100, ...more }, { key });
}

/** The route and the bill of a call that was let through. */
async function answered(response: Response) {
  const { metadata, error } = await response.json();
  assertEquals(response.status, 200, JSON.stringify(error));
  return { ...metadata.routing, charged: metadata.billing.charged };
}

/** A call that must be refused: nothing was charged, nothing is held, no upstream was asked. */
async function refused(
  at: Lab,
  key: TestKey,
  expected: { status: number; code: string; more?: Readonly<Record<string, unknown>> },
): Promise<Response> {
  const before = await at.service.wallet(key.wallet);
  const requests = at.upstream.requests.length;
  const response = await ask(at, key, expected.more);
  const { error } = await response.json();
  assertEquals([response.status, error.code], [expected.status, expected.code], error.message);
  assertEquals(await at.service.wallet(key.wallet), before);
  assertEquals(at.upstream.requests.length, requests, "no upstream was asked");
  return response;
}

/** A policy under which a certain model answers, and one that leaves none. */
async function leaves(at: Lab, some: KeyPolicy, model: string, none: KeyPolicy): Promise<void> {
  assertEquals((await answered(await ask(at, await keyWith(at, some)))).model, model);
  await refused(at, await keyWith(at, none), { status: 403, code: "policy_denied" });
}

/** Spends a budget of one credit to its edge, and no further. */
async function spendOneCredit(at: Lab, key: TestKey): Promise<void> {
  const { spent: before } = await at.service.wallet(key.wallet);
  for (let call = 0; call < 30; call++) {
    const response = await ask(at, key);
    const { error } = await response.json();
    const { spent } = await at.service.wallet(key.wallet);
    assert(spent - before <= 1_000_000n, `${spent - before} micro-credits`);
    if (response.status === 200) continue;
    assertEquals([response.status, error.code], [402, "key_budget_exceeded"]);
    // What is left would not pay for the smallest call.
    assertGreater(spent - before, 1_000_000n - CALL_MICROS);
    return;
  }
  fail("The budget of one credit was never spent");
}

/** Waits as long as a refusal says, and not a second less. */
async function waitsTruthfully(at: Lab, key: TestKey): Promise<void> {
  const expected = { status: 429, code: "rate_limit_exceeded" };
  const response = await refused(at, key, expected);
  const waitMs = Number(response.headers.get("retry-after")) * 1_000;
  assert(waitMs >= 1_000 && waitMs <= MINUTE_MS + 5_000, `${waitMs} ms`);
  at.clock.advance(waitMs - 1_000);
  const early = await refused(at, key, expected);
  assertEquals(early.headers.get("retry-after"), "1");
  at.clock.advance(1_000);
  await answered(await ask(at, key));
}

/** One test for each field: a new one without a test does not pass the type check. */
const FIELDS: { readonly [Field in keyof Required<KeyPolicy>]: (at: Lab) => Promise<void> } = {
  endpoints: (at) => leaves(at, { endpoints: ["chat"] }, "large", { endpoints: ["responses"] }),

  models: (at) => leaves(at, { models: ["small"] }, "small", { models: [] }),

  providers: (at) => leaves(at, { providers: ["alpha"] }, "small", { providers: [] }),

  featureTags: (at) => leaves(at, { featureTags: ["vision"] }, "large", { featureTags: ["audio"] }),

  industryPacks: (at) => leaves(at, { industryPacks: ["law"] }, "small", { industryPacks: ["x"] }),

  async tiers(at) {
    const free = await answered(await ask(at, await keyWith(at, {})));
    // Half the credits a dollar, and twice the price of the model.
    assertEquals([free.tier, free.model, free.charged], ["premium", "large", "0.100000"]);
    const restricted = await answered(await ask(at, await keyWith(at, { tiers: ["standard"] })));
    assertEquals([restricted.tier, restricted.model], ["standard", "small"]);
    assertEquals(restricted.charged, "0.100000");
    const same = { tiers: ["premium"], models: ["small"] };
    assertEquals((await answered(await ask(at, await keyWith(at, same)))).charged, "0.050000");
    const above = await at.service.newKey({ tier: "standard", policy: { tiers: ["premium"] } });
    await refused(at, above, { status: 403, code: "policy_denied" });
  },

  async hostedTools(at) {
    // Chat runs no hosted tool in this version, so every key is refused, whatever its policy.
    const more = { tools: [{ type: "web_search_preview" }] };
    for (const hostedTools of [[], ["web_search_preview"]]) {
      const key = await keyWith(at, { hostedTools });
      await refused(at, key, { status: 400, code: "unsupported_tool", more });
      await answered(await ask(at, key));
    }
  },

  async maxChargePerRequest(at) {
    const models = ["large"];
    const key = await keyWith(at, { models, maxChargePerRequest: "0.15" });
    at.upstream.answer(json(completion({ usage: usage(10, 100_000) })));
    const { output_limit: limit, charged } = await answered(await ask(at, key));
    assert(limit >= 16 && limit < 75, `${limit}`);
    const sent = JSON.parse(at.upstream.last.text);
    assertEquals(sent.max_completion_tokens, limit);
    // The upstream did not keep to it: the cap holds all the same.
    assert(Number(charged) <= 0.15, charged);
    const poor = await keyWith(at, { models, maxChargePerRequest: "0.01" });
    await refused(at, poor, { status: 403, code: "policy_denied" });
  },

  async budget(at) {
    const policy = { tiers: ["standard"] };
    const passTo = (iso: string) => at.clock.advance(Date.parse(iso) - at.clock.nowMs());
    const code = "key_budget_exceeded";
    const day = await keyWith(at, { ...policy, budget: { day: "1" } });
    const month = await keyWith(at, { ...policy, budget: { month: "1" } });
    const total = await keyWith(at, { ...policy, budget: { total: "1" } });
    for (const key of [day, month, total]) await spendOneCredit(at, key);
    passTo("2026-01-15T23:59:59.999Z");
    await refused(at, day, { status: 402, code });
    passTo("2026-01-16T00:00:00Z");
    await spendOneCredit(at, day);
    passTo("2026-01-31T23:59:59.999Z");
    await refused(at, month, { status: 402, code });
    passTo("2026-02-01T00:00:00Z");
    await spendOneCredit(at, month);
    at.clock.advance(400 * DAY_MS);
    await refused(at, total, { status: 402, code });
    await answered(await ask(at, month));
  },

  async requestsPerMinute(at) {
    const key = await keyWith(at, { requestsPerMinute: 2 });
    for (const remaining of ["1", "0"]) {
      const response = await ask(at, key);
      await answered(response);
      assertEquals(response.headers.get("x-ratelimit-limit-requests"), "2");
      assertEquals(response.headers.get("x-ratelimit-remaining-requests"), remaining);
      assertMatch(response.headers.get("x-ratelimit-reset-requests") ?? "", /^1m\ds$/);
    }
    await waitsTruthfully(at, key);
  },

  ...TESTED_ELSEWHERE,
  async tokensPerMinute(at) {
    const key = await keyWith(at, { tokensPerMinute: 1_000 });
    at.upstream.answer(
      json(completion({ usage: usage(500, 100) })),
      json(completion({ usage: usage(500, 100) })),
    );
    // Counted is what was used: the second of 600 tokens is let in, for it promises fewer.
    for (let call = 0; call < 2; call++) await answered(await ask(at, key));
    await waitsTruthfully(at, key);
    // A call that ended gives back what it did not use: some 18 of 55 tokens fit into the minute.
    at.clock.advance(2 * MINUTE_MS);
    let calls = 0;
    for (; calls < 30; calls++) {
      const response = await ask(at, key);
      await response.body?.cancel();
      if (response.status !== 200) break;
    }
    assert(calls >= 15 && calls < 20, `${calls} calls`);
  },

  async concurrentRequests(at) {
    const key = await keyWith(at, { concurrentRequests: 1 });
    const other = await keyWith(at, { concurrentRequests: 1 });
    const gate = Promise.withResolvers<void>();
    at.upstream.answer([{ until: gate.promise }, ...json(completion({ usage: USAGE }))]);
    const held = ask(at, key);
    try {
      await until(() => at.upstream.requests.length === 1, "the call to reach the upstream");
      // Held in the books is what the call in flight holds; the refused one adds nothing.
      const response = await refused(at, key, { status: 429, code: "rate_limit_exceeded" });
      assertEquals(response.headers.get("retry-after"), "1");
      await answered(await ask(at, other));
    } finally {
      gate.resolve();
    }
    await answered(await held);
    await answered(await ask(at, key));
    const leaving = new AbortController();
    at.upstream.answer([{ stall: true }]);
    const { signal } = leaving;
    const reply = at.service.chat({ messages: [{ role: "user", content: "Hi" }] }, {
      key: key.key,
      signal,
    });
    await at.upstream.stalling();
    await refused(at, key, { status: 429, code: "rate_limit_exceeded" });
    leaving.abort();
    await reply.catch(() => {});
    await at.service.quiet();
    await answered(await ask(at, key));
  },

  async ipRanges(at) {
    for (const range of ["127.0.0.1", "127.0.0.0/8"]) {
      await answered(await ask(at, await keyWith(at, { ipRanges: ["10.0.0.0/8", range] })));
    }
    await refused(at, await keyWith(at, { ipRanges: [] }), { status: 403, code: "policy_denied" });
    const key = await keyWith(at, { ipRanges: ["10.0.0.0/8"] });
    await refused(at, key, { status: 403, code: "policy_denied" });
    // Anybody can claim an address: without a trusted proxy none is believed.
    const messages = [{ role: "user", content: "Hi" }];
    const headers = { "x-forwarded-for": "10.1.2.3" };
    const claimed = await at.service.chat({ messages }, { key: key.key, headers });
    assertEquals([claimed.status, (await claimed.json()).error.code], [403, "policy_denied"]);
  },

  async expiresAt(at) {
    const expiresAt = new Date(at.clock.nowMs() + MINUTE_MS).toISOString();
    const key = await keyWith(at, { expiresAt });
    at.clock.advance(MINUTE_MS - 1);
    await answered(await ask(at, key));
    at.clock.advance(1);
    await refused(at, key, { status: 401, code: "invalid_api_key" });
  },

  async orchestration(at) {
    const policy = { orchestration: { mode: "always", stream: "final" } } as const;
    const { id } = await keyWith(at, policy);
    assertEquals((await at.service.admin("GET", `/keys/${id}`)).policy, policy);
  },

  async dialect(at) {
    const key = await keyWith(at, { dialect: "openai" });
    assertEquals((await at.service.admin("GET", `/keys/${key.id}`)).policy, { dialect: "openai" });
    const { metadata } = await (await ask(at, key)).json();
    assertEquals(JSON.parse(metadata.billing).charged, "0.100000");
  },

  async auto(at) {
    const choosing = async (key: TestKey, choice: string) => {
      const request = { messages: [{ role: "user", content: `Question ${++calls}` }] };
      return await at.service.chat(request, { key: key.key, headers: { "x-auto": choice } });
    };
    const economy = await keyWith(at, { auto: { dial: 0, maxDial: 1 } });
    const plain = await answered(await ask(at, economy));
    const best = await answered(await choosing(economy, "quality=best"));
    assertEquals([plain.model, plain.dial, best.model, best.dial], ["small", 0, "large", 1]);
    const fixed = await keyWith(at, { auto: { dial: 1, verify: "off" } });
    const capped = await keyWith(at, { auto: { maxDial: 0.5 } });
    const refusals = [[fixed, "verify"], [capped, "quality=0.6"], [capped, "cheap"]] as const;
    for (const [key, choice] of refusals) {
      const { error } = await (await choosing(key, choice)).json();
      const code = choice === "cheap" ? "invalid_request" : "policy_denied";
      assertEquals([error.code, error.param], [code, "X-Auto"]);
    }
    assertEquals(at.upstream.requests.length, 2);
  },
};

for (const [field, run] of Object.entries(FIELDS)) {
  Deno.test(`a policy's ${field}`, async () => {
    await using at = await lab();
    await run(at);
    await at.service.assertBooks();
  });
}

Deno.test("a refusal of a policy is in the log, with nothing charged", async () => {
  await using at = await lab();
  const key = await keyWith(at, { endpoints: ["responses"] });
  await refused(at, key, { status: 403, code: "policy_denied" });
  // The refusal does not wait for its row.
  const { log } = at.service.running.stores;
  await until(async () => (await log.search({ limit: 1 })).records.length === 1, "the row");
  const { keyId, status, errorCode, charged, holdIds } = await at.service.lastRequest();
  assertEquals([keyId, status, errorCode], [key.id, 403, "policy_denied"]);
  assertEquals([charged, holdIds], ["0.000000", []]);
});

Deno.test("behind a trusted proxy the address is the last one that the proxy did not claim", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const secrets = {
      SERVICE_ADMIN_TOKEN: "svc_test_admin_token",
      SERVICE_TRUSTED_PROXIES: "127.0.0.1, 192.0.2.0/24",
    };
    await using service = await ServiceProcess.start(join(folder, "svc.kv"), secrets);
    const made = await fetch(`${service.adminUrl}/admin/v1/keys`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secrets.SERVICE_ADMIN_TOKEN}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({
        name: "proxied",
        wallet: "default",
        policy: { ipRanges: ["10.0.0.0/8"] },
      }),
    });
    const { key } = await made.json();
    const statusFrom = async (forwarded: string | undefined) => {
      const response = await fetch(`${service.publicUrl}/openai/v1/chat/completions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          ...(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }),
        },
        body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: "Hi" }] }),
      });
      await response.body?.cancel();
      return response.status;
    };
    assertEquals(await statusFrom("10.1.2.3"), 200);
    assertEquals(await statusFrom("198.51.100.7, 10.1.2.3, 192.0.2.8"), 200);
    assertEquals(await statusFrom("10.1.2.3, 198.51.100.7"), 403, "the first one is only claimed");
    assertEquals(await statusFrom(undefined), 403, "the proxy itself");
    assertEquals(await statusFrom("nonsense"), 403);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
