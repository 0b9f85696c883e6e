/**
 * The console in a real browser: sign-in, the frame of every page, and that all of them are fit to use.
 *
 * @module
 */

import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { assertAccessible, assertFits, loadChecksWith } from "./accessibility.ts";
import { browserTest, type ConsoleVisit, follow, type Look, signIn } from "./browser.ts";
import { VISITS } from "./visits.ts";

const LOOKS: readonly Look[] = [
  { size: "wide", colours: "light", language: "en" },
  { size: "narrow", colours: "dark", language: "zh" },
  { size: "wide", colours: "dark", language: "en" },
  { size: "narrow", colours: "light", language: "en" },
];

browserTest("sign in, sort a list, sign out", async (visit) => {
  await visit.service.admin("POST", "/wallets", { id: "aardvark", credits: "5" });
  for (const look of LOOKS) {
    const page = await visit.signedIn("/wallets", { ...look, language: "en" });
    assertEquals(await page.locator("h1").textContent(), "Wallets");
    const first = page.locator("tbody th").first();
    await follow(page, page.locator("thead").getByRole("link", { name: "Wallet" }));
    assertEquals(await first.textContent(), "aardvark");
    await follow(page, page.locator("thead").getByRole("link", { name: "Wallet" }));
    assertEquals(await first.textContent(), "default");
    await follow(page, page.getByRole("button", { name: "Sign out", exact: true }));
    await page.goto(visit.url("/wallets"));
    assertMatch(page.url(), /sign-in\?next=/);
    await page.context().close();
  }
});

browserTest("all of it works without scripts", async (visit) => {
  const page = await visit.signedIn("/wallets", { scripts: false });
  await page.getByLabel("Name contains").fill("def");
  await follow(page, page.getByRole("button", { name: "Filter" }));
  assertEquals(await page.locator("tbody tr").count(), 1);
  await follow(page, page.getByRole("link", { name: "中文" }));
  assertEquals(await page.locator("h1").textContent(), "钱包");
  assertEquals(await page.locator("input[name=name]").inputValue(), "def");
  await follow(page, page.getByRole("button", { name: "退出登录" }));
  assertMatch(page.url(), /sign-in/);
});

browserTest("all of it works by keyboard, from the skip link on", async (visit) => {
  const page = await visit.stranger();
  await page.goto(visit.url("/wallets"));
  await page.keyboard.press("Tab");
  assertEquals(await page.evaluate("document.activeElement.className"), "skip");
  await page.locator("input[name=token]").press("a");
  await page.keyboard.press("Enter");
  await page.locator("[aria-invalid=true]:focus").waitFor();
  await signIn(page);
  await page.waitForURL(/wallets/);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assertEquals(await page.evaluate("document.activeElement.id"), "content");
});

browserTest("the chosen colours stand against the machine's", async (visit) => {
  const page = await visit.stranger({ colours: "light" });
  await page.goto(visit.url("/sign-in"));
  const ground = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
  const light = await ground();
  await follow(page, page.getByRole("link", { name: "Dark" }));
  const dark = await ground();
  assertNotEquals(dark, light);
  await page.reload();
  assertEquals(await ground(), dark);
  await follow(page, page.getByRole("link", { name: "System" }));
  assertEquals(await ground(), light);
});

browserTest("a form of another page changes nothing", async (visit) => {
  const page = await visit.signedIn("/wallets");
  const other = await page.context().newPage();
  // A server on another port is the same site: SameSite alone would let it in.
  const action = visit.url("/sign-out-everywhere");
  const form = `<form method="post" action="${action}"><button>Win</button></form>`;
  await using server = foreignPage(form);
  await other.goto(`http://127.0.0.1:${server.addr.port}/`);
  await other.locator("button").click();
  await other.waitForURL(/console/);
  assertMatch(await other.locator("h1").textContent() ?? "", /did not come from/);
  await other.close();
  await page.reload();
  assertEquals(await page.locator("h1").textContent(), "Wallets");
});

browserTest(
  "a link on another site leads to its page, or to the sign-in and then there",
  async (visit) => {
    const page = await visit.signedIn("/wallets");
    const link = `<a href="${visit.url("/keys?state=active")}">Keys</a>`;
    // Another host is another site: the cookie does not come along.
    await using server = foreignPage(link, "localhost");
    const elsewhere = `http://localhost:${server.addr.port}/`;
    const [other, stranger] = [await page.context().newPage(), await visit.stranger()];
    await other.goto(elsewhere);
    await other.locator("a").click();
    await other.waitForURL(/keys\?state=active$/);
    await other.getByRole("heading", { name: "Keys" }).waitFor();
    const unasked = await stranger.context().newPage();
    await unasked.goto(elsewhere);
    await unasked.locator("a").click();
    await unasked.waitForURL(/sign-in\?next=/);
    await signIn(unasked);
    assertMatch(unasked.url(), /keys\?state=active$/);
  },
);

browserTest("the policy holds back what would slip through", async (visit) => {
  const page = await visit.signedIn("/wallets");
  const added = `
    const script = document.createElement("script");
    script.textContent = "document.title = 'taken over'";
    document.body.append(script);
    document.body.insertAdjacentHTML("beforeend", '<b onclick="document.title = 1" id="b">b</b>');
    document.getElementById("b").click();
    document.title`;
  assertMatch(String(await page.evaluate(added)), /Wallets/);
  const held = visit.complaints.splice(0);
  assertEquals(held.filter((line) => /Content Security Policy/.test(line)).length, held.length);
  assertEquals(held.length >= 2, true);
});

browserTest("no page keeps anybody out, in any look", async (visit) => {
  for (const { prepare } of VISITS) await prepare?.(visit.service);
  // Between them both widths, both colours and both languages.
  for (const look of LOOKS.slice(0, 2)) await checkAll(visit, look);
});

async function checkAll(visit: ConsoleVisit, look: Look): Promise<void> {
  const [signedIn, stranger] = [await visit.signedIn("", look), await visit.stranger(look)];
  await Promise.all([signedIn, stranger].map((page) => loadChecksWith(page.context())));
  for (const { path, isPublic } of VISITS) {
    const page = isPublic ? stranger : signedIn;
    await page.goto(visit.url(path));
    await assertFits(page);
    await assertAccessible(page);
  }
  await signedIn.context().close();
  await stranger.context().close();
}

function foreignPage(page: string, hostname = "127.0.0.1"): Deno.HttpServer<Deno.NetAddr> {
  const headers = { "content-type": "text/html" };
  return Deno.serve({ hostname, port: 0, onListen: () => {} }, () => {
    return new Response(page, { headers });
  });
}
