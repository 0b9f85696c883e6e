/**
 * Requests in the console, in a real browser: a call is found, its route and bill are read, and new
 * ones are followed as they end.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { trimmedCredits } from "../../gateway/console/components/credits_order.ts";
import { assertAccessible, assertFits } from "./accessibility.ts";
import { browserTest, type ConsoleVisit, follow, type Page } from "./browser.ts";
import { COMPOUND, SEEDED, someRequests } from "./request_seed.ts";

async function call(
  visit: ConsoleVisit,
  id: string,
  { content = "Hello", key }: { content?: string; key?: string } = {},
): Promise<void> {
  const headers = { "x-request-id": id };
  const init = key === undefined ? { headers } : { headers, key };
  const answer = await visit.service.chat({ messages: [{ role: "user", content }] }, init);
  assertEquals(answer.status, 200, await answer.text());
  await visit.service.quiet();
}

function cells(page: Page, caption: string): Promise<string[][]> {
  const rows = page.getByRole("table", { name: caption, exact: true }).locator("tbody tr");
  return rows.evaluateAll((rows) =>
    rows.map((row) =>
      [...row.querySelectorAll("th, td")].map(({ textContent }) => textContent ?? "")
    )
  );
}

browserTest("a call is found by its X-Request-ID, with its route and its bill", async (visit) => {
  await call(visit, "order-4712-b");
  await call(visit, "order-4711-a");
  const page = await visit.signedIn("/requests");
  await page.getByLabel("Request id").fill("4711");
  await follow(page, page.getByRole("button", { name: "Filter" }));
  assertEquals(await page.locator("tbody th").allTextContents(), ["order-4711-a"]);
  await follow(page, page.getByRole("link", { name: "order-4711-a" }));
  assertEquals(await page.locator("h1").textContent(), "order-4711-a");
  const route = await cells(page, "Models with the reason of each choice or exclusion");
  const { routing, charged } = await visit.service.lastRequest();
  assertEquals(
    route.filter(([, verdict]) => verdict === "Answered").map(([name]) => name),
    [routing?.model],
  );
  assert(route.some(([, verdict]) => verdict === "Excluded: Endpoint"));
  const [hold] = await cells(page, "Holds of this request with their outcomes");
  assertEquals([hold?.[1], Number(hold?.[4])], ["Settled", Number(charged)]);
  assertStringIncludes(
    await page.locator("main").textContent() ?? "",
    `sum to ${trimmedCredits(charged)} credits`,
  );
});

browserTest(
  "a split request's page draws its plan, and its costs come to the charge",
  async (visit) => {
    await call(visit, "compare-1", { content: COMPOUND });
    const page = await visit.signedIn("/requests/compare-1");
    const tasks = await cells(page, "Tasks and the cost of each");
    assertEquals([tasks[0]?.[0], tasks.at(-1)?.[0]], ["plan", "final"]);
    assert(tasks.length >= 4);
    assertEquals(await page.locator(".plan-task").count(), tasks.length);
    assertEquals(await page.locator(".plan-arrow").count(), 2 * (tasks.length - 2));
    const micros = tasks.map((row) => Math.round(Number(row.at(-1)) * 1e6));
    const { charged } = await visit.service.lastRequest();
    assertEquals(micros.reduce((sum, part) => sum + part, 0), Math.round(Number(charged) * 1e6));
    const sum = page.getByRole("table", { name: "Tasks and the cost of each" }).locator("tfoot td");
    assertEquals(Number(await sum.last().textContent()), Number(charged));
  },
);

browserTest(
  "the live view shows new calls as they end, and holds them while paused",
  async (visit) => {
    const { key } = await visit.service.newKey({ policy: { models: ["svc/sim-small"] } });
    const page = await visit.signedIn("/requests?model=svc%2Fsim-small");
    const live = page.locator(".tail");
    assertEquals(await live.isVisible(), false);
    // What ends once the stream has a head is in it.
    const begun = page.waitForResponse(/feeds\/requests\/tail/);
    await page.getByRole("button", { name: "Follow live" }).click();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await begun;
    const rows = live.locator("tbody tr");
    await call(visit, "live-1", { key });
    await rows.first().waitFor();
    assertEquals(await rows.first().locator("th").textContent(), "live-1");
    assertMatch(await rows.first().locator("time").textContent() ?? "", /^[^T]*$/);
    await live.getByRole("button", { name: "Pause" }).click();
    const before = await rows.count();
    await call(visit, "held-1", { key });
    await live.getByText("Waiting to be shown: 1").first().waitFor();
    assertEquals(await rows.count(), before);
    await live.getByRole("button", { name: "Resume" }).click();
    await rows.filter({ hasText: "held-1" }).waitFor();
    await assertAccessible(page);
    await follow(page, rows.first().getByRole("link"));
    assertEquals(await page.locator("h1").textContent(), "held-1");
  },
);

browserTest("times are the reader's own, shown and entered", async (visit) => {
  await call(visit, "zoned-1");
  const page = await visit.signedIn("/requests", { language: "zh" });
  const browser = page.context().browser();
  assert(browser !== null);
  const cookies = await page.context().cookies();
  const context = await browser.newContext({ locale: "zh-CN", timezoneId: "Asia/Shanghai" });
  await context.addCookies(cookies);
  const shanghai = await context.newPage();
  await shanghai.goto(visit.url("/requests"));
  const { atMs, durationMs } = await visit.service.lastRequest();
  const eastern = new Date(atMs + 8 * 3_600_000).toISOString();
  const clock = new Date(atMs + durationMs + 8 * 3_600_000).toISOString().slice(11, 19);
  const ended = shanghai.locator("tbody time").first();
  assertStringIncludes(await ended.getAttribute("title") ?? "", clock);
  assertStringIncludes(await ended.textContent() ?? "", "秒前");
  await shanghai.getByLabel("时间").selectOption("own");
  const since = shanghai.getByLabel("从 (UTC+08:00)");
  await since.fill(eastern.slice(0, 16));
  await follow(shanghai, shanghai.getByRole("button", { name: "筛选" }));
  assertEquals(await shanghai.locator("tbody th").allTextContents(), ["zoned-1"]);
  await since.fill(new Date(atMs + 9 * 3_600_000).toISOString().slice(0, 16));
  await follow(shanghai, shanghai.getByRole("button", { name: "筛选" }));
  assertEquals(await shanghai.locator("tbody th").count(), 0);
  await context.close();
});

browserTest("without scripts requests are searched and read all the same", async (visit) => {
  await call(visit, "plain-1");
  const page = await visit.signedIn("/requests", { scripts: false });
  assertEquals(await page.getByRole("button", { name: "Follow live" }).count(), 0);
  await page.getByText("More conditions").click();
  await page.getByLabel("Status (429, 5xx)").fill("200");
  await follow(page, page.getByRole("button", { name: "Filter" }));
  await follow(page, page.getByRole("link", { name: "plain-1" }));
  assertMatch(await page.locator(".ending").textContent() ?? "", /Answered.*whole answer/);
});

browserTest("the list finds room on a desk, and is turned round by keyboard", async (visit) => {
  await someRequests(visit.service);
  for (const language of ["en", "zh"] as const) {
    const page = await visit.signedIn("/requests", { language });
    const list = page.locator(".requests-list .scroll");
    const excess = await list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    assertEquals(excess, 0, "no column is out of sight");
    const [newest] = await page.locator("tbody th").allTextContents();
    await page.locator("thead a").focus();
    await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
    assertEquals(await page.locator("th[aria-sort]").getAttribute("aria-sort"), "ascending");
    assert(!(await page.locator("tbody th").allTextContents()).includes(newest ?? ""));
    await page.context().close();
  }
});

browserTest("every kind of ending has a page", async (visit) => {
  await someRequests(visit.service);
  // Accessibility concerns all pages: `base_test.ts` checks them too.
  const page = await visit.signedIn("/requests");
  for (const id of Object.values(SEEDED)) {
    await page.goto(visit.url(`/requests/${id}`));
    assertEquals(await page.locator("h1").textContent(), id);
  }
  const logged = await visit.signedIn(`/requests/${SEEDED.logged}`);
  assertEquals(await logged.locator(".said pre").first().isVisible(), false);
  await logged.getByText("Prompt", { exact: true }).click();
  const content = await logged.locator(".said pre").first().textContent() ?? "";
  assertMatch(content, /Write to \[redacted\], my card \[redacted\]/);
  const endings = await visit.signedIn(`/requests/${SEEDED.cut}`);
  assertMatch(await endings.locator(".ending").textContent() ?? "", /Cut off.*only a part/);
  await endings.goto(visit.url(`/requests/${SEEDED.left}`));
  assertMatch(await endings.locator(".ending").textContent() ?? "", /Caller disconnected/);
});

browserTest("on a phone requests are cards, and an id is copied whole", async (visit) => {
  const id = "order-with-a-very-long-id-4711-b";
  await call(visit, id);
  const page = await visit.signedIn("/requests", { size: "narrow" });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const card = page.locator(".requests-list tbody tr").first();
  const { width } = await card.evaluate((row) => row.getBoundingClientRect());
  assert(width > 300 && width <= 390, String(width));
  const model = card.locator("td[data-title=Model]");
  assert(await model.isVisible());
  await card.getByRole("button", { name: "Copy this id" }).click();
  await page.locator(".copy-text.is-copied").waitFor();
  assertEquals(await page.evaluate("navigator.clipboard.readText()"), id);
  await assertFits(page);
  await assertAccessible(page);
});

browserTest("a request is searched for from any page, by a key alone", async (visit) => {
  await call(visit, "order-4711-a");
  await call(visit, "order-4712-b");
  const page = await visit.signedIn("/upstreams");
  await page.keyboard.press("/");
  await page.keyboard.type("4712");
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  assertEquals(await page.locator("tbody th").allTextContents(), ["order-4712-b"]);
});
