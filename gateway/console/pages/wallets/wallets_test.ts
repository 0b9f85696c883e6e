import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type TestBrowser, withConsole } from "../../console_test_support.ts";

const HOSTILE = `<b id="x">&"'</b>`;

async function onceOf(browser: TestBrowser, path: string): Promise<string> {
  return /name="once" value="([^"]+)"/.exec((await browser.get(path)).text)?.[1] ?? "";
}

Deno.test("an amount is checked first, and paid once however often it is sent", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const credits = async () => (await admin.get("/wallets/team")).body.credits;
    const path = "/wallets/team/credit";
    const form = { once: await onceOf(browser, path), credits: " 12.5 ", note: "Invoice 17" };
    const checked = await browser.post(path, form);
    assertEquals([checked.status, await credits()], [200, "100.000000"]);
    assertStringIncludes(checked.text, "100 credits available, and 112.5 afterwards");
    const pay = () => browser.post(path, { ...form, do: "pay" });
    const answers = [...await Promise.all([pay(), pay()]), await pay()];
    assertEquals(answers.map(({ status }) => status), [303, 303, 303]);
    assertEquals(await credits(), "112.500000");
    const other = await browser.post(path, { ...form, credits: "99", do: "pay" });
    assertEquals([other.status, await credits()], [422, "112.500000"]);
    assertStringIncludes((await browser.get("/wallets/team")).text, "Invoice 17");
  });
});

Deno.test("an invalid amount is refused, and so is a form from another site", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    for (const credits of ["", "0", "-5", "1e3", "0.0000001", "NaN", HOSTILE]) {
      const answer = await browser.post("/wallets/team/credit", { once: "a", credits, do: "pay" });
      assertEquals([answer.status, answer.text.includes("<b id")], [422, false]);
    }
    const foreign = { origin: "https://page.example" };
    const forms: readonly (readonly [string, Record<string, string>])[] = [
      ["/wallets/team/credit", { once: "a", credits: "5", do: "pay" }],
      ["/wallets/-/new", { id: "more", tier: "basic" }],
      ["/wallets/team", { below: "100" }],
    ];
    for (const [path, fields] of forms) {
      assertEquals((await browser.post(path, fields, foreign)).status, 403);
    }
    const { wallets } = (await admin.get("/wallets")).body;
    assertEquals(
      wallets.map((wallet: { credits: string; low: boolean }) => [wallet.credits, wallet.low]),
      [["100.000000", false]],
    );
  });
});

Deno.test("a wallet is opened once, with its tier", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const form = { id: "lab", tier: "basic", credits: "5" };
    const made = await browser.post("/wallets/-/new", form);
    assertEquals(made.headers.get("location"), "/console/wallets/lab");
    assertEquals((await admin.get("/wallets/lab")).body.tier, "basic");
    admin.clock.ms++;
    const again = await browser.post("/wallets/-/new", { ...form, tier: "standard" });
    assertEquals(again.status, 422);
    assertStringIncludes(again.text, "already");
    assertEquals((await admin.get("/wallets/lab")).body.credits, "5.000000");
    const wrong = await browser.post("/wallets/-/new", { id: HOSTILE, tier: "basic" });
    assertEquals([wrong.status, wrong.text.includes("<b id")], [422, false]);
    assertStringIncludes(wrong.text, 'id="error-id"');
  });
});

Deno.test("the low-balance mark is set, reported and removed", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    await browser.post("/wallets/team", { below: "100" });
    assertStringIncludes((await browser.get("/wallets/team")).text, "The balance is low");
    assertStringIncludes((await browser.get("/wallets?balance=low")).text, ">team<");
    const wrong = await browser.post("/wallets/team", { below: "much" });
    assertEquals(wrong.status, 422);
    assertStringIncludes(wrong.text, 'value="much"');
    await browser.post("/wallets/team", { below: "" });
    assert(!(await browser.get("/wallets?balance=low")).text.includes(">team<"));
  });
});

Deno.test("a statement pages with its balance, and as a file no note is a formula", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    for (let index = 0; index < 60; index++) {
      await admin.post("/wallets/team/credit", { credits: "1", note: `${index}` });
    }
    await admin.post("/wallets/team/credit", { credits: "1", note: `=HYPERLINK("${HOSTILE}")` });
    const first = await browser.get("/wallets/team");
    assert(!first.text.includes("<b id"));
    assertStringIncludes(first.text, 'value="161.000000"');
    const next = /href="([^"]*cursor=[^"]*)"/.exec(first.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = await browser.get(next.replace("/console", ""));
    assertStringIncludes(second.text, 'value="111.000000"');
    assertStringIncludes(second.text, 'value="0.000000"');
    const file = await browser.get("/feeds/wallets/team/statement.csv");
    assertStringIncludes(file.headers.get("content-disposition") ?? "", 'filename="team.csv"');
    const lines = file.text.trimEnd().split("\r\n");
    assertEquals(lines.length, 1 + 63 + 1);
    assertStringIncludes(file.text, `"'=HYPERLINK`);
    assertEquals((await browser.get("/feeds/wallets/none/statement.csv")).status, 404);
  });
});
