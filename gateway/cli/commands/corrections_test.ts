import { assertEquals, assertMatch } from "@std/assert";
import { assertFailed, withCli } from "../cli_test_support.ts";

Deno.test("svc corrects a wallet with a note, and repeats nothing", async () => {
  await withCli(async ({ run, json }) => {
    const debited = await json("wallets debit team 10 --note Twice --op-id one");
    assertEquals([debited.correction.state, debited.wallet.available], ["applied", "90.000000"]);
    const again = await json("wallets debit team 10 --note Twice --op-id one");
    assertEquals(again.wallet.available, "90.000000");
    assertMatch((await run("wallets debit team 10")).err, /^--note is missing/);
    const adjusted = await run("wallets adjust team 95 --expected 90 --note Count");
    assertMatch(adjusted.out, /\nkind +adjust\n[^]*\navailable +95\.000000\n/);
    assertFailed(
      await run("wallets adjust team 95 --expected 90 --note Count"),
      "The wallet has another balance than the expected one: count again",
    );
    await run("wallets create small --credits 50");
    assertEquals((await json("wallets tier small basic --note Less")).wallet.tier, "basic");
    assertFailed(
      await run("wallets tier small basik --note Less"),
      'There is no tier "basik"; the nearest is "basic"',
    );
    await run("wallets create other");
    const { id } = await json("keys create --name Shop --wallet team");
    const moved = await json(`keys move ${id} other --note Team`);
    assertEquals([moved.correction.key, moved.correction.wallet], [id, "other"]);
    assertEquals((await json(`keys show ${id}`)).wallet, "other");
    const statement = await run("wallets statement team");
    assertMatch(statement.out, /adjust +5\.000000 .*Count\n[^]*debit +-10\.000000 .*Twice\n/);
    assertMatch((await run("wallets statement small")).out, /tier +0\.000000 .*Less\n/);
  });
});

Deno.test("svc corrections: one above the limit waits, and nobody approves their own", async () => {
  await withCli(async ({ run, json }) => {
    const waiting = await run("wallets close team --expected 100 --note Dissolved --op-id end");
    assertMatch(waiting.out, /state +waiting\n[^]*svc corrections approve end\n$/);
    assertMatch((await run("corrections list")).out, /\nend +waiting +close +team +100\.000000/);
    assertMatch((await run("corrections show end")).out, /\nnote +Dissolved\n/);
    assertFailed(
      await run("corrections approve end"),
      "Another person approves a correction, not the one who asked for it",
    );
    const withdrawn = await json("corrections refuse end --note Mistake");
    assertEquals([withdrawn.correction.state, withdrawn.correction.remark], ["refused", "Mistake"]);
    assertEquals((await json("wallets show team")).closedAt, null);
    assertFailed(
      await run("requests refund log_none --note Empty"),
      'There is no request with the log id "log_none"; give the id of its row, as log_…',
    );
  });
});
