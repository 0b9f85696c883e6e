import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { addCounts } from "./counts.ts";

const usage = (times = 1) => ({
  input_tokens: 10 * times,
  input_tokens_details: { cached_tokens: 4 * times },
  output_tokens: 5 * times,
});

Deno.test("counts add up, also those within one another", () => {
  assertEquals(addCounts([usage(), usage(2), usage(3)]), usage(6));
});

Deno.test("a missing count is zero, and a single count is returned unchanged", () => {
  assertEquals(addCounts([]), undefined);
  assertEquals(addCounts([null, undefined]), undefined);
  assertEquals(addCounts([null, usage(), undefined]), usage());
});

Deno.test("a member that is not a count has the last value", () => {
  const a: object = { ...usage(), tier: "a", details: null, more: { kept: 1 }, lost: 2 };
  const b: object = { ...usage(), tier: "b", details: { images: 1 }, more: null, new: 3 };
  assertEquals<object | undefined>(addCounts([a, b]), {
    ...usage(2),
    ...{ tier: "b", details: { images: 1 }, more: { kept: 1 }, lost: 2, new: 3 },
  });
});

Deno.test("a sum counts everything once, for any names", () => {
  const counts = fc.dictionary(fc.string(), fc.nat(), { noNullPrototype: true });
  fc.assert(fc.property(fc.array(counts, { minLength: 1 }), (all) => {
    const totals = new Map<string, number>();
    for (const [name, count] of all.flatMap((one) => Object.entries(one))) {
      totals.set(name, (totals.get(name) ?? 0) + count);
    }
    assertEquals(new Map(Object.entries(addCounts(all) ?? {})), totals);
  }));
});

Deno.test("the summands stay unchanged", () => {
  const all = [usage(), usage()];
  addCounts(all);
  assertEquals(all, [usage(), usage()]);
});
