import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { withConsole } from "../../console_test_support.ts";

Deno.test("a wallet is corrected by a form, once however often it is sent", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const wallet = async () => (await admin.get("/wallets/team")).body;
    const debit = { once: "a", credits: " 12.5 ", note: "Twice" };
    const answers = [
      await browser.post("/wallets/team/debit", debit),
      await browser.post("/wallets/team/debit", debit),
    ];
    assertEquals(answers.map(({ status }) => status), [303, 303]);
    assertEquals((await wallet()).available, "87.500000");
    const stale = { once: "b", expected: "100.000000", balance: "90", note: "Count" };
    const refused = await browser.post("/wallets/team/adjust", stale);
    assertEquals([refused.status, (await wallet()).available], [422, "87.500000"]);
    assertStringIncludes(refused.text, 'name="expected" value="87.500000"');
    const again = await browser.post("/wallets/team/adjust", { ...stale, expected: "87.5" });
    assertEquals([again.status, (await wallet()).available], [303, "90.000000"]);
    assertStringIncludes((await browser.get("/wallets/team")).text, "Count");
    const without = await browser.post("/wallets/team/debit", { ...debit, once: "c", note: " " });
    assert(without.status >= 400);
    assertEquals((await browser.get("/wallets/team/tier")).status, 200);
    assertEquals((await browser.get("/wallets/team/close")).status, 200);
  });
});

Deno.test("a correction above the limit waits in the list, and is refused or withdrawn there", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const close = { once: "end", expected: "100", note: "<b>Dissolved</b>" };
    assertEquals((await browser.post("/wallets/team/close", close)).status, 303);
    const { text } = await browser.get("/wallets/-/corrections");
    assertStringIncludes(text, "&lt;b&gt;Dissolved&lt;/b&gt;");
    const own = await browser.post("/wallets/-/corrections", { id: "end", do: "approve" });
    assertEquals(own.status, 403);
    assertStringIncludes(own.text, "Another person approves a correction");
    const refusal = { id: "end", do: "refuse", noted: "note-0", "note-0": "Mistake" };
    assertEquals((await browser.post("/wallets/-/corrections", refusal)).status, 303);
    assertEquals((await admin.get("/corrections/end")).body.remark, "Mistake");
    assertEquals((await admin.get("/wallets/team")).body.closedAt, null);
  });
});

Deno.test("a key is moved by a form", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    await admin.post("/wallets", { id: "other" });
    const { id } = (await admin.post("/keys", { name: "Shop", wallet: "team" })).body;
    assertStringIncludes((await browser.get(`/keys/${id}`)).text, `/keys/${id}/move`);
    const form = { once: "m", wallet: "other", note: "Another team" };
    assertEquals((await browser.post(`/keys/${id}/move`, form)).status, 303);
    assertEquals((await admin.get(`/keys/${id}`)).body.wallet, "other");
  });
});
