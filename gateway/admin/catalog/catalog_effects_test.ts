import { assertEquals } from "@std/assert";
import { listed, strandedWallets } from "./catalog_effects.ts";

Deno.test("listed() names ten, and counts the rest", () => {
  const names = Array.from({ length: 12 }, (_, index) => `"w${index}"`);
  assertEquals(listed("Wallet", names.slice(0, 1)), 'Wallet "w0"');
  assertEquals(listed("Key", names.slice(0, 2)), 'Keys "w0", "w1"');
  assertEquals(listed("Wallet", names), `Wallets ${names.slice(0, 10).join(", ")} and 2 more`);
});

Deno.test("strandedWallets() groups wallets by the tier that is not there", () => {
  const wallets = [["a", "gone"], ["b", "old"], ["c", "gone"]].map(([id = "", tier = ""]) => (
    { id, tier }
  ));
  const stranded = strandedWallets({ tiers: [] }, wallets);
  assertEquals([...stranded], [["gone", ["a", "c"]], ["old", ["b"]]]);
});
