import { assertAlmostEquals, assertEquals } from "@std/assert";
import { GarbageCount } from "./garbage.ts";

const MEGABYTE = 1_048_576;

function collection(heap: string, before: string, after: string, kind = "Scavenge"): string {
  return `[4278:${heap}]       14 ms: ${kind} ${before} (4.2) -> ${after} (4.5) MB, pooled: 0.0 MB, ` +
    "0.71 / 0.00 ms (average mu = 1.000, current mu = 1.000) allocation failure; ";
}

Deno.test("allocations are what a heap grows by between two collections", () => {
  const count = new GarbageCount();
  count.take(collection("0x1", "3.2", "2.0"));
  assertEquals(count.bytes, 0);
  count.take(collection("0x1", "5.0", "4.0"));
  count.take(collection("0x1", "7.5", "2.5", "Mark-Compact (reduce)"));
  assertAlmostEquals(count.bytes, 6.5 * MEGABYTE);
});

Deno.test("each heap is counted by itself, and other lines are passed over", () => {
  const count = new GarbageCount();
  count.take(collection("0x1", "3.0", "1.0"));
  count.take("  public    http://127.0.0.1:8787");
  count.take(collection("0x2", "9.0", "8.0"));
  count.take(collection("0x1", "3.0", "1.0"));
  count.take(collection("0x2", "9.0", "8.0"));
  assertAlmostEquals(count.bytes, 3 * MEGABYTE);
});
