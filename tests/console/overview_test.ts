/**
 * The overview in a real browser: plots that say what the table says, in any colours and at any width.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { assertAccessible, assertFits } from "./accessibility.ts";
import { browserTest, type ConsoleVisit, follow, type Page, signIn } from "./browser.ts";
import { until } from "../fixtures/service.ts";
import { someRequests } from "./request_seed.ts";

/** Reads the first plot: the share that is drawn, and its main colour. */
function drawn(page: Page): Promise<{ inked: number; width: number; colour: string }> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector(".plot canvas");
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    const counts = new Map();
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] !== 255) continue;
      const colour = data.slice(at, at + 3).join(",");
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    const [[colour, inked] = ["", 0]] = [...counts].sort(([, a], [, b]) => b - a);
    return { inked, colour, width: canvas.clientWidth };
  })()`);
}

browserTest(
  "plots are drawn from the table, for both colours, and follow the width",
  async (visit) => {
    await someRequests(visit.service);
    const page = await visit.signedIn("/overview", { colours: "light" });
    // A page is loaded before its plots: their library is asked for by the script.
    await until(async () => await page.locator(".plot canvas").count() === 6, "the plots");
    const light = await drawn(page);
    assert(light.inked > 500, JSON.stringify(light));
    await page.emulateMedia({ colorScheme: "dark" });
    const { colour, width } = light;
    await until(async () => (await drawn(page)).colour !== colour, "the plots in dark colours");
    await page.setViewportSize({ width: 390, height: 844 });
    await until(async () => (await drawn(page)).width < width, "narrow plots");
    await assertFits(page);
    await page.getByText("As a table").click();
    const rows = page.getByRole("table", { name: "Requests, over time" }).locator("tbody tr");
    assert(await rows.count() > 20);
    await assertAccessible(page);
  },
);

browserTest("a time is chosen by keyboard, and leads on to its requests", async (visit) => {
  await someRequests(visit.service);
  const page = await visit.signedIn("");
  assertEquals(new URL(page.url()).pathname, "/console/overview");
  const hour = page.getByRole("link", { name: "1 hour" });
  await hour.focus();
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  assertEquals(
    await page.getByRole("link", { name: "1 hour" }).getAttribute("aria-current"),
    "true",
  );
  await follow(page, page.locator("#models").getByRole("link", { name: "svc/sim-image" }));
  assertEquals(await page.getByLabel("Time").inputValue(), "1h");
  assertEquals(await page.locator("tbody th").allTextContents(), ["campaign-banner-5"]);
});

browserTest("without scripts the same stands in numbers", async (visit) => {
  await someRequests(visit.service);
  const page = await visit.signedIn("/overview", { scripts: false });
  assertEquals(await page.locator("[data-plot]:visible, [data-refresh]:visible").count(), 0);
  await page.getByText("As a table").click();
  assert(await page.getByRole("table", { name: "Requests, over time" }).isVisible());
  await follow(page, page.getByRole("link", { name: "By key" }));
  assert(await page.locator(".legend").first().getByText("storefront").isVisible());
  await page.getByText("Custom").click();
  await page.getByLabel("From (UTC)").fill("2020-01-01T00:00");
  await page.getByLabel("To (UTC)").fill("2020-01-02T00:00");
  await follow(page, page.getByRole("button", { name: "Show" }));
  assert(await page.getByText("There were no requests in this time").isVisible());
});

/** Reads the newest step of a plot: the position of its bar, if it has one. */
function newestStep(page: Page, plot: string): Promise<{ isDrawn: boolean; x: number; y: number }> {
  return page.evaluate(`(() => {
    const place = document.querySelector("[data-plot=${plot}]");
    const box = document.querySelector("[data-fresh=series]").dataset;
    const steps = (Date.parse(box.until) - Date.parse(box.since)) / Number(box.step);
    const [canvas, over] = [place.querySelector("canvas"), place.querySelector(".u-over")];
    const [frame, area] = [canvas.getBoundingClientRect(), over.getBoundingClientRect()];
    const x = area.right - area.width / Math.ceil(steps) / 2;
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const scale = canvas.width / frame.width;
    const probe = document.createElement("i");
    probe.className = "ink ink-1";
    place.append(probe);
    const [red, green, blue] = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
    probe.remove();
    for (let y = area.bottom - 1; y > area.top; y--) {
      const at = [(x - frame.left) * scale, (y - frame.top) * scale];
      const [r, g, b] = context.getImageData(...at, 1, 1).data;
      if (Math.abs(r - red) + Math.abs(g - green) + Math.abs(b - blue) < 12) {
        return { isDrawn: true, x, y };
      }
    }
    return { isDrawn: false, x, y: 0 };
  })()`);
}

async function ask(visit: ConsoleVisit, content = "Hello"): Promise<void> {
  const answer = await visit.service.chat({ messages: [{ role: "user", content }], stream: true });
  await answer.text();
  await visit.service.quiet();
}

browserTest("a newcomer's first request is plotted, and a click leads to it", async (visit) => {
  await ask(visit);
  const page = await visit.signedIn("/overview");
  await until(async () => await page.locator(".plot canvas").count() === 6, "the plots");
  for (const plot of ["requests", "spend", "tokens", "latency", "firstByte"]) {
    assert((await newestStep(page, plot)).isDrawn, plot);
  }
  const heights = await page.locator("[data-plot] .u-over").evaluateAll(
    (all) => all.map((one) => one.getBoundingClientRect().height),
  );
  assert(heights.every((height) => height >= 160), String(heights));
  await page.locator("[data-plot=spend]").scrollIntoViewIfNeeded();
  const spent = await newestStep(page, "spend");
  await page.mouse.move(spent.x, spent.y);
  // Small amounts are shown as exactly as large ones.
  assertMatch(await page.locator("[data-plot=spend] .plot-tip").innerText(), /0\.0\d\d/);
  await page.locator("[data-plot=requests]").scrollIntoViewIfNeeded();
  const { x, y } = await newestStep(page, "requests");
  await page.mouse.move(x, y);
  assert(await page.locator("[data-plot=requests] .plot-tip").isVisible());
  await Promise.all([page.waitForURL(/\/console\/requests\?/), page.mouse.click(x, y)]);
  const query = new URL(page.url()).searchParams;
  assert(query.get("model")?.startsWith("svc/"), page.url());
  assertEquals(await page.locator("tbody th:visible").count(), 1);
});

browserTest("the overview follows what happens while it is open, unless paused", async (visit) => {
  await ask(visit);
  const page = await visit.stranger();
  await page.clock.install();
  await page.goto(visit.url("/overview"));
  await signIn(page);
  const requests = page.locator(".figures dd").first();
  assertEquals(await requests.textContent(), "1");
  await ask(visit);
  await page.clock.fastForward(31_000);
  await until(async () => await requests.textContent() === "2", "the figures to follow");
  await until(
    async () => await page.locator(".plot-sum").first().textContent() === "2",
    "the plot",
  );
  await page.getByRole("button", { name: "Pause" }).click();
  await ask(visit);
  await page.clock.fastForward(61_000);
  assertEquals(await requests.textContent(), "2");
  await page.getByRole("button", { name: "Resume" }).click();
  await page.evaluate("document.activeElement.blur()");
  await page.clock.fastForward(31_000);
  await until(async () => await requests.textContent() === "3", "the figures to follow again");
});
