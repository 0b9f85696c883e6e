import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { withCli } from "../cli_test_support.ts";

const HOUR_MS = 3_600_000;

Deno.test("svc audit searches by person, action, subject and time", async () => {
  await withCli(async ({ run, json, admin }) => {
    await run("wallets credit team 1 --note Noon");
    admin.clock.ms += 2 * HOUR_MS;
    await run("wallets create later");
    const actions = async (options: string) => {
      const { entries } = await json(`audit ${options}`);
      return entries.map(({ action }: { action: string }) => action);
    };
    assertEquals(await actions("--limit 2"), ["createWallet", "creditWallet"]);
    assertEquals(await actions("--action creditWallet"), ["creditWallet"]);
    assertEquals(await actions("--subject /team/"), ["creditWallet"]);
    assertEquals(await actions("--since 1h"), ["createWallet"]);
    const early = await actions("--until 2026-11-21T13:00:00Z");
    assert(
      early.includes("creditWallet") && early.length === (await actions("--limit 100")).length - 1,
    );
    assertEquals(await actions("--who nobody"), []);
    assertStringIncludes((await run("audit --who nobody")).out, "No entry matches");
    const shown = await run("audit --action creditWallet", { columns: 250 });
    for (const text of ["Admin token", "/wallets/team/credit", "101.000000", "Noon"]) {
      assertStringIncludes(shown.out, text);
    }
    const { cursor } = await json("audit --limit 1");
    assertEquals(await actions(`--limit 1 --cursor ${cursor}`), ["creditWallet"]);
  });
});

Deno.test("svc audit export writes every entry and the end of the chain, which verify prints", async () => {
  await withCli(async ({ run, json, files }) => {
    await run("wallets credit team 1 --note Noon");
    const { file, entries, head } = await json("audit export -o audit.ndjson");
    assertEquals(file, "audit.ndjson");
    const lines = String(files.get("audit.ndjson")).trim().split("\n").map((line) =>
      JSON.parse(line)
    );
    assertEquals([lines.length, lines.at(-1)], [entries + 1, { end: { entries, head } }]);
    const verified = await json("audit verify");
    assertEquals([verified.entries, verified.head], [entries, head]);
    assertMatch((await run("audit export")).out, /"end":\{"entries":\d+,"head":"[0-9a-f]{64}"\}/);
  });
});
