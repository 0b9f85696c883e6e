import { assertEquals } from "@std/assert";
import type { Cost } from "./counters.ts";
import { garbageFindings, loadFindings, pauseFindings, singleFindings } from "./path_marks.ts";

const COST: Cost = {
  requests: 1_000,
  seconds: 1,
  rate: 1_000,
  p50Ms: 1,
  p99Ms: 2,
  cpuMicros: 100,
  diskBytes: 0,
};

function verdicts(findings: readonly { readonly met: boolean | undefined }[]) {
  return findings.map(({ met }) => met);
}

Deno.test("marks under load are ratios to the bare forwarder", () => {
  const round = (rate: number, cpuMicros: number) => ({
    bare: COST,
    gateway: { ...COST, rate, cpuMicros },
  });
  const met = (rate: number, cpuMicros: number) =>
    verdicts(loadFindings("JSON", [round(rate, cpuMicros)]));
  assertEquals(met(300, 400), [true, true, undefined]);
  assertEquals(met(299, 401), [false, false, undefined]);
  assertEquals(verdicts(loadFindings("stream", [round(520, 290)])), [true, true, undefined]);
  assertEquals(verdicts(loadFindings("stream", [round(519, 291)])), [false, false, undefined]);
});

Deno.test("the marks of a single caller go beyond two commits of the same store", () => {
  const twoCommits = { p50Ms: 1, p99Ms: 3, diskBytes: 40_000 };
  const met = (gateway: Partial<Cost>) =>
    verdicts(
      singleFindings("JSON", [{ bare: COST, gateway: { ...COST, ...gateway }, twoCommits }]),
    );
  assertEquals(met({ cpuMicros: 600, p50Ms: 2.3, p99Ms: 10, diskBytes: 56_000 }), [
    true,
    true,
    true,
    true,
  ]);
  assertEquals(met({ cpuMicros: 601, p50Ms: 2.31, p99Ms: 10.1, diskBytes: 56_001 }), [
    false,
    false,
    false,
    false,
  ]);
});

Deno.test("a pause may cost a fifth of the processor time", () => {
  const met = (after: number) =>
    verdicts(pauseFindings({ before: [90, 100, 900], after: [after] }));
  assertEquals([met(120), met(121), met(NaN)], [[true], [false], [undefined]]);
});

Deno.test("a figure that the system does not show is skipped, and misses nothing", () => {
  const gateway = { ...COST, cpuMicros: NaN };
  const rows = loadFindings("JSON", [{ bare: COST, gateway }]);
  assertEquals(verdicts(rows), [true, undefined, undefined]);
  const garbage = (kilobytes: number, stream = false) =>
    verdicts(
      garbageFindings({ stream, connections: 32 }, { gateway: kilobytes * 1_024, bare: 0 }),
    );
  assertEquals(garbage(40), [true]);
  assertEquals(garbage(40.1), [false]);
  assertEquals(garbage(40.1, true), [undefined]);
});
