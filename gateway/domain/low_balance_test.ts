import { assertEquals } from "@std/assert";
import { isLow } from "./low_balance.ts";

const WALLET = { id: "w", tier: "t", writtenOff: 0n, createdAtMs: 0 };

Deno.test("a wallet is low with a twentieth of what was paid in, holds included", () => {
  const cases: readonly [bigint, bigint, bigint, boolean][] = [
    // Paid in, available, held.
    [100n, 5n, 0n, true],
    [100n, 6n, 0n, false],
    [100n, 5n, 1n, false],
    [100n, 0n, 0n, true],
    [0n, 0n, 0n, false],
  ];
  for (const [credits, available, held, expected] of cases) {
    const spent = credits - available - held;
    assertEquals(isLow({ ...WALLET, credits, available, held, spent }), expected, `${credits}`);
  }
});
