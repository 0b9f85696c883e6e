import { assert, assertEquals, assertMatch } from "@std/assert";
import type { TraitsOf } from "../catalog/provider_traits.ts";
import type { Model } from "../catalog/catalog.ts";
import { route } from "./route.ts";
import { catalogOf, featuresWith, inputWith, modelWith } from "./route_fixture_test.ts";
import { reasonOf } from "./reason.ts";

Deno.test("route() sends a limit where the model could write more than is held, and nowhere else", async (t) => {
  const limitsOf = (model: Partial<Model>, requestedOutputTokens?: number) => {
    const catalog = catalogOf([modelWith({ id: "a", ...model })]);
    const features = featuresWith({ requestedOutputTokens });
    const plan = route(inputWith({ catalog, features }));
    assert(plan.ok);
    const [one] = plan.candidates;
    assert(one !== undefined);
    return [one.outputTokens, one.outputLimit, one.limitedBy];
  };
  await t.step("its longest output is known", () => {
    assertEquals(limitsOf({}), [1_000, undefined, undefined]);
    assertEquals(limitsOf({}, 300), [300, undefined, undefined]);
    assertEquals(limitsOf({ maxOutputTokens: 10_000 }), [9_896, undefined, undefined]);
  });
  await t.step("it is not known", () => {
    const unknown = { maxOutputTokens: undefined, contextTokens: 100_000 };
    assertEquals(limitsOf(unknown), [16_384, 16_384, "unknown"]);
    assertEquals(limitsOf(unknown, 50_000), [50_000, undefined, undefined]);
    // A limit that must fit beside the input assumes the maximum input.
    assertEquals(limitsOf({ maxOutputTokens: undefined }), [9_812, 9_812, "unknown"]);
  });
  await t.step("more was asked for than the model gives, or its context has room for", () => {
    assertEquals(limitsOf({}, 1_001), [1_000, 1_000, "model"]);
    assertEquals(limitsOf({}, Number.MAX_SAFE_INTEGER), [1_000, 1_000, "model"]);
    assertEquals(limitsOf({ maxOutputTokens: 10_000 }, 9_950), [9_812, 9_812, "context"]);
    assertEquals(limitsOf({ maxOutputTokens: undefined }, 1e9), [9_812, 9_812, "context"]);
  });
});

Deno.test("route() lowers a huge limit only where no model has as much", () => {
  const models = [
    modelWith({ id: "short", quality: 0.9 }),
    modelWith({ id: "long", maxOutputTokens: 4_000, quality: 0.1 }),
  ];
  const planFor = (requestedOutputTokens: number) => {
    const features = featuresWith({ requestedOutputTokens });
    const plan = route(inputWith({ catalog: catalogOf(models), features }));
    assert(plan.ok);
    return plan;
  };
  const whole = planFor(2_000);
  assertEquals(whole.candidates.map(({ model }) => model.id), ["long"]);
  assertEquals(whole.exclusions.map(({ model, stage }) => [model, stage]), [["short", "context"]]);
  assertMatch(whole.exclusions[0]?.reason ?? "", /only give 1000 tokens of the output asked for/);
  const lowered = planFor(1_000_000);
  assertEquals(lowered.candidates.map(({ model, outputLimit }) => [model.id, outputLimit]), [
    ["short", 1_000],
    ["long", 4_000],
  ]);
  const [first] = lowered.candidates;
  assert(first !== undefined);
  assertMatch(reasonOf(first), /limited to 1000 tokens because the model gives no more/);
});

Deno.test("route() refuses what no model of the catalog offers, and names the field", () => {
  const models = [modelWith({ id: "a", featureTags: ["vision"] })];
  const needPaths = { vision: "messages.0.content.0", audio: "modalities" };
  const planFor = (needs: readonly string[], more: readonly Model[] = []) => {
    const features = featuresWith({ needs, needPaths });
    const plan = route(inputWith({ catalog: catalogOf([...models, ...more]), features }));
    assert(!plan.ok);
    return [plan.code, plan.param, plan.retryAfterMs];
  };
  assertEquals(planFor(["audio"]), ["invalid_request", "modalities", undefined]);
  assertEquals(planFor(["vision", "audio"]), ["invalid_request", "modalities", undefined]);
  // Each need is offered, but not by one model.
  const speaking = modelWith({ id: "b", featureTags: ["audio"] });
  const first = ["invalid_request", "messages.0.content.0", undefined];
  assertEquals(planFor(["vision", "audio"], [speaking]), first);
  // A model that was disabled can be enabled.
  const disabled = modelWith({ id: "c", featureTags: ["audio"], disabled: true });
  assertEquals(planFor(["audio"], [disabled]), ["no_model_available", undefined, undefined]);
});

Deno.test("route() names the field that is too long", () => {
  for (const [endpoint, param] of [["chat", "messages"], ["responses", "input"]] as const) {
    const features = featuresWith({ endpoint, textBytes: 80_000, textChars: 80_000 });
    const catalog = catalogOf([modelWith({ id: "a", endpoints: [endpoint] })]);
    const plan = route(inputWith({ catalog, features }));
    assert(!plan.ok);
    assertEquals([plan.code, plan.param], ["context_length_exceeded", param]);
  }
});

Deno.test("route() tells limited models from others that cool down", () => {
  const catalog = catalogOf([
    modelWith({ id: "a" }),
    modelWith({ id: "b" }),
    modelWith({ id: "c", disabled: true }),
  ]);
  const planFor = (rateLimited: boolean) => {
    const pool = new Map([
      ["a", { available: false, rateLimited: true, retryAfterMs: 900 }],
      ["b", { available: false, rateLimited, retryAfterMs: 400 }],
    ]);
    const plan = route(inputWith({ catalog, pool }));
    assert(!plan.ok);
    return [plan.code, plan.retryAfterMs];
  };
  assertEquals(planFor(true), ["rate_limit_exceeded", 400]);
  assertEquals(planFor(false), ["no_model_available", 400]);
});

Deno.test("route() waits for a busy model rather than lower a limit", () => {
  const catalog = catalogOf([
    modelWith({ id: "short" }),
    modelWith({ id: "long", maxOutputTokens: 4_000 }),
  ]);
  const busy = { available: false, busy: true, retryAfterMs: 1 };
  const chosen = (requestedOutputTokens: number) => {
    const features = featuresWith({ requestedOutputTokens });
    const plan = route(inputWith({ catalog, features, pool: new Map([["long", busy]]) }));
    assert(plan.ok);
    return plan.candidates.map(({ model }) => model.id);
  };
  assertEquals([chosen(500), chosen(2_000), chosen(5_000)], [["short"], ["long"], ["short"]]);
});

Deno.test("route() asks those first who can tell log probabilities, where they are asked for", () => {
  const catalog = catalogOf([
    modelWith({ id: "best", quality: 0.9, upstream: "cloud" }),
    modelWith({ id: "tells", quality: 0.4 }),
  ]);
  const upstreams = catalog.upstreams.map((one) =>
    one.id === "cloud" ? { ...one, kind: "anthropic" } : one
  );
  const order = (logprobs: boolean) => {
    const features = featuresWith({ logprobs });
    const traitsOf: TraitsOf = (kind) => ({ reportsLogprobs: kind !== "anthropic" });
    const plan = route(inputWith({ catalog: { ...catalog, upstreams }, features, traitsOf }));
    assert(plan.ok);
    return plan.candidates.map(({ model, ranking }) => [model.id, ranking.rank]);
  };
  assertEquals(order(false), [["best", 1], ["tells", 2]]);
  assertEquals(order(true), [["tells", 1], ["best", 2]]);
});
