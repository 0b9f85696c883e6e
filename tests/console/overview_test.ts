/**
 * The overview in a real browser: plots that say what the table says, in any colours and at any width.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { assertAccessible, assertFits } from "./accessibility.ts";
import { browserTest, follow, type Page } from "./browser.ts";
import { until } from "../fixtures/service.ts";
import { someRequests } from "./request_seed.ts";

/** What is drawn on the first plot: how much of it, and in which colour most of it. */
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
    await until(async () => await page.locator(".plot canvas").count() === 4, "the plots");
    const light = await drawn(page);
    assert(light.inked > 500, JSON.stringify(light));
    await page.emulateMedia({ colorScheme: "dark" });
    const { colour, width } = light;
    await until(async () => (await drawn(page)).colour !== colour, "the plots in dark colours");
    await page.setViewportSize({ width: 390, height: 844 });
    await until(async () => (await drawn(page)).width < width, "narrow plots");
    await assertFits(page);
    await page.getByText("The same in numbers").click();
    const rows = page.getByRole("table", { name: /over time/ }).locator("tbody tr");
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
  await follow(page, page.getByRole("link", { name: "svc/sim-image" }));
  assertEquals(await page.getByLabel("Time").inputValue(), "1h");
  assertEquals(await page.locator("tbody th").allTextContents(), ["campaign-banner-5"]);
});

browserTest("without scripts the same stands in numbers", async (visit) => {
  await someRequests(visit.service);
  const page = await visit.signedIn("/overview", { scripts: false });
  assertEquals(await page.locator(".plots").isVisible(), false);
  await page.getByText("The same in numbers").click();
  assert(await page.getByRole("table", { name: /over time/ }).isVisible());
  await page.getByText("Own range").click();
  await page.getByLabel("From (UTC)").fill("2020-01-01T00:00");
  await page.getByLabel("To (UTC)").fill("2020-01-02T00:00");
  await follow(page, page.getByRole("button", { name: "Show" }));
  assert(await page.getByText("There were no requests in this time").isVisible());
});
