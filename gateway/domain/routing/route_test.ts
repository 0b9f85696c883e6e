import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Model } from "../catalog/catalog.ts";
import type { ErrorCode } from "@svc/sdk/protocol";
import { route } from "./route.ts";
import type { Candidate, RoutingInput, RoutingPlan } from "./plan.ts";
import { reasonOf } from "./reason.ts";
import {
  catalogOf,
  featuresWith,
  inputWith,
  modelWith,
  tierWith,
  walletWith,
} from "./route_fixture_test.ts";

const A = modelWith({ id: "a" });

function stagesOf(plan: RoutingPlan): Record<string, string> {
  return Object.fromEntries(plan.exclusions.map((one) => [one.model, one.stage]));
}

function firstOf(plan: RoutingPlan): Candidate {
  assert(plan.ok, plan.ok ? "" : plan.message);
  const [first] = plan.candidates;
  assert(first !== undefined);
  return first;
}

Deno.test("route() excludes a model by the first stage it fails", () => {
  // Each fails its own stage and every later one that can be failed together with it.
  const unpriced = { inputPerMTok: "?", outputPerMTok: "?", currency: "USD" } as const;
  const dear = { inputPerMTok: "1", outputPerMTok: "999999", currency: "USD" } as const;
  const able = { featureTags: ["vision", "tools", "json"] };
  const last = { ...able, industryPacks: ["law"], price: dear, disabled: true };
  const models: Model[] = [
    modelWith({ id: "ok", ...able, industryPacks: ["law"] }),
    modelWith({ id: "available", ...able, industryPacks: ["law"], disabled: true }),
    modelWith({ id: "affordable", ...last }),
    modelWith({ id: "price", ...last, price: unpriced }),
    modelWith({ id: "tier", ...last, price: unpriced }),
    modelWith({ id: "policy", ...last, price: unpriced, industryPacks: [] }),
    modelWith({ id: "context", ...last, industryPacks: [], contextTokens: 10 }),
    modelWith({ id: "json", featureTags: ["vision", "tools"], contextTokens: 10 }),
    modelWith({ id: "tools", featureTags: ["vision"], contextTokens: 10 }),
    modelWith({ id: "modality", contextTokens: 10 }),
    modelWith({ id: "endpoint", endpoints: ["responses"], contextTokens: 10 }),
  ];
  const inTier = models.map((model) => model.id).filter((id) => id !== "tier" && id !== "policy");
  const plan = route(inputWith({
    catalog: catalogOf(models, [tierWith({ id: "mid", models: inTier })]),
    features: featuresWith({ needs: ["json", "tools", "vision"] }),
    policy: { industryPacks: ["law"] },
  }));
  assertEquals(firstOf(plan).model.id, "ok");
  assertEquals(plan.considered, models.length);
  const expected = models.map((model) => model.id).filter((id) => id !== "ok");
  assertEquals(stagesOf(plan), Object.fromEntries(expected.map((id) => [id, id])));
  for (const { reason } of plan.exclusions) assertMatch(reason, /\w{3} \w/);
});

interface RefusalCase {
  readonly name: string;
  readonly input: Partial<RoutingInput>;
  readonly models?: readonly Model[];
  readonly code: ErrorCode;
  readonly message: RegExp;
}

const dearHold = modelWith({
  id: "dear",
  price: { inputPerMTok: "1", outputPerMTok: "100000", currency: "USD" },
});

