/**
 * The pages about routing in a real browser: a plot that says what its table says, the dial, and
 * snapshots.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { until } from "../fixtures/service.ts";
import { assertAccessible, assertFits } from "./accessibility.ts";
import { browserTest, follow } from "./browser.ts";
import { learnSomething } from "./routing_visits.ts";

browserTest("a position of the dial is tried and applied, with a plot of all", async (visit) => {
  const { service } = visit;
  await service.admin("POST", "/wallets", { id: "lab", credits: "5" });
  await learnSomething(service);
  const page = await visit.signedIn("/routing");
  await until(async () => await page.locator(".curve canvas").count() === 1, "the plot");
  await page.getByText("As a table").click();
  assertEquals(await page.locator("[data-name=curve] tbody tr").count(), 11);
  await assertAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await assertFits(page);
  await page.getByLabel("Position, 0 (economy)").fill("1");
  await follow(page, page.getByRole("button", { name: "Try" }));
  await follow(page, page.getByRole("button", { name: "Apply best to the catalog" }));
  assertMatch(await page.locator("h1").textContent() ?? "", /Check the change/);
  await follow(page, page.getByRole("button", { name: "Apply" }));
  const { auto } = service.running.stores.catalogs.current();
  assertEquals(auto?.dial, 1);
});

browserTest("routing is frozen and followed again without scripts", async (visit) => {
  const { service } = visit;
  await service.admin("POST", "/wallets", { id: "lab", credits: "5" });
  await learnSomething(service);
  const { learning } = service.running;
  const page = await visit.signedIn("/routing", { scripts: false });
  await follow(page, page.getByRole("button", { name: "Freeze at" }).last());
  assert(learning.snapshot().number < learning.newest().number);
  await follow(page, page.getByRole("button", { name: "Follow the newest again" }));
  assertEquals(learning.snapshot().number, learning.newest().number);
});
