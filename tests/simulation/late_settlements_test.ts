import { assertEquals } from "@std/assert";
import { run } from "./run.ts";
import type { CommitFailure, Step } from "./steps.ts";

const CALM = { failures: [], usageFirst: false } as const;
/** Events of the request before the store fails, from its tasks to its answer. */
const BEFORE = [6, 8, 11, 14, 17];

/** Returns a streamed request whose store fails after some events; `none`: its plan has no tasks. */
function stepsOf(
  { how, plan, commits, events }: {
    readonly how: CommitFailure;
    readonly plan: "three" | "none";
    readonly commits: number;
    readonly events: number;
  },
): Step[] {
  const words = { plan: 5, a: 2, b: 7, c: 11, final: 6 };
  const parts = Object.fromEntries(
    Object.entries(words).map(([part, count]) => [part, { ...CALM, words: count }]),
  );
  const question = { seed: 5, key: 5, surface: "chat", stream: true, words: 2 } as const;
  const split = { choice: "all", plans: [plan], parts } as const;
  return [
    {
      kind: "ask",
      question: { ...question, maxTokens: 200, script: { ...CALM, words: 3 }, split },
    },
    { kind: "follow", pick: 0, events },
    { kind: "fail", how, commits, reads: 0 },
  ];
}

async function violationsOf(how: CommitFailure, plan: "three" | "none"): Promise<string[]> {
  const violations: string[] = [];
  const cases = [1, 2].flatMap((commits) =>
    BEFORE.map((events) => ({ how, plan, commits, events }))
  );
  for (const one of cases) {
    const afterwards: Step[][] = [
      [{ kind: "follow", pick: 0, events: 100 }],
      [{ kind: "follow", pick: 0, events: 14 }, { kind: "crash", landed: true, afterMs: 0 }],
    ];
    for (const [at, after] of afterwards.entries()) {
      const { violation } = await run(3, [...stepsOf(one), ...after]);
      const { commits, events } = one;
      const place = `${commits} after ${events} events, ${at === 0 ? "answered" : "killed"}`;
      if (violation !== undefined) violations.push(`${place}: ${violation.invariant}`);
    }
  }
  return violations;
}

for (const how of ["full", "unacknowledged"] as const) {
  Deno.test(`a settlement of a split request that the store refused, ${how}: answer and log are right`, async () => {
    assertEquals(await violationsOf(how, "three"), []);
  });
}

Deno.test("a failed answer after a plan without tasks tells the cost of the plan", async () => {
  assertEquals(await violationsOf("full", "none"), []);
});
