import { assertEquals } from "@std/assert";
import { addedFinding, importFinding, type SdkRound, streamFinding } from "./sdk_cost.ts";

function rounds(...pairs: readonly (readonly [bare: number, sdk: number])[]): SdkRound[] {
  return pairs.map(([bare, sdk]) => ({ bare, sdk }));
}

Deno.test("addedFinding() goes by the median of what rounds added", () => {
  const one = addedFinding(rounds([1, 1.2], [5, 5.1], [1, 9]));
  assertEquals([one.measured, one.met], ["0.200 ms", true]);
  assertEquals(addedFinding(rounds([1, 1.3], [1, 1.31], [1, 1.32])).met, false);
});

Deno.test("streamFinding() goes by the median of the rounds' own ratios", () => {
  const one = streamFinding(rounds([100, 90], [10, 8.5], [100, 1]));
  assertEquals([one.measured, one.met], ["0.85", true]);
  assertEquals(streamFinding(rounds([100, 84])).met, false);
});

Deno.test("importFinding() compares the medians of starts", () => {
  const one = importFinding(rounds([20, 70], [500, 70], [21, 900]));
  assertEquals([one.measured, one.met], ["49 ms", true]);
  assertEquals(importFinding(rounds([20, 80])).met, false);
});
