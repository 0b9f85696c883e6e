import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { START_MS, type TestAdmin } from "../../../admin/admin_test_support.ts";
import { withConsole } from "../../console_test_support.ts";

const HOSTILE = `"><img src=x onerror=alert(1)>`;

async function spend({ deps }: Pick<TestAdmin, "deps">): Promise<void> {
  const calls = [
    { holdId: "h1", user: HOSTILE, tags: "env=prod,team=search" },
    { holdId: "h2", user: "ann", tags: "team=mail" },
    { holdId: "h3" },
  ];
  for (const call of calls) {
    const { holdId } = call;
    const names = { walletId: "team", keyId: "key_a", logId: holdId, model: "fast-mini" };
    const amounts = { amount: 9n, minimum: 9n, budget: {}, priceVersion: 1, atMs: START_MS };
    await deps.ledger.hold({ kind: "hold", ...names, ...amounts, ...call }, { waitMs: 0 });
    const tokens = { inputTokens: 7, cachedInputTokens: 0, outputTokens: 1, estimated: false };
    await deps.ledger.settle({ kind: "settle", holdId, cost: 5n, ...tokens, atMs: START_MS });
  }
}

Deno.test("usage is grouped by what is chosen, and narrowed by tag and user", async () => {
  await withConsole(async (browser, admin) => {
    await spend(admin);
    await browser.signIn();
    const textOf = async (query: string) => (await browser.get(`/usage?${query}`)).text;
    assertMatch(await textOf(""), /2026-11-21/);
    assertMatch(await textOf("by=model"), /fast-mini/);
    const teams = await textOf("by=tag&name=team");
    for (const text of ["search", "mail", "<em>without</em>"]) assertStringIncludes(teams, text);
    const narrowed = await textOf("by=tag&name=team&tag=env%3Dprod");
    assertStringIncludes(narrowed, "search");
    assertNotMatch(narrowed, />mail</);
    assertStringIncludes(await textOf("user=nobody"), "No usage in this time");
    const users = await textOf("by=user");
    assertStringIncludes(users, "ann");
    assertNotMatch(users, /<img src=x/);
  });
});

Deno.test("a grouping that lacks its tag is explained, and the form is kept", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const missing = await browser.get("/usage?by=tag");
    assertEquals(missing.status, 200);
    assertStringIncludes(missing.text, "Enter the name of the tag");
    const wrong = await browser.get("/usage?by=tag&name=1+2&user=ann");
    assertEquals(wrong.status, 400);
    assertStringIncludes(wrong.text, 'value="ann"');
  });
});
