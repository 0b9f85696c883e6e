import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { auditCostOf, auditPlanOf } from "./audit_budget.ts";
import { expectedQuality, intervalOf } from "./expected_quality.ts";
import { forget } from "./forget.ts";
import { replayChoices, replayWallet } from "./replay.ts";
import { EMPTY_SNAPSHOT, nextSnapshot, type SnapshotContext } from "./snapshot.ts";
import { NO_STATISTICS, OUTCOME_SOURCES, type RouteSample } from "./statistics.ts";

const QUALITIES: Readonly<Record<string, number>> = { small: 0.5, medium: 0.8, large: 0.9 };
const CONTEXT: SnapshotContext = {
  nowMs: 1_000,
  qualityOf: (model) => QUALITIES[model],
  sources: OUTCOME_SOURCES,
};

function sampleOf(load: number, price = 1): RouteSample {
  return {
    ...{ task: "t", load, price },
    options: [["small", 0.05], ["medium", 0.3], ["large", 1], ["gone", 0.01]],
  };
}

/** A wallet of samples from easy to hard. */
function walletOf(count: number) {
  const samples = Array.from({ length: count }, (_, at) => sampleOf(0.2 + 1.6 * at / count));
  const additions = new Map([["w", { ...NO_STATISTICS, samples }]]);
  const wallet = nextSnapshot(EMPTY_SNAPSHOT, additions, CONTEXT).wallets.get("w");
  if (wallet === undefined) throw new Error("No wallet");
  return replayWallet(wallet, CONTEXT);
}

Deno.test("a replay meets the target share of the dial, and never chooses a model that is gone", () => {
  const wallets = [walletOf(200)];
  const balanced = replayChoices(wallets, 0.5);
  assertAlmostEquals(balanced.cost / balanced.bestCost, 0.4, 0.02);
  assertEquals(balanced.samples, 200);
  assert(!balanced.models.some(({ model }) => model === "gone"));
});

Deno.test("a replay costs and achieves more towards best, whose ends are always-best and the cheapest", () => {
  const wallets = [walletOf(200)];
  const results = [0.1, 0.3, 0.5, 0.7, 0.9, 1].map((dial) => replayChoices(wallets, dial));
  for (const [at, { cost, quality }] of results.entries()) {
    const before = results[at - 1];
    assert(cost >= (before?.cost ?? 0));
    assert((quality?.p ?? 0) >= (before?.quality?.p ?? 0));
  }
  assertEquals(results.at(-1), replayChoices(wallets, "best"));
  assertEquals(replayChoices(wallets, 0), replayChoices(wallets, "cheapest"));
});

Deno.test("a replay without samples has no quality", () => {
  assertEquals(replayChoices([], 0.5), {
    ...{ samples: 0, models: [], quality: undefined, cost: 0, bestCost: 0 },
  });
});

Deno.test("expectedQuality() adds errors of one model and squares those of different ones", () => {
  const part = (model: string) => ({ model, weight: 5, p: 0.8, error: 0.1 });
  assertAlmostEquals(expectedQuality([part("a"), part("a")])?.error ?? 0, 0.1, 1e-9);
  assertAlmostEquals(expectedQuality([part("a"), part("b")])?.error ?? 0, Math.SQRT1_2 / 10, 1e-9);
  assertEquals(expectedQuality([]), undefined);
  assertEquals(intervalOf({ p: 0.99, error: 0.1 })[1], 1);
  assertAlmostEquals(intervalOf({ p: 0.5, error: 0.1 })[0], 0.304, 1e-9);
});

Deno.test("the cost of an audit is measured, or estimated from the best and the cheap models", () => {
  const samples = [sampleOf(1, 2)];
  // 2 credits at the best model, and the three that cost at most half as much.
  const estimated = auditCostOf([{ audits: [], samples }]);
  assertEquals(estimated?.basis, "samples");
  assertAlmostEquals(estimated?.credits ?? 0, 2 * 1.36, 1e-9);
  const answers = [{ model: "large", group: 0, cost: 3 }, { model: "small", group: 1, cost: 1 }];
  assertEquals(auditCostOf([{ audits: [{ task: "t", load: 1, answers }], samples }]), {
    ...{ credits: 4, basis: "audits" },
  });
  assertEquals(auditCostOf([]), undefined);
});

Deno.test("an audit budget buys whole audits, at most a twentieth of the requests", () => {
  const quality = { p: 0.9, error: 0.1 };
  const plan = auditPlanOf(10, { cost: 3, requestsPerDay: 1_000, quality });
  assertEquals([plan.auditsPerDay, plan.limit], [3, "budget"]);
  assertAlmostEquals(plan.errorAfterWeek ?? 0, Math.sqrt(0.09 / 21), 1e-9);
  const rich = auditPlanOf(1_000, { cost: 3, requestsPerDay: 1_000, quality });
  assertEquals([rich.auditsPerDay, rich.limit], [50, "share"]);
  const none = auditPlanOf(0, { cost: 3, requestsPerDay: 1_000, quality });
  assertEquals([none.auditsPerDay, none.errorAfterWeek], [0, undefined]);
});

Deno.test("forget() removes one task with its samples and audits, and nothing else", () => {
  const task = { lastUsedMs: 1, models: {}, bestCharged: 1, cheapestCharged: 1 };
  const answers = [{ model: "large", group: 0, cost: 1 }];
  const statistics = {
    tasks: { t: task, u: task },
    samples: [sampleOf(1), { ...sampleOf(1), task: "u" }],
    audits: [{ task: "t", load: 1, answers }, { task: "u", load: 1, answers }],
  };
  const first = nextSnapshot(EMPTY_SNAPSHOT, new Map([["w", statistics], ["v", statistics]]), {
    ...CONTEXT,
  });
  const { snapshot, wallets, tasks } = forget(first, { walletId: "w", task: "t" }, CONTEXT);
  assertEquals([snapshot.number, wallets, tasks], [2, ["w"], 1]);
  const rest = snapshot.wallets.get("w")?.statistics;
  assertEquals(Object.keys(rest?.tasks ?? {}), ["u"]);
  assertEquals([rest?.samples.length, rest?.audits.length], [1, 1]);
  assertEquals(snapshot.wallets.get("v"), first.wallets.get("v"));
  assertEquals(forget(first, { task: "none" }, CONTEXT).snapshot, first);
});
