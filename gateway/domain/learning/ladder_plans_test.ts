import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { ALL_TASKS, ladderPlans, replay } from "./ladder_plans.ts";
import type { AuditRecord } from "./statistics.ts";

/** An audit of `large` and some cheap models, with the group of each model's answer. */
function auditOf(groups: Readonly<Record<string, number>>, task = "t"): AuditRecord {
  const cheap = Object.entries(groups).filter(([model]) => model !== "large");
  return {
    task,
    load: 1,
    answers: [
      { model: "large", group: groups["large"] ?? 0, cost: 10 },
      ...cheap.map(([model, group]) => ({ model, group, cost: 1 })),
    ],
  };
}

const PAIR = { cheap: ["a", "b"], better: "large" };
const THREE = { cheap: ["a", "b", "c"], better: "large" };

Deno.test("replay() accepts the answer that two cheap models give", () => {
  const agreed = { equal: true, cost: 2, alone: 10 };
  assertEquals(replay(auditOf({ large: 0, a: 0, b: 0 }), PAIR), agreed);
  assertEquals(replay(auditOf({ large: 0, a: 1, b: 1 }), PAIR), { ...agreed, equal: false });
});

Deno.test("replay() asks the better model where two differ and there is no third", () => {
  const escalated = { equal: true, cost: 12, alone: 10 };
  assertEquals(replay(auditOf({ large: 0, a: 0, b: 1 }), PAIR), escalated);
});

Deno.test("replay() asks a third model only where two differ", () => {
  assertEquals(replay(auditOf({ large: 0, a: 0, b: 0, c: 1 }), THREE)?.cost, 2);
  assertEquals(replay(auditOf({ large: 0, a: 0, b: 1, c: 0 }), THREE), {
    ...{ equal: true, cost: 3, alone: 10 },
  });
  assertEquals(replay(auditOf({ large: 0, a: 0, b: 1, c: 1 }), THREE)?.equal, false);
  assertEquals(replay(auditOf({ large: 0, a: 1, b: 2, c: 3 }), THREE), {
    ...{ equal: true, cost: 13, alone: 10 },
  });
});

Deno.test("replay() needs every model of the ladder in the audit", () => {
  assertEquals(replay(auditOf({ large: 0, a: 0 }), PAIR), undefined);
  assertEquals(replay({ task: "t", load: 1, answers: [] }, PAIR), undefined);
});

Deno.test("ladderPlans() needs five audits of all models of a ladder", () => {
  const audit = auditOf({ large: 0, a: 0, b: 0 });
  assertEquals(ladderPlans({ audits: Array(4).fill(audit) }), {});
  assertEquals(Object.keys(ladderPlans({ audits: Array(5).fill(audit) })), [ALL_TASKS, "t"]);
  assertEquals(ladderPlans({ audits: [] }), {});
});

Deno.test("ladderPlans() shrinks the record of a task to that of all tasks", () => {
  const right = auditOf({ large: 0, a: 0, b: 0 });
  const wrong = auditOf({ large: 0, a: 1, b: 1 }, "hard");
  const plans = ladderPlans({ audits: [...Array(60).fill(right), ...Array(60).fill(wrong)] });
  const quality = (task: string) => plans[task]?.[0]?.quality ?? NaN;
  // 60 of 120 are equal, 60 count as half, and four more are assumed to be equal in nine of ten.
  assertAlmostEquals(quality(ALL_TASKS), 93.6 / 124, 1e-9);
  assertAlmostEquals(quality("t"), (60 + 16 * quality(ALL_TASKS)) / 76, 1e-9);
  assertAlmostEquals(quality("hard"), (30 + 16 * quality(ALL_TASKS)) / 76, 1e-9);
  assertEquals(plans["t"]?.[0]?.audits, 60);
});

Deno.test("ladderPlans() compares pairs and threes of at most five cheap models", () => {
  const groups = Object.fromEntries(["a", "b", "c", "d", "e", "f", "g"].map((name) => [name, 0]));
  const plans = ladderPlans({ audits: Array(5).fill(auditOf(groups)) });
  const all = plans[ALL_TASKS] ?? [];
  assertEquals(all.filter(({ cheap }) => cheap.length === 2).length, 10);
  assertEquals(all.filter(({ cheap }) => cheap.length === 3).length, 30);
  assert(all.every(({ cheap, better }) => better === "large" && !cheap.includes("f")));
});
