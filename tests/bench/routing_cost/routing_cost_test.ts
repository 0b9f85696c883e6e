import { assertEquals } from "@std/assert";
import { type RoutingCost, routingFindings } from "./routing_cost.ts";

const TIMES = { p50: 0.05, p99: 0.2, most: 1 };
const GOOD: RoutingCost = {
  ...{ learned: TIMES, verified: TIMES, unlearned: TIMES },
  ...{ snapshot: { p50: 30, p99: 50, most: 60 }, longestStep: { p50: 5, p99: 9, most: 12 } },
  ...{ commonTasksBytes: 200_000, largestTasksBytes: 700_000 },
  ...{ writtenBytes: 900_000, commits: 20, heapBytes: 1_000_000 },
};

function metOf(cost: Partial<RoutingCost>) {
  return routingFindings({ ...GOOD, ...cost }).map(({ met }) => met);
}

Deno.test("routingFindings() marks the median of decisions, the longest step, and the text", () => {
  const slow = { ...TIMES, p50: 0.1 };
  assertEquals(metOf({}), [true, true, true, true, true, undefined]);
  assertEquals(metOf({ learned: slow }), [false, true, true, true, true, undefined]);
  assertEquals(metOf({ verified: slow }), [true, false, true, true, true, undefined]);
  assertEquals(metOf({ longestStep: { ...TIMES, p50: 10 } })[3], false);
  assertEquals(metOf({ commonTasksBytes: 300_000 })[4], false);
});
