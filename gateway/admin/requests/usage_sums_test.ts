import { assertEquals } from "@std/assert";
import { type Settlement, UsageSums } from "./usage_sums.ts";

const SETTLEMENT: Settlement = {
  op: "settle",
  id: "hold_1",
  wallet: "team",
  key: "key_a",
  log: "log_1",
  model: "fast-mini",
  priceVersion: 1,
  held: 10n,
  charged: 5n,
  writtenOff: 0n,
  inputTokens: 3,
  cachedInputTokens: 1,
  outputTokens: 2,
  estimated: false,
  at: Date.UTC(2026, 10, 21),
};

Deno.test("UsageSums counts the calls of one request once, as long as they lie close together", () => {
  const requests = (logs: readonly string[]) => {
    const sums = new UsageSums("key", { remembered: 2 });
    for (const log of logs) sums.add({ ...SETTLEMENT, log });
    return sums.rows()[0]?.requests;
  };
  assertEquals(requests(["a", "a", "b", "a"]), 2);
  assertEquals(requests(["a", "b", "c", "c", "b"]), 3);
  assertEquals(requests(["a", "b", "c", "a"]), 4);
});

Deno.test("UsageSums orders models by charge, then by name, and days by date", () => {
  const order = (by: "model" | "day") => {
    const sums = new UsageSums(by);
    const day = 86_400_000;
    for (const [model, charged, days] of [["b", 5n, 2], ["a", 5n, 1], ["c", 9n, 3]] as const) {
      sums.add({ ...SETTLEMENT, model, charged, at: SETTLEMENT.at + days * day });
    }
    return sums.rows().map(({ group }) => group);
  };
  assertEquals(order("model"), ["c", "a", "b"]);
  assertEquals(order("day"), ["2026-11-22", "2026-11-23", "2026-11-24"]);
});
