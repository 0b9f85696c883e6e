import { assert, assertEquals, assertGreater } from "@std/assert";
import { orderOf, runSeeds, shortestTrace } from "./mod.ts";
import { Random } from "./random.ts";
import { run, stepsOf } from "./run.ts";
import { shrink, simplerSteps } from "./shrink.ts";
import { greedySplit } from "./split_question.ts";
import { type Question, type Step, stepText } from "./steps.ts";

/** `deno task sim --seeds 1..1000` is the long run, which CI makes too. */
const SEEDS = { from: 1, to: 100, steps: 200 };

/** A request that is answered at once, with enough steps to read the answer. */
const ANSWERED: readonly Step[] = [
  {
    kind: "ask",
    question: {
      ...{ seed: 1, key: 4, surface: "chat", stream: false, words: 3, maxTokens: 20 },
      script: { failures: [], words: 5, usageFirst: false },
    },
  },
  { kind: "go", pick: 0 },
  { kind: "go", pick: 0 },
];

Deno.test(`seeds ${SEEDS.from} to ${SEEDS.to} violate nothing`, async () => {
  const tally = await runSeeds(SEEDS, async (seed, { violation }) => {
    if (violation === undefined) return;
    const trace = await shortestTrace({ seed, steps: SEEDS.steps });
    throw new Error(
      `Seed ${seed} violates "${violation.invariant}": ${violation.detail}\n` +
        `${trace.map(stepText).join("\n")}\n` +
        `Again: deno task sim --seed ${seed} --steps ${SEEDS.steps}`,
    );
  });
  // Without these the seeds would prove nothing.
  assertGreater(tally.settlements, 2 * SEEDS.to);
  assertGreater(tally.crashes, SEEDS.to);
  assertGreater(tally.recovered, 2);
  assertGreater(tally.corrections, SEEDS.to);
  assertGreater(tally.retiered, SEEDS.to / 10);
  assertGreater(tally.closed, SEEDS.to / 20);
  assertGreater(tally.snapshots, SEEDS.to / 4);
  assertGreater(tally.split, SEEDS.to / 20);
});

Deno.test("a seed comes to the same again, and another to something else", async () => {
  const digestOf = async (seed: number) => (await run(seed, stepsOf({ seed, steps: 150 }))).digest;
  const first = await digestOf(7);
  await digestOf(8);
  assertEquals(await digestOf(7), first);
  assert(await digestOf(8) !== first);
});

Deno.test("a disk that forgets an acknowledged commit is detected, by a trace of three steps", async () => {
  const planted: Step = { kind: "fail", how: "forgotten", commits: 1, reads: 0 };
  const seed = 3;
  const around = stepsOf({ seed, steps: 20 }).filter(({ kind }) =>
    kind === "go" || kind === "wait"
  );
  const steps = [...around, planted, ...ANSWERED, ...around];
  const { violation } = await run(seed, steps);
  assert(violation !== undefined);
  const trace = await shrink(steps, async (shorter) => {
    return (await run(seed, shorter)).violation?.invariant === violation.invariant;
  }, { simpler: simplerSteps });
  assertEquals(trace.map(({ kind }) => kind), ["fail", "ask", "go"]);
});

Deno.test("a charge that stays in doubt for longer than its answer waits is logged, and is in one row", async () => {
  const [ask, ...go] = ANSWERED;
  assert(ask !== undefined);
  const outage: Step = { kind: "fail", how: "unacknowledged", commits: 1, reads: 100 };
  // The hold lands; the settlement does too, but is in doubt for half a minute.
  const steps = [
    ask,
    ...go,
    outage,
    ...go,
    ...go,
    { kind: "wait", ms: 61_000 } as const,
  ];
  const { violation, settlements, inDoubt } = await run(1, steps);
  assertEquals([violation, settlements, inDoubt], [undefined, 1, 1]);
});

Deno.test("tasks that cost their maximum twice stay within the cap of their request", async () => {
  const question: Question = {
    ...{ seed: 1, key: 6, surface: "chat", stream: false, words: 1, maxTokens: 130 },
    ...{ script: { failures: [], words: 5, usageFirst: false }, split: greedySplit("final") },
  };
  const { violation, settlements } = await run(1, [{ kind: "ask", question }]);
  assertEquals(violation, undefined);
  // Fewer settlements could not exceed anything.
  assertGreater(settlements, 6);
});

Deno.test("a call need not wait for a full disk to take the void of a failed one before it", async () => {
  const go: Step = { kind: "go", pick: 0 };
  const script = { failures: [], words: 1, usageFirst: false };
  const first: Question = {
    ...{ seed: 173_274, key: 8, surface: "chat", stream: true, words: 1, maxTokens: 62, script },
  };
  const next: Question = {
    ...{ seed: 747_629, key: 3, surface: "responses", stream: true, words: 5, maxTokens: 151 },
    ...{ script: { ...script, failures: ["malformed"] }, split: greedySplit("all") },
  };
  const full: Step = { kind: "fail", how: "full", commits: 1, reads: 0 };
  const steps = [
    { kind: "ask", question: first } as const,
    go,
    { kind: "ask", question: next } as const,
    ...[go, go, go, go, full, go, go],
  ];
  assertEquals((await run(4_460, steps)).violation, undefined);
});

Deno.test("shrinking keeps only the needed steps, in order", async () => {
  const steps: Step[] = Array.from({ length: 100 }, (_, ms) => ({ kind: "wait", ms }));
  const needed = (shorter: readonly Step[]) => {
    const waits = shorter.map((step) => step.kind === "wait" ? step.ms : -1);
    return Promise.resolve(waits.includes(13) && waits.indexOf(71) > waits.indexOf(13));
  };
  assertEquals(await shrink(steps, needed, { simpler: simplerSteps }), [{ kind: "wait", ms: 13 }, {
    kind: "wait",
    ms: 71,
  }]);
  assertEquals((await shrink(steps, needed, { simpler: simplerSteps, tries: 0 })).length, 100);
});

Deno.test("the flags say which seeds are run", () => {
  const stores = ["file", "postgres"];
  const cases: [string[], unknown][] = [
    [[], { stores, from: 1, to: 100, steps: 200 }],
    [["--seed", "7"], { stores, from: 7, to: 7, steps: 200 }],
    [["--seeds", "3..9", "--steps", "50"], { stores, from: 3, to: 9, steps: 50 }],
    [["--store", "file"], { stores: ["file"], from: 1, to: 100, steps: 200 }],
    [["--store", "redis"], undefined],
    [["--seeds", "9..3"], undefined],
    [["--seed", "-1"], undefined],
    [["--steps", "0"], undefined],
    [["--unknown"], undefined],
  ];
  for (const [args, order] of cases) assertEquals(orderOf(args), order, args.join(" "));
});

Deno.test("random numbers repeat with their seed and lie where they should", () => {
  const draw = (seed: number) => {
    const random = new Random(seed);
    return Array.from({ length: 1_000 }, () => random.next());
  };
  assertEquals(draw(5), draw(5));
  assert(draw(5).every((number) => number >= 0 && number < 1));
  const mean = draw(6).reduce((sum, number) => sum + number, 0) / 1_000;
  assert(mean > 0.45 && mean < 0.55, `mean ${mean}`);
});
