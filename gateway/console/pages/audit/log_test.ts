import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { withConsole } from "../../console_test_support.ts";

const HOUR_MS = 3_600_000;

Deno.test("the audit log is searched by who, action, subject and time, and exported whole", async () => {
  await withConsole(async (browser, admin) => {
    await admin.post("/wallets/team/credit", { credits: "1", note: "<b>Noon</b>", opId: "noon" });
    admin.clock.ms += 2 * HOUR_MS;
    await admin.post("/wallets", { id: "later" });
    await browser.signIn();
    const rows = async (query: string) => {
      const { status, text } = await browser.get(`/audit?${query}`);
      assertEquals(status, 200, text);
      assertNotMatch(text, /<b>Noon/);
      return /<tbody>(.*)<\/tbody>/s.exec(text)?.[1] ?? "";
    };
    const all = await rows("");
    assertStringIncludes(all, "&lt;b&gt;Noon&lt;/b&gt;");
    for (const text of ["/wallets/team", "/wallets", "signIn", "createWallet", "creditWallet"]) {
      assertStringIncludes(all, text);
    }
    assertNotMatch(await rows("action=creditWallet"), /createWallet|signIn/);
    assertNotMatch(await rows("subject=team"), /signIn/);
    assertEquals(await rows("who=nobody"), "");
    const times = ["since=2026-11-21T13:00", "since=2026-11-21T21:00&zone=%2B08:00", "range=1h"];
    for (const time of times) {
      const late = await rows(time);
      assertMatch(late, /signIn/);
      assertNotMatch(late, /creditWallet/);
    }
    const early = await rows("until=2026-11-21T13:00");
    assertMatch(early, /creditWallet/);
    assertNotMatch(early, /signIn/);
    const file = await browser.get("/feeds/audit");
    assertStringIncludes(file.headers.get("content-disposition") ?? "", "audit.ndjson");
    const lines = file.text.trim().split("\n").map((line) => JSON.parse(line));
    assertEquals(lines.at(-1).end.entries, lines.length - 1);
  });
});
