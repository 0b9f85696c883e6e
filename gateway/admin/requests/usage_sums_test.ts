import { assertEquals } from "@std/assert";
import { NAMES_A_DAY } from "../../domain/requests/named_sums.ts";
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

Deno.test("UsageSums sums by user and by the value of a tag, and filters by both", () => {
  const sumsOf = (by: ConstructorParameters<typeof UsageSums>[0], filter = {}) => {
    const sums = new UsageSums(by, filter);
    for (
      const [log, names] of [
        ["a", { user: "ann", tags: "env=prod,team=x" }],
        ["b", { user: "ann", tags: "env=test,team=x" }],
        ["c", { user: "bob" }],
        ["d", { tags: "env=prod" }],
        ["d", { tags: "env=prod" }],
      ] as const
    ) sums.add({ ...SETTLEMENT, ...names, log });
    return sums.rows().map((
      { group, kind, requests, charged },
    ) => [group, kind, requests, charged]);
  };
  assertEquals(sumsOf("user"), [
    ["ann", "named", 2, "0.000010"],
    ["", "none", 1, "0.000010"],
    ["bob", "named", 1, "0.000005"],
  ]);
  assertEquals(sumsOf("tag:env"), [
    ["prod", "named", 2, "0.000015"],
    ["test", "named", 1, "0.000005"],
    ["", "none", 1, "0.000005"],
  ]);
  assertEquals(sumsOf("tag:other"), [["", "none", 4, "0.000025"]]);
  assertEquals(sumsOf("model", { tag: "env=prod" }), [["fast-mini", "named", 2, "0.000015"]]);
  assertEquals(sumsOf("tag:team", { tag: "env=prod", user: "ann" }), [
    ["x", "named", 1, "0.000005"],
  ]);
  assertEquals(sumsOf("day", { user: "nobody" }), []);
});

Deno.test("UsageSums sums names beyond the maximum of a day as one row", () => {
  const sums = new UsageSums("user");
  for (let n = 0; n < NAMES_A_DAY + 50; n++) {
    sums.add({ ...SETTLEMENT, user: `u${n}`, log: `log_${n}` });
  }
  const rows = sums.rows();
  assertEquals(rows.length, NAMES_A_DAY + 1);
  const [other] = rows;
  assertEquals([other?.group, other?.kind, other?.requests], ["other", "other", 50]);
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
