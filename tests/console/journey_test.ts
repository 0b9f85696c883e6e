/**
 * An operator's first month in one go, in a real browser: a key is made, its call is found and read, the
 * key is rotated, a wallet is paid into, a price is changed. No page says a secret or a word again.
 *
 * @module
 */

import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { trimmedCredits } from "../../gateway/console/components/credits_order.ts";
import { browserTest, type ConsoleVisit, follow, type Page } from "./browser.ts";
import { VISITS } from "./visits.ts";

const QUESTION = "What rhymes with heron-4417?";

interface Called {
  readonly status: number;
  readonly text: string;
}

async function call({ service }: ConsoleVisit, key: string, id: string): Promise<Called> {
  const answer = await fetch(`${service.openaiUrl}/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-request-id": id,
    },
    body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: QUESTION }] }),
  });
  const text = await answer.text();
  await service.quiet();
  return { status: answer.status, text };
}

function press(page: Page, name: string): Promise<void> {
  return follow(page, page.getByRole("button", { name, exact: true }));
}

function go(page: Page, name: string): Promise<void> {
  return follow(page, page.getByRole("main").getByRole("link", { name }).first());
}

async function keyShown(page: Page): Promise<string> {
  const text = await page.getByRole("region", { name: "The key", exact: true }).innerText();
  return /svc_live_\w{50}/.exec(text)?.[0] ?? "";
}

async function makeKey(page: Page, visit: ConsoleVisit): Promise<string> {
  await page.goto(visit.url("/keys/new?wallet=default"));
  await page.getByLabel("Name", { exact: true }).fill("Shop");
  const models = page.getByRole("group", { name: "Models", exact: true });
  await models.getByLabel("Only these").check();
  await models.getByLabel("svc/sim-small", { exact: true }).check();
  await press(page, "Create the key");
  return await keyShown(page);
}

/** Finds a call by its id and reads its page; resolves to what it cost. */
async function readBill(page: Page, visit: ConsoleVisit, id: string): Promise<string> {
  await page.goto(visit.url("/requests"));
  await page.getByLabel("Request id").fill(id);
  await press(page, "Filter");
  await go(page, id);
  const text = await page.locator("main").innerText();
  assertStringIncludes(text, "svc/sim-small");
  const [, charged = ""] = /sum to ([\d.]+) credits/.exec(text) ?? [];
  const cost = (await visit.service.lastRequest()).charged;
  assertEquals(charged, trimmedCredits(cost));
  return cost;
}

async function rotate(page: Page, address: string): Promise<string> {
  await page.goto(`${address}/rotate`);
  await press(page, "Create the copy");
  const copy = await keyShown(page);
  await page.goto(`${address}/rotate`);
  await page.getByLabel("The new key").fill(copy);
  await press(page, "Make the call");
  await page.goto(`${address}/rotate`);
  await press(page, "Disable it anyway");
  await go(page, "Revoke the old key");
  await press(page, "Revoke permanently");
  return copy;
}

async function payIn(page: Page, visit: ConsoleVisit): Promise<void> {
  await page.goto(visit.url("/wallets/default/credit"));
  await page.getByLabel("Credits").fill("500");
  await press(page, "Check");
  await press(page, "Add 500 credits");
}

async function makeDearer(page: Page, visit: ConsoleVisit): Promise<void> {
  await page.goto(visit.url("/catalog"));
  await go(page, "svc/sim-small");
  await go(page, "Edit");
  await page.getByLabel("Input, a million tokens").fill("400.00");
  await page.getByLabel("Output, a million tokens").fill("400.00");
  await press(page, "Show the difference");
  await press(page, "Apply");
}

browserTest("from a new key to a new price, by way of every bill", async (visit) => {
  const { service } = visit;
  const page = await visit.signedIn("/overview");
  const old = await makeKey(page, visit);
  await go(page, "To the key");
  const address = page.url();
  const first = await call(visit, old, "journey-1");
  assertEquals(first.status, 200);
  const before = await readBill(page, visit, "journey-1");
  const copy = await rotate(page, address);
  assertEquals((await call(visit, old, "journey-2")).status, 401);
  const { credits } = await service.wallet();
  await payIn(page, visit);
  assertEquals((await service.wallet()).credits, credits + 500_000_000n);
  await makeDearer(page, visit);
  assertEquals((await call(visit, copy, "journey-3")).status, 200);
  const after = await readBill(page, visit, "journey-3");
  assert(Number(after) > 100 * Number(before), `${before} and then ${after}`);

  // What was asked, what was answered and what opens doors stands on no page.
  const { choices } = JSON.parse(first.text);
  const planted = { old, copy, question: QUESTION, answer: String(choices[0].message.content) };
  const pages = VISITS.filter(({ prepare, isPublic }) => !prepare && !isPublic);
  const paths = [
    ...pages.map(({ path }) => path),
    "/requests/journey-1",
    "/keys",
    "/wallets/default",
  ];
  for (const path of paths) {
    await page.goto(visit.url(path));
    const content = await page.content();
    const leaks = Object.entries(planted).filter(([, text]) => content.includes(text));
    assertEquals(leaks.map(([name]) => name), [], path);
  }
  await press(page, "Sign out");
  await page.goto(visit.url("/wallets"));
  assertNotEquals(page.url(), visit.url("/wallets"));
  await service.assertBooks();
});
