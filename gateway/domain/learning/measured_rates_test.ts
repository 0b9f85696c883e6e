import { assert, assertEquals } from "@std/assert";
import { MEASURED_DIALS, targetShare } from "../routing/dial.ts";
import { atOnce } from "../redaction/steps.ts";
import { measuredRateSteps, recordedChoices, SAMPLES_MIN } from "./measured_rates.ts";
import { OUTCOME_SOURCES, type RouteSample } from "./statistics.ts";

function measuredRatesOf(...input: Parameters<typeof measuredRateSteps>) {
  return atOnce(measuredRateSteps(...input));
}

const QUALITIES = new Map([["small", 0.55], ["middle", 0.7], ["large", 0.85]]);
const CONTEXT = {
  plans: {},
  qualityOf: (model: string) => QUALITIES.get(model),
  sources: OUTCOME_SOURCES,
};

/** Returns decisions over requests of varied difficulty and equal price. */
function samplesOf(count: number): RouteSample[] {
  return Array.from({ length: count }, (_, at) => ({
    task: "t",
    load: 0.2 + 2 * at / count,
    price: 1,
    options: [["small", 0.02], ["middle", 0.15], ["large", 1]] as const,
  }));
}

/** Returns the share of the cost of always-best at a rate, by `p - rate * share`. */
function shareAt(samples: readonly RouteSample[], rate: number): number {
  let spent = 0;
  for (const { load, options } of samples) {
    const counted = Math.min(load, 1 / 0.45);
    const values = options.map(([model, share]) =>
      1 - (1 - (QUALITIES.get(model) ?? 0)) * counted - rate * share
    );
    spent += options[values.indexOf(Math.max(...values))]?.[1] ?? 0;
  }
  return spent / samples.length;
}

Deno.test("measured rates meet the target shares of cost on the sample", () => {
  const samples = samplesOf(200);
  const rates = measuredRatesOf({ tasks: {}, samples }, {}, CONTEXT);
  assert(rates !== undefined);
  for (const [at, dial] of MEASURED_DIALS.entries()) {
    const share = shareAt(samples, rates[at] ?? 0);
    const target = targetShare(dial);
    assert(share <= target + 1e-9, `${share} at ${dial}`);
    // One request more would cost too much.
    assert(share > target - 0.02, `${share} at ${dial}`);
  }
  assert(rates.every((rate, at) => at === 0 || rate <= (rates[at - 1] ?? 0) + 1e-9));
});

Deno.test("rates are not measured on few samples", () => {
  assertEquals(
    measuredRatesOf({ tasks: {}, samples: samplesOf(SAMPLES_MIN - 1) }, {}, CONTEXT),
    undefined,
  );
  const rates = measuredRatesOf({ tasks: {}, samples: samplesOf(SAMPLES_MIN) }, {}, CONTEXT);
  assertEquals(rates?.length, MEASURED_DIALS.length);
});

Deno.test("samples whose models all left the catalog measure nothing", () => {
  const rates = measuredRatesOf({ tasks: {}, samples: samplesOf(50) }, {}, {
    ...CONTEXT,
    qualityOf: () => undefined,
  });
  assertEquals(rates, undefined);
});

Deno.test("prices are beside the best model's of now, not of the time of the sample", () => {
  const models = { large: { served: 90, charged: 0, outcomes: 90, sums: badSum(88) } };
  const middle = { served: 90, charged: 0, outcomes: 90, sums: badSum(1) };
  const task = { lastUsedMs: 0, bestCharged: 0, cheapestCharged: 0, models: { ...models, middle } };
  const [sample] = samplesOf(1);
  assert(sample !== undefined);
  const [choice] = recordedChoices({ tasks: { t: task }, samples: [sample] }, {}, CONTEXT);
  assertEquals(choice?.best.model, "middle");
  assertEquals(choice?.options.map(({ model, cost }) => [model, Math.round(cost * 1e6) / 1e6]), [
    ["small", 0.133333],
    ["middle", 1],
    ["large", 6.666667],
  ]);
});

function badSum(bad: number) {
  return { feedback: { weight: 90, bad, load: 90 } };
}
