import { assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { CONTENT } from "../../../admin/admin_test_support.ts";
import { formOf, unescaped, withConsole } from "../../console_test_support.ts";

const HOSTILE = "<script>alert(1)</script>\u202e";
const CHECK = "/catalog/check";

Deno.test("a catalog is checked when that is asked for, and what is wrong comes first", async () => {
  let probes = 0;
  const models = () => {
    probes++;
    return Promise.resolve(["slow-maxi"]);
  };
  await withConsole(async (browser) => {
    await browser.signIn();
    const page = await browser.get(CHECK);
    assertEquals([page.status, probes], [200, 0], "opening the page calls no upstream");
    assertStringIncludes(page.text, "Check now");
    const { text } = await browser.post(CHECK, formOf(page.text));
    assertEquals(probes, 1);
    for (const part of ["1 of 2 models needs attention", "Out of date", "No problem", "Answers"]) {
      assertStringIncludes(text, part);
    }
    assertStringIncludes(unescaped(text), 'Upstream "lab" does not list "fast-mini"');
    assertEquals(text.indexOf(">fast-mini<") < text.indexOf(">slow-maxi<"), true);
    const chinese = await browser.post(CHECK, {}, { "accept-language": "zh-CN" });
    assertStringIncludes(chinese.text, "已过时");
  }, { connect: () => ({ models, close: () => {} }) });
});

Deno.test("a check of upstreams that fail or lack their keys names them as text", async () => {
  const models = () => Promise.reject(new Error(`No ${HOSTILE}`));
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const failed = await browser.post(CHECK);
    assertStringIncludes(failed.text, "Unreachable");
    assertStringIncludes(failed.text, String.raw`No &lt;script&gt;alert(1)&lt;/script&gt;\u{202e}`);
    assertNotMatch(failed.text, /<script>alert|provider-secret/);
    const upstreams = CONTENT.upstreams.map(({ apiKey: _, ...rest }) => (
      { ...rest, apiKeyEnv: "LAB_KEY" }
    ));
    await admin.post("/catalog/apply", { content: { ...CONTENT, upstreams } });
    const { text } = await browser.post(CHECK);
    assertStringIncludes(text, "No credentials");
    assertStringIncludes(text, "set LAB_KEY and restart the gateway");
    const foreign = await browser.post(CHECK, {}, { origin: "https://page.example" });
    assertEquals(foreign.status, 403);
  }, { connect: () => ({ models, close: () => {} }), env: () => undefined });
});