const REFUSALS: readonly RefusalCase[] = [
  {
    name: "an endpoint the policy leaves out",
    input: { policy: { endpoints: ["responses"] }, wallet: walletWith({ tier: "gone" }) },
    code: "policy_denied",
    message: /endpoint "chat"/,
  },
  {
    name: "a hosted tool the policy leaves out",
    input: {
      policy: { hostedTools: [] },
      features: featuresWith({ hostedTools: ["file_search"] }),
    },
    code: "policy_denied",
    message: /"file_search"/,
  },
  {
    name: "tiers that are all above the wallet's",
    input: { policy: { tiers: ["high"] } },
    code: "policy_denied",
    message: /"high".*"mid"/,
  },
  {
    name: "a wallet whose tier is gone",
    input: { wallet: walletWith({ tier: "gone" }) },
    code: "policy_denied",
    message: /"gone"/,
  },
  {
    name: "an endpoint that no model serves",
    input: { features: featuresWith({ endpoint: "images.edits" }) },
    code: "invalid_request",
    message: /serves the endpoint "images.edits"/,
  },
  {
    name: "needs that no model meets, even where the policy leaves nothing either",
    input: { policy: { models: [] }, features: featuresWith({ needs: ["vision", "tools"] }) },
    code: "invalid_request",
    message: /"vision" and "tools"/,
  },
  {
    name: "a policy that removes the capable ones",
    input: { policy: { models: ["a"] }, features: featuresWith({ needs: ["tools"] }) },
    models: [A, modelWith({ id: "b", featureTags: ["tools"] })],
    code: "policy_denied",
    message: /b not among/,
  },
  {
    name: "a policy that removes the one that is long enough",
    input: {
      policy: { models: ["a"] },
      features: featuresWith({ textBytes: 60_000, textChars: 60_000 }),
    },
    models: [A, modelWith({ id: "b", contextTokens: 100_000 })],
    code: "context_length_exceeded",
    message: /15004 tokens/,
  },
  {
    name: "a policy that allows none, long enough or not",
    input: {
      policy: { models: [] },
      features: featuresWith({ textBytes: 60_000, textChars: 60_000 }),
    },
    code: "policy_denied",
    message: /leaves no model/,
  },
  {
    name: "a tier without a model",
    input: { catalog: catalogOf([A], [tierWith({ id: "mid", models: [] })]) },
    code: "policy_denied",
    message: /tier "mid" has no model/,
  },
  {
    name: "no valid price",
    input: {},
    models: [modelWith({ id: "a", price: { ...A.price, inputPerMTok: "-1" } })],
    code: "no_model_available",
    message: /valid price/,
  },
  {
    name: "an empty wallet",
    input: { wallet: walletWith({ available: 0n }) },
    code: "insufficient_balance",
    message: /The wallet has 0.000000 credits/,
  },
  {
    name: "a spent budget, named before the empty wallet",
    input: { wallet: walletWith({ available: 0n }), budget: { total: 1n } },
    code: "key_budget_exceeded",
    message: /0.000001 credits left/,
  },
  {
    name: "a policy's cap below the smallest call, named first",
    input: {
      wallet: walletWith({ available: 0n }),
      budget: { total: 0n },
      policy: { maxChargePerRequest: "0.1" },
    },
    code: "policy_denied",
    message: /caps a request at 0.100000 credits/,
  },
  {
    name: "a cap that cannot be read",
    input: { policy: { maxChargePerRequest: "lots" } },
    code: "policy_denied",
    message: /caps a request at 0.000000/,
  },
];

for (const { name, input, models, code, message } of REFUSALS) {
  Deno.test(`route() refuses ${name}`, () => {
    const plan = route(inputWith({ catalog: catalogOf(models ?? [A]), ...input }));
    assert(!plan.ok);
    assertEquals(plan.code, code);
    assertMatch(plan.message, message);
    assertEquals(plan.considered, models?.length ?? 1);
  });
}

Deno.test("route() says when the soonest of the unavailable is worth another try", () => {
  const plan = route(inputWith({
    catalog: catalogOf([
      A,
      modelWith({ id: "b" }),
      modelWith({ id: "c", disabled: true }),
      dearHold,
    ]),
    pool: new Map([
      ["a", { available: false, reason: "cooling down", retryAfterMs: 900 }],
      ["b", { available: false, retryAfterMs: 400 }],
    ]),
    wallet: walletWith({ available: 400_000n }),
  }));
  assert(!plan.ok);
  assertEquals([plan.code, plan.retryAfterMs], ["no_model_available", 400]);
  assertMatch(plan.message, /a cooling down; b is not available/);
  assertEquals(stagesOf(plan), {
    a: "available",
    b: "available",
    c: "available",
    dear: "affordable",
  });
});

