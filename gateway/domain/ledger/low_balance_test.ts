import { assertEquals } from "@std/assert";
import { isLow, lowMarkOf } from "./low_balance.ts";

Deno.test("a wallet is low with a tenth of what was paid in, or at its mark, holds included", () => {
  const cases: readonly [bigint, bigint, bigint, bigint | undefined, boolean][] = [
    // Credits, available, held, the operator's mark.
    [100n, 10n, 0n, undefined, true],
    [100n, 11n, 0n, undefined, false],
    [100n, 10n, 1n, undefined, false],
    [100n, 0n, 0n, undefined, true],
    [0n, 0n, 0n, undefined, true],
    [100n, 50n, 0n, 50n, true],
    [100n, 5n, 0n, 4n, false],
  ];
  for (const [credits, available, held, set, expected] of cases) {
    assertEquals(isLow({ available, held }, lowMarkOf({ credits }, set)), expected, `${credits}`);
  }
});
