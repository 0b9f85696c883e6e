/**
 * Keys and wallets in a real browser, and real calls with what is made there.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { TestService } from "../fixtures/service.ts";
import { assertAccessible, assertFits } from "./accessibility.ts";
import { browserTest, type ConsoleVisit, follow, type Look, type Page, signIn } from "./browser.ts";

const HELLO = { messages: [{ role: "user", content: "Say hello" }] };

async function statusOf(service: TestService, key: string, path = "chat/completions") {
  const body = path === "responses" ? { input: "Say hello" } : HELLO;
  const answer = await fetch(`${service.openaiUrl}/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", ...body }),
  });
  await answer.body?.cancel();
  return answer.status;
}

/** Fills the form in as far as tests need it: chat with one model, and a budget. */
async function fillIn(page: Page): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill("Shop");
  const limited = async (legend: string, choice: string) => {
    const group = page.getByRole("group", { name: legend, exact: true });
    await group.getByLabel("Only these").check();
    await group.getByLabel(choice, { exact: true }).check();
  };
  await limited("Endpoints", "chat");
  await limited("Models", "svc/sim-small");
  await page.getByLabel("Budget a day").fill("500");
}

async function keyShown(page: Page): Promise<string> {
  const text = await page.getByRole("region", { name: "The key", exact: true }).innerText();
  return /svc_live_\w{50}/.exec(text)?.[0] ?? "";
}

async function madeInBrowser(page: Page): Promise<string> {
  await fillIn(page);
  await follow(page, page.getByRole("button", { name: "Create the key" }));
  await assertAccessible(page);
  return await keyShown(page);
}

browserTest("a key is made with a policy, and does what the policy says", async (visit) => {
  const page = await visit.signedIn("/keys/new?wallet=default");
  const preview = page.getByRole("complementary");
  await fillIn(page);
  await preview.getByText("1 of 5 models, 1 of 5 endpoints").waitFor();
  assertEquals(await preview.getByRole("button").isVisible(), false);
  await page.getByText("Rate limits").click();
  await page.getByLabel("Requests a minute").fill("many");
  await preview.getByText("cannot be saved").waitFor();
  await follow(page, page.getByRole("button", { name: "Create the key" }));
  assertMatch(await page.locator("[aria-invalid=true]:focus").inputValue(), /many/);
  await assertAccessible(page);
  await page.getByLabel("Requests a minute").fill("60");
  const key = await madeInBrowser(page);
  assertEquals(await statusOf(visit.service, key), 200);
  assertEquals(await statusOf(visit.service, key, "responses"), 403);
  await page.reload();
  assertMatch(page.url(), /\/console\/keys$/);
  assertStringIncludes(await page.locator(".notice").innerText(), "already created");
  assert(!(await page.content()).includes(key));
  const { keys } = await visit.service.admin("GET", "/keys");
  assertEquals(Array.isArray(keys) && keys.length, 2);
});

browserTest("a key is replaced in six steps, left and gone on with between them", async (visit) => {
  const page = await visit.signedIn("/keys/new?wallet=default");
  const old = await madeInBrowser(page);
  assertEquals(await statusOf(visit.service, old), 200);
  await visit.service.quiet();
  await follow(page, page.getByRole("link", { name: "To the key" }));
  const address = page.url();
  await follow(page, page.getByRole("link", { name: "Rotate" }));
  await follow(page, page.getByRole("button", { name: "Create the copy" }));
  const copy = await keyShown(page);
  // Somebody closes the page here, and opens it again.
  await page.goto(`${address}/rotate`);
  assert(!(await page.content()).includes(copy));
  await page.getByLabel("The new key").fill(copy);
  await follow(page, page.getByRole("button", { name: "Make the call" }));
  const done = await page.locator(".notice-done").innerText();
  const [, requestId = ""] = /Request (verify_\S+) was answered by svc\/sim-small/.exec(done) ?? [];
  await visit.service.quiet();
  await page.reload();
  const line = page.getByRole("region", { name: "Find the call in the log" });
  await line.getByRole("link", { name: requestId }).waitFor();
  await assertAccessible(page);
  assertEquals(await statusOf(visit.service, old), 200);
  await page.goto(`${address}/rotate`);
  assertStringIncludes(await page.locator(".notice-problem").innerText(), "still be in use");
  await follow(page, page.getByRole("button", { name: "Disable it anyway" }));
  assertEquals(await statusOf(visit.service, old), 401);
  await follow(page, page.getByRole("link", { name: "Revoke the old key" }));
  await assertAccessible(page);
  await follow(page, page.getByRole("button", { name: "Revoke permanently" }));
  assertStringIncludes(await page.locator("main").innerText(), "This rotation is complete");
  const service = visit.service;
  assertEquals([await statusOf(service, old), await statusOf(service, copy)], [401, 200]);
  await page.goto(address);
  assertStringIncludes(await page.locator("main").innerText(), "revoked");
  await service.assertBooks();
});

