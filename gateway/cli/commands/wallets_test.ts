import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { assertFailed, withCli } from "../cli_test_support.ts";

Deno.test("svc wallets low-balance sets the mark of a low balance, and takes it back", async () => {
  await withCli(async ({ run, json }) => {
    assertMatch(
      (await run("wallets show team")).out,
      /\nlow at +10\.000000, a tenth of all credits/,
    );
    const marked = await run("wallets low-balance team 100");
    assertEquals([marked.code, marked.err], [0, ""]);
    assertMatch(marked.out, /\navailable +100\.000000 \(low\)\n[^]*\nlow at +100\.000000\n/);
    assertMatch((await run("wallets list")).out, /^WALLET .*LOW[^]*\nteam .* low\n/);
    const back = await json("wallets low-balance team tenth");
    assertEquals([back.lowBelow, back.lowBelowSet, back.low], ["10.000000", false, false]);
    assert(!(await run("wallets show team")).out.includes("(low)"));
    const never = await json("wallets low-balance team 0");
    assertEquals([never.lowBelow, never.lowBelowSet], ["0.000000", true]);
  });
});

Deno.test("svc wallets low-balance refuses an invalid amount and an unknown wallet", async () => {
  await withCli(async ({ run, json }) => {
    for (const amount of ["1e3", "0x10", "1,000", "１２", "much", "12345678901234567890"]) {
      const { code, out, err } = await run(`wallets low-balance team ${amount}`);
      assertEquals([code, out], [1, ""], amount);
      assertStringIncludes(err, "Give an amount of credits");
    }
    const negative = await run("wallets low-balance team -5");
    assertEquals([negative.code, negative.out], [2, ""]);
    assertMatch(negative.err, /^Credits must be positive, not -5\nUsage: svc wallets low-balance /);
    assertFailed(
      await run("wallets low-balance tem 5"),
      'There is no wallet "tem"; the nearest is "team"',
    );
    const missing = await run("wallets low-balance team");
    assertEquals(missing.code, 2);
    assertMatch(missing.err, /^CREDITS\|tenth is missing\n/);
    assertEquals((await json("wallets show team")).lowBelowSet, false);
  });
});
