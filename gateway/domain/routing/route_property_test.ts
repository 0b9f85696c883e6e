import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type Catalog, longestOutput } from "../catalog/catalog.ts";
import { type KeyPolicy, violationsOf } from "../policy/policy.ts";
import { chargeOf } from "../ledger/pricing.ts";
import { route } from "./route.ts";
import type { RoutingInput } from "./plan.ts";
import { catalogOf, featuresWith, modelWith, tierWith, walletWith } from "./route_fixture_test.ts";

const dollars = fc.constantFrom("0", "0.000000001", "0.25", "3", "75", "x");
const tags = fc.subarray(["tools", "vision", "json"]);

const model = fc.record({
  upstream: fc.constantFrom("lab", "cloud"),
  upstreamModel: fc.constantFrom("gpt-x", "claude-x", "llama-x", "x"),
  quality: fc.double({ min: 0, max: 1, noNaN: true }),
  contextTokens: fc.integer({ min: 100, max: 20_000 }),
  maxOutputTokens: fc.option(fc.integer({ min: 1, max: 4_000 }), { nil: undefined }),
  featureTags: tags,
  industryPacks: fc.subarray(["law", "health"]),
  disabled: fc.boolean(),
  price: fc.record({
    inputPerMTok: dollars,
    cachedInputPerMTok: dollars,
    cacheWriteInputPerMTok: dollars,
    outputPerMTok: dollars,
    currency: fc.constant("USD" as const),
  }),
});

const catalog: fc.Arbitrary<Catalog> = fc.array(model, { maxLength: 6 }).map((models) =>
  catalogOf(models.map((one, index) => modelWith({ id: `m${index}`, ...one })), [
    tierWith({ id: "low", models: ["m0", "m1"] }),
    tierWith({ id: "mid", creditsPerUsd: "1000.5" }),
  ])
);

const lists = {
  models: fc.subarray(["m0", "m1", "m2", "m3"]),
  providers: fc.subarray(["lab", "cloud"]),
  featureTags: tags,
  industryPacks: fc.subarray(["law", "health"]),
  endpoints: fc.subarray(["chat" as const]),
  hostedTools: fc.subarray(["file_search"]),
};
const policy: fc.Arbitrary<KeyPolicy> = fc.record(
  { ...lists, maxChargePerRequest: fc.constantFrom("0.01", "1", "1000") },
  { requiredKeys: [] },
);

const input: fc.Arbitrary<RoutingInput> = fc.record({
  catalog,
  policy,
  features: fc.record({
    textChars: fc.integer({ min: 0, max: 40_000 }),
    needs: tags,
    images: fc.integer({ min: 0, max: 2 }),
    choices: fc.integer({ min: 1, max: 4 }),
    requestedOutputTokens: fc.option(fc.integer({ min: 1, max: 3_000 }), { nil: undefined }),
    difficulty: fc.double({ min: 0, max: 1, noNaN: true }),
    hostedTools: fc.subarray(["file_search"]),
  }).map((some) => featuresWith({ ...some, textBytes: some.textChars })),
  wallet: fc.record({
    available: fc.bigInt({ min: 0n, max: 50_000_000n }),
    held: fc.bigInt({ min: 0n, max: 50_000_000n }),
    tier: fc.constantFrom("low", "mid"),
  }).map(walletWith),
  budget: fc.record({ day: fc.bigInt({ min: 0n, max: 60_000_000n }) }, { requiredKeys: [] }),
  pool: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }).map((flags) =>
    new Map(flags.map((available, index) => [`m${index}`, { available, retryAfterMs: index }]))
  ),
  stickyModel: fc.constantFrom("m0", "m3", undefined),
  seed: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  nowMs: fc.constant(Date.UTC(2026, 10, 21)),
});

Deno.test("route() accounts for every model once, as candidate or as exclusion", () => {
  fc.assert(
    fc.property(input, (routingInput) => {
      const plan = route(routingInput);
      const chosen = plan.ok ? plan.candidates.map((one) => one.model.id) : [];
      const excluded = plan.exclusions.map((one) => one.model);
      if (plan.ok) assert(chosen.length > 0);
      // A refusal before any model was considered names none.
      if (!plan.ok && excluded.length === 0) return;
      assertEquals(
        [...chosen, ...excluded].sort(),
        routingInput.catalog.models.map((one) => one.id).sort(),
      );
    }),
    { numRuns: 400 },
  );
});

Deno.test("route() gives equal plans for equal inputs", () => {
  fc.assert(
    fc.property(input, (routingInput) => {
      // A copy of the catalog is another object, so no cache entry of the first applies.
      assertEquals(
        route(routingInput),
        route({ ...routingInput, catalog: { ...routingInput.catalog } }),
      );
    }),
    { numRuns: 100 },
  );
});

const share = fc.double({ min: 0, max: 1, noNaN: true });

Deno.test("route() holds what any usage within the limits costs, and no more than there is", () => {
  fc.assert(
    fc.property(input, share, share, (routingInput, readShare, writtenShare) => {
      const plan = route(routingInput);
      for (const one of plan.ok ? plan.candidates : []) {
        const cachedInputTokens = Math.floor(one.inputTokens * readShare);
        const usage = {
          inputTokens: one.inputTokens,
          cachedInputTokens,
          cacheWriteInputTokens: Math.floor((one.inputTokens - cachedInputTokens) * writtenShare),
          outputTokens: one.outputTokens,
        };
        assert(chargeOf(usage, one.price) <= one.holdAmount);
        assert(one.holdMinimum <= one.holdAmount);
        assert(one.holdAmount <= routingInput.wallet.available + routingInput.wallet.held);
        const requestedTokens = routingInput.features.requestedOutputTokens ??
          longestOutput(one.model);
        assert(one.outputTokens <= requestedTokens * routingInput.features.choices);
      }
    }),
    { numRuns: 400 },
  );
});

Deno.test("route() finds no model under a narrowed policy that it did not find before", () => {
  // Money aside: if the full hold of a narrower choice fits, a wider choice may prefer other
  // models.
  const rich = input.map((routingInput) => ({
    ...routingInput,
    wallet: walletWith({ available: 10n ** 15n }),
    budget: {},
  }));
  fc.assert(
    fc.property(rich, policy, (routingInput, narrower) => {
      const { maxChargePerRequest: _, ...wide } = routingInput.policy;
      const { maxChargePerRequest: __, ...narrow } = { ...wide, ...narrower };
      fc.pre(violationsOf(narrow, wide).length === 0);
      const before = route({ ...routingInput, policy: wide });
      const after = route({ ...routingInput, policy: narrow });
      const known = new Set(before.ok ? before.candidates.map((one) => one.model.id) : []);
      for (const one of after.ok ? after.candidates : []) assert(known.has(one.model.id));
    }),
    { numRuns: 300 },
  );
});
