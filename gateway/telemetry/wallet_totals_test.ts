import { assertEquals } from "@std/assert";
import type { Wallet } from "../domain/ledger/ledger.ts";
import { lowMarkOf } from "../domain/ledger/low_balance.ts";
import { WalletTotals } from "./wallet_totals.ts";

/** Wallets whose count takes a time. */
function source(tookMs: () => number) {
  const clock = { ms: 0 };
  const wallets: Wallet[] = [];
  let counts = 0;
  const totals = new WalletTotals({
    monotonicMs: () => clock.ms,
    ledger: {
      async *allWallets() {
        counts++;
        clock.ms += tookMs();
        yield* await Promise.resolve([...wallets]);
      },
    },
    lowBalances: {
      marksOf: (some) => Promise.resolve(some.map((wallet) => lowMarkOf(wallet, undefined))),
    },
  });
  const add = (available: bigint) => {
    const nothing = { held: 0n, spent: 100n - available, writtenOff: 0n };
    const id = `w${wallets.length}`;
    wallets.push({ id, tier: "t", credits: 100n, available, ...nothing, createdAtMs: 0 });
  };
  return { clock, totals, add, counts: () => counts };
}

Deno.test("few wallets are counted at each read", async () => {
  const { totals, add } = source(() => 5);
  assertEquals(await totals.read(), { availableMicros: 0n, low: 0 });
  add(40n);
  add(10n);
  assertEquals(await totals.read(), { availableMicros: 50n, low: 1 });
});

Deno.test("a long count is repeated beside the readers, for 1 % of the time", async () => {
  const { totals, add, clock, counts } = source(() => 1_000);
  for (let n = 0; n < 1_200; n++) add(n % 2 === 0 ? 5n : 50n);
  const first = await totals.read();
  assertEquals(first, { availableMicros: 33_000n, low: 600 });
  add(5n);
  clock.ms += 98_000;
  assertEquals([await totals.read(), counts()], [first, 1]);
  clock.ms += 1_000;
  assertEquals([await totals.read(), counts()], [first, 2]);
  while ((await totals.read()).low === 600) await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals([await totals.read(), counts()], [{ availableMicros: 33_005n, low: 601 }, 2]);
});
