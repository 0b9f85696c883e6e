/**
 * The catalog, the upstreams and the playground in a real browser.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { assertAccessible, assertFits } from "./accessibility.ts";
import { browserTest, type ConsoleVisit, follow, type Page } from "./browser.ts";
import { manyModels } from "./catalog_scene.ts";

/** Credits that the last request cost. */
async function lastCharge({ service }: ConsoleVisit): Promise<number> {
  return Number((await service.lastRequest()).charged);
}

async function ask({ service }: ConsoleVisit): Promise<void> {
  const { key } = await service.newKey({ policy: { models: ["svc/sim-small"] } });
  const answer = await service.chat({ messages: [{ role: "user", content: "Say hello" }] }, {
    key,
  });
  assertEquals(answer.status, 200, await answer.text());
}

async function changeInputPrice(page: Page, visit: ConsoleVisit, price: string): Promise<void> {
  await page.goto(visit.url("/catalog"));
  await follow(page, page.getByRole("link", { name: "svc/sim-small" }));
  await follow(page, page.getByRole("link", { name: "Edit", exact: true }));
  await page.getByLabel("Input, a million tokens").fill(price);
  await page.getByLabel("Output, a million tokens").fill(price);
  await follow(page, page.getByRole("button", { name: "Show the difference" }));
}

browserTest("a price is changed, is in the next bill, and is rolled back", async (visit) => {
  await ask(visit);
  const before = await lastCharge(visit);
  const page = await visit.signedIn("/catalog");
  await changeInputPrice(page, visit, "400.00");
  assertStringIncludes(await page.locator(".differences").innerText(), "400.00");
  await assertAccessible(page);
  await page.getByLabel("Note for the history").fill("Dearer by far");
  await follow(page, page.getByRole("button", { name: "Apply" }));
  assertStringIncludes(await page.locator("main").innerText(), "Dearer by far");
  await ask(visit);
  const dear = await lastCharge(visit);
  assert(dear > 100 * before, `${before} and then ${dear}`);
  await follow(page, page.getByRole("link", { name: "Roll back to version 1" }));
  assertStringIncludes(await page.locator(".differences").innerText(), "400.00");
  await assertAccessible(page);
  await follow(page, page.getByRole("button", { name: "Roll back" }));
  await ask(visit);
  assertEquals(await lastCharge(visit), before);
});

browserTest(
  "an edit that comes too late is kept, wide and narrow, with what came between",
  async (visit) => {
    await manyModels(visit.service);
    for (const size of ["wide", "narrow"] as const) {
      const page = await visit.signedIn("/catalog", {
        size,
        colours: "dark",
      });
      const price = size === "wide" ? "0.71" : "0.72";
      await changeInputPrice(page, visit, price);
      const { catalogs } = visit.service.running.stores;
      const { version, updatedAtMs: _, ...content } = catalogs.current();
      const auto = { dial: version / 100 };
      await visit.service.admin("POST", "/catalog/apply", { content: { ...content, auto } });
      await follow(page, page.getByRole("button", { name: "Apply" }));
      assertMatch(await page.locator(".notice").innerText(), /Your edit is kept/);
      await assertFits(page);
      await assertAccessible(page);
      await follow(page, page.getByRole("button", { name: "Apply" }));
      const model = catalogs.current().models.find(({ id }) => id === "svc/sim-small");
      assertEquals([model?.price.inputPerMTok, catalogs.current().auto], [price, auto]);
      await page.context().close();
    }
  },
);

browserTest("an upstream that answers and one that does not are probed", async (visit) => {
  await manyModels(visit.service);
  const page = await visit.signedIn("/upstreams");
  await follow(page, page.getByRole("link", { name: "sim", exact: true }));
  await follow(page, page.getByRole("button", { name: "Probe now" }));
  assertMatch(await page.locator(".notice-done").innerText(), /lists \d+ models/);
  await assertAccessible(page);
  await page.goto(visit.url("/upstreams/upstream?id=acme-eu"));
  await follow(page, page.getByRole("button", { name: "Probe now" }));
  const problem = await page.locator(".notice-problem").innerText();
  assertMatch(problem, /Cannot list the models of upstream "acme-eu": .*Connection refused/i);
  assertMatch(problem, /check that the server runs at that address/);
  await assertAccessible(page);
});

/** Goes from field to field, as somebody without a mouse does, until one of this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate("document.activeElement.getAttribute('name')") === name) return;
  }
  throw new Error(`The field "${name}" cannot be reached by keyboard`);
}

/** Replaces what the field has that is in focus, and sends the form. */
async function enter(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text);
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
}

browserTest(
  "a price is changed by keyboard alone; a wrong one leads back to its field",
  async (visit) => {
    const path = "/catalog/model/edit?id=svc%2Fsim-small";
    for (const [language, price] of [["en", "0.77"], ["zh", "0.78"]] as const) {
      const look = { size: "narrow", colours: "dark", language } as const;
      const page = await visit.signedIn(path, look);
      await tabTo(page, "price.inputPerMTok");
      await enter(page, "-1");
      const focus = "document.activeElement.name + document.activeElement.ariaInvalid";
      assertEquals(await page.evaluate(focus), "price.inputPerMTok" + "true");
      await assertFits(page);
      await assertAccessible(page);
      await enter(page, price);
      assertStringIncludes(await page.locator(".differences").innerText(), price);
      await tabTo(page, "note");
      await enter(page, "By keyboard");
      const { models } = visit.service.running.stores.catalogs.current();
      assertEquals(models.find(({ id }) => id === "svc/sim-small")?.price.inputPerMTok, price);
      await page.context().close();
    }
  },
);

browserTest(
  "a catalog is checked, wide and narrow, and what keys lose is read before it is applied",
  async (visit) => {
    await manyModels(visit.service);
    const name = "<img src=x onerror=alert(1)>";
    const { wallet } = await visit.service.newKey();
    const { id } = await visit.service.admin("POST", "/keys", { name, wallet });
    for (const size of ["wide", "narrow"] as const) {
      const page = await visit.signedIn("/catalog/check", { size });
      await follow(page, page.getByRole("button", { name: "Check now" }));
      assertMatch(await page.locator(".notice-problem").innerText(), /models need attention/);
      await assertFits(page);
      await assertAccessible(page);
      await page.goto(visit.url("/catalog/model/edit?id=acme-large"));
      await page.getByLabel("Remove it from the catalog").check();
      await follow(page, page.getByRole("button", { name: "Show the difference" }));
      const advice = await page.locator(".advice").innerText();
      assertStringIncludes(advice, `"${name}" (${id})`);
      assertMatch(advice, /loses? the model "acme-large"/);
      await assertFits(page);
      await assertAccessible(page);
      await page.context().close();
    }
  },
);