Deno.test("route() speaks of money where what else is left was disabled", () => {
  const disabled = modelWith({ id: "off", disabled: true });
  const wallet = walletWith({ available: 400_000n });
  const pool = new Map([["off", { available: false, retryAfterMs: 5 }]]);
  const poor = route(inputWith({ catalog: catalogOf([disabled, dearHold]), wallet, pool }));
  assert(!poor.ok && poor.code === "insufficient_balance");
  const none = route(inputWith({ catalog: catalogOf([disabled]), wallet, pool }));
  assert(!none.ok && none.code === "no_model_available");
  assertEquals(none.retryAfterMs, undefined);
});

Deno.test("route() holds the input's bound and the most output of all choices", () => {
  const catalog = catalogOf([A]);
  // 400 plain characters: 160 tokens, a message 12, the reply 16.
  const whole = firstOf(route(inputWith({ catalog })));
  assertEquals([whole.inputTokens, whole.outputTokens], [188, 1_000]);
  assertEquals(whole.holdAmount, 188n * 1_000n + 1_000n * 10_000n);
  assertEquals(whole.holdMinimum, 188n * 1_000n + 16n * 10_000n);
  assertEquals(whole.outputLimit, undefined);

  const features = featuresWith({ requestedOutputTokens: 8, choices: 3 });
  const first = firstOf(route(inputWith({ catalog, features })));
  assertEquals(first.outputTokens, 24);
  assertEquals(first.holdAmount, first.holdMinimum);

  const long = featuresWith({ textBytes: 36_400, textChars: 36_400 });
  assertEquals(firstOf(route(inputWith({ catalog, features: long }))).outputTokens, 10_000 - 9_104);
});

Deno.test("route() holds the dearer of fresh and cached input", () => {
  const price = { ...A.price, cachedInputPerMTok: "5" };
  const plan = route(inputWith({ catalog: catalogOf([modelWith({ id: "a", price })]) }));
  assertEquals(firstOf(plan).holdAmount, 188n * 5_000n + 1_000n * 10_000n);
});

Deno.test("route() holds every image that is drawn", () => {
  const painter = modelWith({
    id: "painter",
    endpoints: ["images.generations"],
    contextTokens: 1,
    maxOutputTokens: 1,
    price: { inputPerMTok: "0", outputPerMTok: "0", perImage: "0.02", currency: "USD" },
  });
  const features = featuresWith({ endpoint: "images.generations", choices: 3 });
  const plan = route(inputWith({ catalog: catalogOf([painter]), features }));
  assertEquals(firstOf(plan).holdAmount, 60_000_000n);
  assertEquals(firstOf(plan).holdMinimum, 60_000_000n);
});

