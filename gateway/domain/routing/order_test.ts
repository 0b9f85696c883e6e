import { assert, assertAlmostEquals, assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { Additions } from "../learning/additions.ts";
import { addOutcomes, snapshotOf } from "../learning/statistics_fixture_test.ts";
import type { Candidate, RoutingInput, RoutingPlan } from "./plan.ts";
import { reasonOf } from "./reason.ts";
import { route } from "./route.ts";
import { catalogOf, featuresWith, inputWith, modelWith } from "./route_fixture_test.ts";

/** Models whose output costs ten times their input, as multiples of a price. */
const models = fc.array(
  fc.record({
    quality: fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
    price: fc.integer({ min: 1, max: 200 }),
  }),
  { minLength: 1, maxLength: 8 },
);
const seed = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const unit = fc.double({ min: 0, max: 1, noNaN: true });
/** Difficulties as `difficultyOf()` returns them. */
const difficulties = fc.double({ min: 0.05, max: 0.95, noNaN: true });

type Sketch = { readonly quality: number; readonly price: number };

function inputOf(sketches: readonly Sketch[], changes: Partial<RoutingInput> = {}): RoutingInput {
  const catalog = catalogOf(sketches.map(({ quality, price }, at) =>
    modelWith({
      id: `m${at}`,
      quality,
      price: {
        inputPerMTok: (price / 100).toFixed(2),
        outputPerMTok: (price / 10).toFixed(2),
        currency: "USD",
      },
    })
  ));
  return inputWith({ catalog, ...changes });
}

function planOf(input: RoutingInput): Extract<RoutingPlan, { ok: true }> {
  const plan = route(input);
  assert(plan.ok, plan.ok ? "" : plan.message);
  return plan;
}

function firstOf(input: RoutingInput): Candidate {
  const [first] = planOf(input).candidates;
  assert(first !== undefined);
  return first;
}

const at = (dial: number) => ({ policy: { auto: { dial } } });

Deno.test("the dial at best always chooses the best allowed model", () => {
  fc.assert(fc.property(models, seed, difficulties, (sketches, draw, difficulty) => {
    const features = featuresWith({ difficulty });
    const { model } = firstOf(inputOf(sketches, { ...at(1), seed: draw, features }));
    assertAlmostEquals(model.quality, Math.max(...sketches.map(({ quality }) => quality)), 1e-9);
  }));
});

Deno.test("the dial at economy always chooses the cheapest model without a record", () => {
  fc.assert(fc.property(models, seed, difficulties, (sketches, draw, difficulty) => {
    const features = featuresWith({ difficulty });
    const { model } = firstOf(inputOf(sketches, { ...at(0), seed: draw, features }));
    const cheapest = Math.min(...sketches.map(({ price }) => price));
    assertEquals(Number(model.price.inputPerMTok), cheapest / 100);
  }));
});

Deno.test("the dial at economy passes over a model whose record is not good enough", () => {
  const sketches = [{ quality: 0.9, price: 100 }, { quality: 0.6, price: 10 }, {
    quality: 0.6,
    price: 1,
  }];
  const poor = addOutcomes(new Additions(), { model: "m2", count: 60, score: 0 });
  const input = inputOf(sketches, {
    ...{
      ...at(0),
      task: "t",
      snapshot: snapshotOf(poor),
      features: featuresWith({ difficulty: 0.25 }),
    },
  });
  assertEquals(firstOf(input).model.id, "m1");
  assertEquals(firstOf({ ...input, snapshot: undefined }).model.id, "m2");
});

Deno.test("equal input gives an equal plan", () => {
  fc.assert(fc.property(models, seed, unit, difficulties, (sketches, draw, dial, difficulty) => {
    const input = inputOf(sketches, {
      ...at(dial),
      seed: draw,
      features: featuresWith({ difficulty }),
    });
    assertEquals(route(structuredClone(input)), route(input));
  }));
});

Deno.test("a harder request moves towards the better model, on any catalog", () => {
  fc.assert(
    fc.property(
      models,
      seed,
      unit,
      difficulties,
      difficulties,
      (sketches, draw, dial, one, other) => {
        const quality = (difficulty: number) =>
          firstOf(
            inputOf(sketches, { ...at(dial), seed: draw, features: featuresWith({ difficulty }) }),
          )
            .model.quality;
        assert(quality(Math.max(one, other)) >= quality(Math.min(one, other)) - 1e-9);
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("a dial nearer to best never chooses a worse model", () => {
  fc.assert(
    fc.property(
      models,
      seed,
      difficulties,
      unit,
      unit,
      (sketches, draw, difficulty, one, other) => {
        const features = featuresWith({ difficulty });
        const quality = (dial: number) =>
          firstOf(inputOf(sketches, { ...at(dial), seed: draw, features })).model.quality;
        const [low, high] = [Math.max(0.01, Math.min(one, other)), Math.max(0.01, one, other)];
        assert(quality(high) >= quality(low) - 0.01);
      },
    ),
    { numRuns: 300 },
  );
});

const PAIR = [{ quality: 0.9, price: 100 }, { quality: 0.5, price: 1 }];

Deno.test("outcomes of the task overrule the catalog's quality", () => {
  const good = addOutcomes(
    new Additions(),
    { model: "m0", count: 200, score: 0.9 },
    { model: "m1", count: 200, score: 0.95 },
  );
  const input = inputOf(PAIR, {
    ...at(0.9),
    task: "t",
    features: featuresWith({ difficulty: 0.25 }),
  });
  assertEquals(firstOf(input).model.id, "m0");
  const { model, ranking } = firstOf({ ...input, snapshot: snapshotOf(good) });
  assertEquals([model.id, ranking.estimate.outcomes], ["m1", 200]);
});

Deno.test("outcomes of another wallet change nothing", () => {
  const other = { walletId: "other", count: 500 };
  const steering = addOutcomes(
    new Additions(),
    { ...other, model: "m0", score: 0 },
    { ...other, model: "m1", score: 1 },
  );
  const input = inputOf(PAIR, { ...at(0.5), task: "t" });
  const known = planOf({ ...input, snapshot: { ...snapshotOf(steering), number: 0 } });
  assertEquals(known, planOf(input));
});

/** Returns the share of seeds at which a plan explores. */
function exploredShare(input: RoutingInput): number {
  const draws = 4_000;
  let explored = 0;
  for (let draw = 0; draw < draws; draw++) {
    const plan = planOf({ ...input, seed: (draw + 0.5) / draws });
    assertEquals(plan.basis.kind === "exploration", plan.candidates[0]?.ranking.isExplored);
    if (plan.basis.kind === "exploration") explored++;
  }
  return explored / draws;
}

/** An input whose task was scored. */
function scored(changes: Partial<RoutingInput> = {}, exploration?: number): RoutingInput {
  const snapshot = snapshotOf(addOutcomes(new Additions(), { model: "m0", count: 5, score: 1 }));
  const input = inputOf(PAIR, { task: "t", snapshot, ...changes });
  const auto = { dial: 0.5, ...(exploration === undefined ? {} : { exploration }) };
  return { ...input, catalog: { ...input.catalog, auto } };
}

Deno.test("exploration takes its share of scored tasks, and at most 5 %", () => {
  assertAlmostEquals(exploredShare(scored()), 0.02, 0.001);
  assertAlmostEquals(exploredShare(scored({}, 0.9)), 0.05, 0.001);
  assertEquals(exploredShare(scored({}, 0)), 0);
});

Deno.test("exploration never happens at best, without a score, or below the quality floor", () => {
  assertEquals(exploredShare(scored(at(1))), 0);
  assertEquals(exploredShare(scored({ task: "another" })), 0);
  assertEquals(exploredShare(scored({ snapshot: undefined })), 0);
  const floor = (qualityFloor: number) => ({ policy: { auto: { dial: 0.99, qualityFloor } } });
  assertAlmostEquals(exploredShare(scored(floor(0.4))), 0.02, 0.001);
  assertEquals(exploredShare(scored(floor(0.6))), 0);
});

Deno.test("the basis of a plan names snapshot, task, dial and a sample of the decision", () => {
  const { basis } = planOf(scored());
  assertEquals([basis.snapshot, basis.task, basis.dial, basis.kind], [1, "t", 0.5, "value"]);
  assertEquals(basis.sample?.options, [["m0", 1], ["m1", 0.01]]);
  assertEquals(planOf(inputOf(PAIR.slice(1))).basis.sample, undefined);
});

Deno.test("a conversation stays with its model while the values are near", () => {
  const near = [{ quality: 0.7, price: 10 }, { quality: 0.69, price: 10 }];
  const plan = planOf(inputOf(near, { ...at(0.5), stickyModel: "m1" }));
  assertEquals([plan.candidates[0]?.model.id, plan.basis.kind], ["m1", "conversation"]);
  assertEquals(firstOf(inputOf(near, { ...at(1), stickyModel: "m1" })).model.id, "m0");
});

Deno.test("a model with the highest value is chosen by it, also where it answered last", () => {
  const near = [{ quality: 0.7, price: 10 }, { quality: 0.69, price: 10 }];
  const plan = planOf(inputOf(near, { ...at(0.5), stickyModel: "m0" }));
  const [first] = plan.candidates;
  assert(first !== undefined);
  assertEquals([first.model.id, plan.basis.kind], ["m0", "value"]);
  assertMatch(reasonOf(first), /^Number 1 of 2 /);
});
