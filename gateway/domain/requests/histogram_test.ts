import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  bucketOf,
  count,
  type Histogram,
  msOf,
  percentile,
  PERCENTILE_ERROR,
} from "./histogram.ts";

function histogramOf(times: readonly number[]): Histogram {
  const histogram: Histogram = new Map();
  for (const ms of times) count(histogram, bucketOf(ms));
  return histogram;
}

Deno.test("a percentile is within its error of the true one", () => {
  const times = fc.array(fc.integer({ min: 0, max: 3_600_000 }), { minLength: 1 });
  fc.assert(fc.property(times, fc.constantFrom(0.5, 0.95, 0.99, 1), (times, part) => {
    const sorted = times.toSorted((a, b) => a - b);
    const exact = sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
    const value = percentile(histogramOf(times), part) ?? NaN;
    assert(Math.abs(value - exact) <= PERCENTILE_ERROR * exact, `${value} for ${exact}`);
  }));
});

Deno.test("every whole time up to a minute is reported within the error bound", () => {
  for (let ms = 0; ms < 60_000; ms++) {
    const value = msOf(bucketOf(ms));
    assert(Math.abs(value - ms) <= PERCENTILE_ERROR * ms, `${value} for ${ms}`);
  }
});

Deno.test("buckets never fall, and short times are exact", () => {
  let last = -1;
  for (let ms = 0; ms < 20_000; ms++) {
    const bucket = bucketOf(ms);
    assert(bucket >= last);
    last = bucket;
    if (ms < 14) assertEquals(msOf(bucket), ms);
  }
  assertEquals(percentile(new Map(), 0.5), undefined);
  assertEquals([bucketOf(-1), bucketOf(NaN)], [0, 0]);
  assert(bucketOf(Infinity) === bucketOf(86_400_000));
});