Deno.test("route() keeps to what can be held in full, then in part, then later", async (t) => {
  const cheap = modelWith({ id: "cheap", price: { ...A.price, outputPerMTok: "1" } });
  const catalog = catalogOf([A, cheap]);
  const planFor = (input: Partial<RoutingInput>) => route(inputWith({ catalog, ...input }));

  await t.step("in full", () => {
    const plan = planFor({ wallet: walletWith({ available: 2_000_000n }) });
    assert(plan.ok);
    assertEquals(plan.candidates.map((one) => one.model.id), ["cheap"]);
    assertEquals(stagesOf(plan), { a: "affordable" });
    assertMatch(plan.exclusions[0]?.reason ?? "", /cut to 181 tokens/);
  });
  await t.step("in part, each as far as it goes", () => {
    const plan = planFor({
      wallet: walletWith({ available: 700_000n }),
      features: featuresWith({ choices: 2 }),
    });
    assert(plan.ok);
    const limits = plan.candidates.map((one) => [one.model.id, one.outputLimit]);
    assertEquals(Object.fromEntries(limits), { a: 25, cheap: 256 });
    for (const one of plan.candidates) {
      assertEquals(one.outputTokens, 2 * (one.outputLimit ?? 0));
      assert(one.holdAmount <= 700_000n && one.holdAmount >= one.holdMinimum);
      assertMatch(reasonOf(one), /limited to \d+ tokens/);
    }
  });
  await t.step("later", () => {
    const plan = planFor({ wallet: walletWith({ available: 0n, held: 900_000n }) });
    assert(plan.ok);
    assertEquals(plan.candidates.length, 2);
    for (const one of plan.candidates) assert(one.holdAmount <= 900_000n);
  });
  await t.step("later, yet in full", () => {
    const plan = planFor({ wallet: walletWith({ available: 0n, held: 90_000_000n }) });
    assertEquals(firstOf(plan).outputLimit, undefined);
  });
  await t.step("part now before whole later", () => {
    const plan = planFor({ wallet: walletWith({ available: 210_000n, held: 90_000_000n }) });
    assert(plan.ok);
    assertEquals(plan.candidates.map((one) => one.model.id), ["cheap"]);
    assertMatch(plan.exclusions[0]?.reason ?? "", /once other requests have ended/);
  });
  await t.step("within the policy's cap", () => {
    const plan = planFor({ policy: { maxChargePerRequest: "0.5", models: ["a"] } });
    assertEquals(firstOf(plan).outputLimit, 31);
  });
});

Deno.test("route() holds within the key's budget, of which other windows have passed", () => {
  const catalog = catalogOf([A]);
  const spend = {
    keyId: "k",
    held: 100_000n,
    day: "2026-11-20",
    daySpent: 9n,
    month: "2026-11",
    monthSpent: 1_000_000n,
    totalSpent: 2_000_000n,
  };
  const budget = { day: 10_000_000_000n, month: 1_600_000n };
  assertEquals(firstOf(route(inputWith({ catalog, spend, budget }))).outputLimit, 31);
  const spent = route(inputWith({ catalog, spend, budget: { total: 2_000_000n } }));
  assert(!spent.ok && spent.code === "key_budget_exceeded");
});

Deno.test("route() prefers enough quality for little money", () => {
  const dear = { inputPerMTok: "20", outputPerMTok: "100", currency: "USD" } as const;
  const catalog = catalogOf([
    modelWith({ id: "small", quality: 0.45 }),
    modelWith({ id: "large", quality: 0.95, price: dear }),
  ]);
  const best = (difficulty: number) =>
    firstOf(route(inputWith({ catalog, features: featuresWith({ difficulty }) }))).model.id;
  assertEquals([best(0), best(0.9)], ["small", "large"]);
});

Deno.test("route() stays with the conversation's model while it is among the best", () => {
  const catalog = catalogOf([
    modelWith({ id: "a", quality: 0.52 }),
    modelWith({ id: "b", quality: 0.5 }),
    modelWith({ id: "c", quality: 0.05 }),
  ]);
  const first = (stickyModel?: string) => firstOf(route(inputWith({ catalog, stickyModel })));
  assertEquals(first().model.id, "a");
  assertEquals(first("b").model.id, "b");
  assertMatch(reasonOf(first("b")), /answered this conversation last/);
  assertEquals(first("c").model.id, "a");
  assertEquals(first("unknown").model.id, "a");
});

Deno.test("route() counts observed latency", () => {
  const catalog = catalogOf([A, modelWith({ id: "b" })]);
  const pool = new Map([
    ["a", { available: true, latencyMs: 3_000 }],
    ["b", { available: true, latencyMs: 200.4 }],
  ]);
  const first = firstOf(route(inputWith({ catalog, pool })));
  assertEquals(first.model.id, "b");
  assertMatch(reasonOf(first), /first byte in 200 ms/);
});
