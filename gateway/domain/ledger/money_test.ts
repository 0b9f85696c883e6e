import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  decimalPattern,
  divideUp,
  formatCredits,
  minMicros,
  parseCredits,
  parseDecimal,
} from "./money.ts";

Deno.test("parseDecimal reads plain decimals only", () => {
  const rows: [string, number, bigint | undefined][] = [
    ["0", 6, 0n],
    ["1000", 0, 1_000n],
    ["0.25", 9, 250_000_000n],
    ["1.500", 1, 15n],
    ["1.55", 1, undefined],
    ["007", 0, 7n],
    ["999999999999999", 6, 999_999_999_999_999_000_000n],
    ["9999999999999999", 6, undefined],
    ...["", ".5", "1.", "-1", "+1", "1e3", " 1", "1 ", "1\n", "١", "0x1", "NaN", "1,0"].map((
      text,
    ): [string, number, undefined] => [text, 6, undefined]),
  ];
  for (const [text, scale, value] of rows) assertEquals(parseDecimal(text, scale), value, text);
});

Deno.test("decimalPattern takes what parseDecimal reads, and nothing else", () => {
  const digits = (most: number) => fc.string({ unit: fc.constantFrom(..."0159"), maxLength: most });
  const text = fc.tuple(digits(17), fc.constantFrom("", ".", "-", "e"), digits(8), digits(14))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, fc.constantFrom(1, 6, 9), (value, scale) => {
      const isTaken = new RegExp(decimalPattern(scale)).test(value);
      assertEquals(isTaken, parseDecimal(value, scale) !== undefined, `${value} at ${scale}`);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("formatCredits writes six places, and parseCredits reads them back", () => {
  assertEquals(formatCredits(412_000n), "0.412000");
  assertEquals(formatCredits(-1n), "-0.000001");
  assertEquals(formatCredits(-12_500_000n), "-12.500000");
  fc.assert(fc.property(fc.bigInt(0n, 10n ** 20n), (amount) => {
    assertEquals(parseCredits(formatCredits(amount)), amount);
  }));
});

Deno.test("divideUp rounds up and minMicros takes the smaller", () => {
  assertEquals([divideUp(0n, 3n), divideUp(1n, 3n), divideUp(3n, 3n), divideUp(4n, 3n)], [
    0n,
    1n,
    1n,
    2n,
  ]);
  assertEquals([minMicros(1n, 2n), minMicros(2n, 1n)], [1n, 1n]);
});
