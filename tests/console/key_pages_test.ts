/**
 * The pages of key holders in a real browser: a link from the console, a walk, and that all pages are
 * fit to use.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { assertAccessible, assertFits, loadChecksWith } from "./accessibility.ts";
import { browserTest, type ConsoleVisit, follow, type Look, type Page } from "./browser.ts";

const BUDGET = { budget: { day: "5", month: "100" }, requestsPerMinute: 600 };

function press(page: Page, name: string): Promise<void> {
  return follow(page, page.getByRole("button", { name, exact: true }));
}

function go(page: Page, name: string): Promise<void> {
  return follow(page, page.getByRole("link", { name, exact: true }).first());
}

/** Makes a link as the operator does. */
async function linkOf({ service }: ConsoleVisit, id: string): Promise<string> {
  return String((await service.admin("POST", `/keys/${id}/sign-in-link`)).url);
}

async function holder(visit: ConsoleVisit, id: string, look: Look = {}): Promise<Page> {
  const page = await visit.stranger(look);
  await page.goto(await linkOf(visit, id));
  await follow(page, page.locator("main button[type=submit]"));
  return page;
}

async function calledKey({ service }: ConsoleVisit): Promise<{ id: string; key: string }> {
  const made = await service.newKey({ policy: BUDGET });
  for (const [requestId, content] of [["first-call", "Words of a prompt"], ["second-call", "Hi"]]) {
    const headers = { "x-request-id": requestId ?? "" };
    const answer = await service.chat({ user: "ann", messages: [{ role: "user", content }] }, {
      ...{ key: made.key, headers },
    });
    await answer.text();
  }
  return made;
}

browserTest("a holder walks from the operator's link to the bill of a call", async (visit) => {
  const { id } = await calledKey(visit);
  const operator = await visit.signedIn(`/keys/${id}`);
  await press(operator, "Sign-in link");
  const shown = await operator.locator("main").innerText();
  const [link = ""] = /http\S+#svc_link_\w+/.exec(shown) ?? [];
  const [, code = ""] = link.split("#");
  const page = await visit.stranger();
  // The browser itself sends nothing of the code, and does not keep it in the address.
  const addresses: string[] = [];
  page.on(
    "request",
    (request) => addresses.push(request.url() + (request.headers().referer ?? "")),
  );
  await page.goto(link);
  await page.waitForFunction("location.hash === ''");
  assertEquals(await page.locator("input[name=code]").inputValue(), code);
  await press(page, "Sign in");
  assertMatch(page.url(), /\/me\/key$/);
  assertEquals(addresses.filter((url) => url.includes(code) && !url.includes(`#${code}`)), []);
  const key = await page.locator("main").innerText();
  for (const text of [id, "Credits today", "Requests a minute", "600", "Available"]) {
    assertStringIncludes(key, text);
  }
  await go(page, "Usage");
  assertStringIncludes(await page.locator("tbody").innerText(), new Date().getUTCFullYear() + "-");
  for (const [by, text] of [["model", "svc/sim"], ["user", "ann"]] as const) {
    await page.locator("select[name=by]").selectOption(by);
    await page.locator("form.filter button[type=submit]").click();
    await page.waitForURL(new RegExp(`by=${by}`));
    assertStringIncludes(await page.locator("tbody").innerText(), text);
  }
  await go(page, "Requests");
  assertEquals(await page.locator("tbody tr").count(), 2);
  await page.getByRole("searchbox").first().fill("first-call");
  await page.getByRole("searchbox").first().press("Enter");
  await page.waitForURL(/q=first-call/);
  await go(page, "first-call");
  const request = await page.locator("main").innerText();
  assertStringIncludes(request, "Hold and settlement");
  assert(!request.includes("Words of a prompt"));
  await go(page, "中文");
  assertStringIncludes(await page.locator("main").innerText(), "冻结与结算");
  await press(page, "退出登录");
  assertStringIncludes(await page.locator("main").innerText(), "您已退出登录");
  await page.goto(link);
  await follow(page, page.locator("main button[type=submit]"));
  assertStringIncludes(await page.locator("main").innerText(), "此链接已使用");
});

browserTest("all of it works without scripts", async (visit) => {
  const { id } = await calledKey(visit);
  const link = await linkOf(visit, id);
  const page = await visit.stranger({ scripts: false });
  await page.goto(link);
  assertEquals(await page.locator("input[name=code]").inputValue(), "");
  await page.locator("input[name=code]").fill(link);
  await press(page, "Sign in");
  await go(page, "Requests");
  assertEquals(await page.locator("tbody tr").count(), 2);
});

browserTest("a session ends with its key, and says so", async (visit) => {
  const { id } = await calledKey(visit);
  const page = await holder(visit, id);
  await visit.service.admin("POST", `/keys/${id}/revoke`);
  await page.reload();
  assertMatch(page.url(), /sign-in\?ended=yes$/);
  assertStringIncludes(await page.locator("main").innerText(), "Your session has ended");
});

browserTest("no page of a holder keeps anybody out, in any look", async (visit) => {
  const { id } = await calledKey(visit);
  const looks: readonly Look[] = [
    { size: "wide", colours: "light", language: "en" },
    { size: "narrow", colours: "dark", language: "zh" },
  ];
  const { publicUrl } = visit.service.running;
  for (const look of looks) {
    const [page, stranger] = [await holder(visit, id, look), await visit.stranger(look)];
    await Promise.all([page, stranger].map((one) => loadChecksWith(one.context())));
    await stranger.goto(`${publicUrl}/me/sign-in`);
    await assertFits(stranger);
    await assertAccessible(stranger);
    for (
      const path of [
        ...[
          "/key",
          "/usage",
          "/usage?by=model&days=92",
          "/usage?by=user",
          "/requests",
          "/requests?q=nothing",
        ],
        ...["/requests/first-call", "/requests/none", "/nothing", "/requests?status=x"],
      ]
    ) {
      await page.goto(`${publicUrl}/me${path}`);
      await assertFits(page);
      await assertAccessible(page);
    }
  }
});
