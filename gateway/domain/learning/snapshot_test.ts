import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { MEASURED_DIALS } from "../routing/dial.ts";
import { Additions } from "./additions.ts";
import { EMPTY_SNAPSHOT, ratesByDial } from "./snapshot.ts";
import { HALF_LIFE_MS } from "./statistics.ts";
import { addOutcomes, snapshotOf } from "./statistics_fixture_test.ts";

const VOTES = { model: "a", count: 4, score: 0 };

function served(count: number): Additions {
  const additions = new Additions();
  for (let at = 0; at < count; at++) {
    const sample = {
      task: "t",
      load: 1,
      price: 1 + at % 2,
      options: [["a", 1], ["b", 0.1]] as const,
    };
    additions.noteServed({
      ...{ walletId: "w", task: "t", model: "a", atMs: at, charged: 1, bestFactor: 1 },
      ...{ cheapestFactor: 0.1, sample },
    });
  }
  return additions;
}

Deno.test("a snapshot has the number after the one before, which does not change", () => {
  const first = snapshotOf(addOutcomes(new Additions(), VOTES));
  const copy = structuredClone(first);
  const second = snapshotOf(addOutcomes(new Additions(), VOTES), first, 2);
  assertEquals([EMPTY_SNAPSHOT.number, first.number, second.number], [0, 1, 2]);
  assertEquals(first, copy);
  assertEquals(second.wallets.get("w")?.totals["a"]?.outcomes, 8);
});

Deno.test("a wallet without additions stays the same object", () => {
  const first = snapshotOf(addOutcomes(new Additions(), VOTES, { ...VOTES, walletId: "other" }));
  const second = snapshotOf(addOutcomes(new Additions(), VOTES), first, 2);
  assert(second.wallets.get("other") === first.wallets.get("other"));
  assert(second.wallets.get("w") !== first.wallets.get("w"));
});

Deno.test("wallets are never combined", () => {
  const { wallets } = snapshotOf(
    addOutcomes(new Additions(), VOTES, { ...VOTES, walletId: "other", count: 9 }),
  );
  const outcomes = (id: string) => wallets.get(id)?.totals["a"]?.outcomes;
  assertEquals([outcomes("w"), outcomes("other")], [4, 9]);
});

Deno.test("outcomes decay by the time since the wallet's last addition", () => {
  const first = snapshotOf(addOutcomes(new Additions(), VOTES));
  const second = snapshotOf(addOutcomes(new Additions(), VOTES), first, 1 + HALF_LIFE_MS);
  assertAlmostEquals(second.wallets.get("w")?.totals["a"]?.sums.feedback?.weight ?? 0, 6, 1e-9);
});

Deno.test("a snapshot measures rates and the typical price on the sample", () => {
  const few = snapshotOf(served(10)).wallets.get("w");
  assertEquals([few?.rates, few?.typicalPrice?.mean], [undefined, 1.5]);
  const wallet = snapshotOf(served(40)).wallets.get("w");
  assert(wallet !== undefined);
  assertEquals(ratesByDial(wallet).map(([dial]) => dial), MEASURED_DIALS);
  assertEquals(
    snapshotOf(addOutcomes(new Additions(), VOTES)).wallets.get("w")?.typicalPrice,
    undefined,
  );
});
