import { assert, assertEquals, assertGreater } from "@std/assert";
import { instanceSteps, runInstances } from "./run.ts";
import { explainInstances, runInstanceSeeds, shortestInstancesTrace } from "./seeds.ts";
import type { Course, Step } from "./steps.ts";

/** `deno task sim --seeds 1..1000` is the long run, which CI makes too. */
const SEEDS = { from: 1, to: 60, steps: 200 };

const COURSE: Course = {
  ...{ instance: 0, wallet: 0, key: 0, amount: 100, minimum: 100, waitMs: 0 },
  ...{ checkpoints: [], cost: 60, repeats: false, named: [] },
};
const ASK: Step = { kind: "ask", course: COURSE };
const SERVE: Step = { kind: "serve", pick: 0, times: 8 };

Deno.test(`several instances: seeds ${SEEDS.from} to ${SEEDS.to} violate nothing`, async () => {
  const tally = await runInstanceSeeds(SEEDS, async (seed, { violation }) => {
    if (violation !== undefined) throw new Error(await explainInstances(seed, SEEDS.steps));
  });
  // Without these the seeds would prove nothing.
  assertGreater(tally.settlements, 5 * SEEDS.to);
  assertGreater(tally.recovered, SEEDS.to / 2);
  assertGreater(tally.ended, SEEDS.to);
  assertGreater(tally.returned, SEEDS.to / 4);
  assertGreater(tally.cutOff, SEEDS.to / 10);
  assertGreater(tally.breaks, 5 * SEEDS.to);
  assertGreater(tally.batches, 20 * SEEDS.to);
  assertGreater(tally.corrections, SEEDS.to);
  assertGreater(tally.closed, SEEDS.to / 60);
});

/** A call whose process stands still after a checkpoint, until others have ended its session. */
const PAUSED: readonly Step[] = [
  { kind: "ask", course: { ...COURSE, instance: 1, checkpoints: [40] } },
  SERVE,
  { kind: "go", pick: 0 },
  SERVE,
  { kind: "pause", instance: 1 },
  { kind: "live", ms: 10_000 },
];

Deno.test("several instances: one that stood still settles nothing that was ended for it", async () => {
  const late: readonly Step[] = [...PAUSED, { kind: "resume", instance: 1 }, SERVE];
  const { violation, settlements, recovered, returned, cutOff } = await runInstances(late);
  assertEquals(violation, undefined);
  assertEquals([settlements, recovered, returned, cutOff], [1, 1, 1, 1]);
});

Deno.test("several instances: one that stands still for less than its lease goes on", async () => {
  const steps = PAUSED.map((step): Step => step.kind === "live" ? { ...step, ms: 4_000 } : step);
  const { violation, settlements, recovered, ended, cutOff } = await runInstances(steps);
  assertEquals([violation, settlements, recovered, ended, cutOff], [undefined, 1, 0, 0, 0]);
});

Deno.test("several instances: time without the database ends none of them", async () => {
  const steps: readonly Step[] = [
    { kind: "ask", course: { ...COURSE, instance: 1, checkpoints: [40] } },
    SERVE,
    ...Array.from({ length: 6 }, () => [
      { kind: "wait", ms: 10_000 } as const,
      { kind: "restart" } as const,
      { kind: "live", ms: 1_000 } as const,
      { kind: "clock", ms: 3_600_000 } as const,
    ]).flat(),
  ];
  const { violation, settlements, ended } = await runInstances(steps);
  assertEquals([violation, settlements, ended], [undefined, 1, 0]);
});

Deno.test("several instances: a seed comes to the same again, and another to something else", async () => {
  const digestOf = async (seed: number) =>
    (await runInstances(instanceSteps({ seed, steps: 150 }))).digest;
  const first = await digestOf(7);
  await digestOf(8);
  assertEquals(await digestOf(7), first);
  assert(await digestOf(8) !== first);
});

Deno.test("several instances: a database that forgets a commit is detected, by a short trace", async () => {
  const around = instanceSteps({ seed: 3, steps: 20 }).filter(({ kind }) =>
    kind === "go" || kind === "wait"
  );
  const steps = [...around, { kind: "forget" } as const, ASK, SERVE, ...around, SERVE];
  const { violation } = await runInstances(steps);
  assertEquals(violation?.invariant, "an answered hold is durable");
  const trace = await shortestInstancesTrace(steps);
  assertEquals(trace.map(({ kind }) => kind), ["forget", "ask", "serve"]);
});

Deno.test("several instances: a commit whose answer was lost is charged once", async () => {
  // The hold's batch lands after its connection was cut; its settlement does, too.
  const steps: readonly Step[] = [
    ASK,
    { kind: "serve", pick: 0, times: 3 },
    { kind: "cut", pick: 0, kept: 9 },
    SERVE,
    SERVE,
    { kind: "go", pick: 0 },
    { kind: "serve", pick: 0, times: 3 },
    { kind: "cut", pick: 0, kept: 9 },
  ];
  const { violation, settlements, calls } = await runInstances(steps);
  assertEquals([violation, settlements, calls], [undefined, 1, 1]);
});

Deno.test("several instances: the hold of one that was killed is ended by another", async () => {
  const steps: readonly Step[] = [
    { kind: "ask", course: { ...COURSE, instance: 1, checkpoints: [40] } },
    SERVE,
    { kind: "go", pick: 0 },
    SERVE,
    { kind: "kill", instance: 1, kept: 0 },
  ];
  const { violation, settlements, recovered, ended } = await runInstances(steps);
  assertEquals([violation, settlements, recovered, ended], [undefined, 1, 1, 1]);
});

Deno.test("several instances: a caller that fails in the line leaves it", async () => {
  const second: Step = {
    kind: "ask",
    course: { ...COURSE, instance: 1, amount: 300, minimum: 300, waitMs: 1_000 },
  };
  const steps: readonly Step[] = [
    ASK,
    SERVE,
    second,
    SERVE,
    { kind: "wait", ms: 10 },
    { kind: "refuse", connects: 4 },
    { kind: "restart" },
    { kind: "wait", ms: 10_000 },
  ];
  const { violation, settlements } = await runInstances(steps);
  assertEquals([violation, settlements], [undefined, 1]);
});
