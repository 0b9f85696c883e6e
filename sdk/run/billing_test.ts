import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { bill } from "../scripted_service_test.ts";
import { addBilling } from "./billing.ts";

/** Credits of so many micro-credits, as the service writes them. */
function credits(micros: bigint): string {
  const digits = String(micros).padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

Deno.test("a sum of bills is exact, however large and however many", () => {
  const micros = fc.array(fc.bigInt({ min: 0n, max: 10n ** 20n }), { minLength: 1 });
  fc.assert(fc.property(micros, (amounts) => {
    const sum = addBilling(amounts.map((amount) => bill(credits(amount), 3, 4)));
    assertEquals(sum?.charged, credits(amounts.reduce((a, b) => a + b)));
    assertEquals(sum?.total_tokens, 7 * amounts.length);
    assertEquals([sum?.input_tokens, sum?.output_tokens], [3, 4].map((n) => n * amounts.length));
  }));
});

Deno.test("a bill that is missing counts for nothing, and one alone is itself", () => {
  const one = bill("0.412");
  assertEquals(addBilling([]), undefined);
  assertEquals(addBilling([undefined, undefined]), undefined);
  assertEquals(addBilling([undefined, one, undefined]), one);
});

Deno.test("a foreign bill counts zero", () => {
  const odd = [
    null,
    {},
    { ...bill("1"), charged: 1 },
    bill(""),
    bill("."),
    bill("-1"),
    bill("1e3"),
  ];
  for (const one of odd) {
    const bills: unknown[] = [one, bill("0.1")];
    assertEquals(Reflect.apply(addBilling, undefined, [bills]), bill("0.1"));
    assertEquals(Reflect.apply(addBilling, undefined, [[one]]), undefined);
  }
});

Deno.test("a sum is estimated where a part is, and counts cache writes where there are some", () => {
  const estimated = { ...bill("1"), estimated: true, cache_write_input_tokens: 2 };
  assertEquals(addBilling([estimated, bill("1")]), {
    ...bill("2.000000", 20, 10),
    ...{ estimated: true, cache_write_input_tokens: 2 },
  });
  assertEquals(addBilling([bill("1"), bill("1")]), bill("2.000000", 20, 10));
});

Deno.test("a count that is not a number adds zero", () => {
  const odd: unknown = {
    ...bill("1"),
    cached_input_tokens: { toString: false },
    output_tokens: "9",
  };
  const sum = Reflect.apply(addBilling, undefined, [[odd, bill("1")]]);
  const { cached_input_tokens, output_tokens } = bill("1");
  assertEquals([sum.cached_input_tokens, sum.output_tokens], [cached_input_tokens, output_tokens]);
});