browserTest("a wallet is opened and paid into, and its statement has it", async (visit) => {
  const page = await visit.signedIn("/wallets");
  await follow(page, page.getByRole("link", { name: "New wallet" }));
  await page.getByLabel("Name").fill("pilot");
  await follow(page, page.getByRole("button", { name: "Create the wallet" }));
  await follow(page, page.getByRole("link", { name: "Add credits" }));
  await page.getByLabel("Credits").fill("500");
  await page.getByLabel("Note").fill("Invoice 17");
  await follow(page, page.getByRole("button", { name: "Check" }));
  await assertAccessible(page);
  await page.getByRole("button", { name: "Add 500 credits" }).dblclick();
  await page.waitForURL(/\/wallets\/pilot$/);
  assertStringIncludes(await page.locator("tbody").first().innerText(), "Invoice 17");
  const { available } = await visit.service.wallet("pilot");
  assertEquals(available, 500_000_000n);
});

browserTest(
  "a key that cannot be copied is marked, and a form that was stopped can be sent",
  async (visit) => {
    const page = await visit.stranger();
    await page.clock.install();
    await page.goto(visit.url("/keys/new?wallet=default"));
    await signIn(page);
    await fillIn(page);
    // It is sent, and comes to nothing, as when somebody presses Escape.
    const stop = `document.querySelector(".policy-form")
      .addEventListener("submit", (event) => event.preventDefault(), { once: true })`;
    await page.evaluate(stop);
    await page.getByRole("button", { name: "Create the key" }).click();
    await page.clock.fastForward(60_000);
    await follow(page, page.getByRole("button", { name: "Create the key" }));
    const key = await keyShown(page);
    assertMatch(key, /^svc_live_/);
    await page.evaluate(
      "navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))",
    );
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.waitForFunction("getSelection().toString() !== ''");
    assertEquals(await page.evaluate("getSelection().toString()"), key);
  },
);

/** Goes on by the tabulator key until what has the focus is of this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let press = 0; press < 60; press++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(
      `const { labels, textContent, name, value } = document.activeElement;
      labels?.[0] ? [labels[0].innerText.trim(), name, value].join("|") : textContent.trim()`,
    );
    if (String(focused).startsWith(name)) return;
  }
  throw new Error(`Nothing of the name "${name}" can be reached by keyboard`);
}

browserTest("a key is made, read and ended by keyboard alone", async (visit) => {
  const page = await visit.signedIn("/keys");
  const enter = () => Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  await tabTo(page, "New key");
  await enter();
  await tabTo(page, "Name");
  await page.keyboard.type("By hand");
  await tabTo(page, "All|limit_models");
  await page.keyboard.press("ArrowRight");
  await tabTo(page, "svc/sim-small|models");
  await page.keyboard.press("Space");
  await tabTo(page, "Rate limits");
  await page.keyboard.press("Space");
  await tabTo(page, "Requests a minute");
  await page.keyboard.type("60");
  await tabTo(page, "Create the key");
  await enter();
  const key = await keyShown(page);
  assertEquals(await statusOf(visit.service, key), 200);
  await tabTo(page, "To the key");
  await enter();
  await tabTo(page, "Revoke");
  await enter();
  await tabTo(page, "Revoke permanently");
  await enter();
  assertEquals(await statusOf(visit.service, key), 401);
});

async function withoutScripts(visit: ConsoleVisit, look: Look): Promise<void> {
  const page = await visit.signedIn("/keys/new?wallet=default", { ...look, scripts: false });
  await fillIn(page);
  const preview = page.getByRole("complementary");
  await follow(page, preview.getByRole("button", { name: "Preview" }));
  assertStringIncludes(await preview.innerText(), "1 of 5 models, 1 of 5 endpoints");
  assertEquals(await page.getByLabel("Budget a day").inputValue(), "500");
  await assertFits(page);
  await follow(page, page.getByRole("button", { name: "Create the key" }));
  assertEquals(await statusOf(visit.service, await keyShown(page)), 200);
  await assertFits(page);
  await page.context().close();
}

browserTest(
  "the form of a policy works without scripts, at a desk and on a phone",
  async (visit) => {
    for (const size of ["wide", "narrow"] as const) await withoutScripts(visit, { size });
  },
);
