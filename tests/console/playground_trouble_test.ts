/**
 * The playground in a real browser, where something goes wrong: nothing is lost, and what is said helps.
 *
 * @module
 */

import { assertEquals, assertMatch } from "@std/assert";
import { assertAccessible } from "./accessibility.ts";
import { browserTest, type ConsoleVisit, follow, type Page, signIn } from "./browser.ts";

const MARK = "\u202e";

async function press(page: Page, text: string): Promise<void> {
  await page.locator("textarea[name=prompt]").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

/** A page whose next answers are these instead of the gateway's. */
async function answeredBy(
  visit: ConsoleVisit,
  answers: readonly { readonly contentType: string; readonly body: string }[],
): Promise<Page> {
  const page = await visit.signedIn("/playground");
  const remaining = [...answers];
  await page.route("**/feeds/playground", async (route) => {
    const answer = remaining.shift();
    if (answer === undefined) await route.continue();
    else await route.fulfill(answer);
  });
  return page;
}

browserTest(
  "an answer that breaks off is no whole one, and no words of a browser's",
  async (visit) => {
    const stream = "text/event-stream";
    const begun = 'data: {"choices":[{"delta":{"content":"Half an"}}]}\n\n';
    const attempts = [{ model: "a/b", outcome: "server_error", ms: 4 }];
    const error = { code: "upstream_error", message: `no ${MARK}more` };
    const failed = `data: ${JSON.stringify({ error, metadata: { routing: { attempts } } })}\n\n`;
    const page = await answeredBy(visit, [
      { contentType: stream, body: begun },
      { contentType: stream, body: `${begun}data: {"choices":[{"de` + "\n\n" },
      { contentType: "text/html", body: "<h1>Bad gateway</h1>" },
      { contentType: stream, body: begun + failed },
    ]);
    const problem = page.locator("[data-error]");
    for (let n = 0; n < 3; n++) {
      await press(page, "Hello");
      await problem.waitFor();
      assertMatch(
        await problem.innerText(),
        /^The connection broke before the answer was complete/,
      );
      assertEquals(await page.locator("[data-state]").innerText(), "Failed");
      assertEquals(await page.locator("[data-text]").innerText(), n < 2 ? "Half an" : "");
    }
    await press(page, "Hello");
    await problem.getByText("Every candidate failed").waitFor();
    assertMatch(await problem.innerText(), /^no \\u\{202e\}more/);
    assertEquals(
      await page.locator("[data-field=attempts]").innerText(),
      "a/b: Server error, 4 ms",
    );
    await assertAccessible(page);
  },
);

browserTest(
  "what was entered goes along to another kind, and through a new sign-in",
  async (visit) => {
    const page = await visit.signedIn("/playground");
    const [message, instructions] = ["prompt", "system"].map((name) =>
      page.locator(`textarea[name=${name}]`)
    );
    await message?.fill("Draw a fox");
    await instructions?.fill("Be short");
    await follow(page, page.getByRole("link", { name: "Response" }));
    assertEquals([await message?.inputValue(), await instructions?.inputValue()], [
      "Draw a fox",
      "Be short",
    ]);
    await follow(page, page.getByRole("link", { name: "Image" }));
    assertEquals(await message?.inputValue(), "Draw a fox");
    // Only the next page of this tab has it.
    await page.goto(visit.url("/playground"));
    assertEquals(await message?.inputValue(), "");
    await message?.fill("Hello again");
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Send" }).click();
    await page.waitForURL(/sign-in/);
    await signIn(page);
    assertEquals(await message?.inputValue(), "Hello again");
  },
);

browserTest("who stops an answer by keyboard is where the next one is sent", async (visit) => {
  const page = await visit.signedIn("/playground");
  // It never comes.
  await page.route("**/feeds/playground", () => {});
  await press(page, "Hello");
  const stop = page.getByRole("button", { name: "Stop" });
  await stop.focus();
  await page.keyboard.press("Enter");
  await page.locator("[data-state]", { hasText: "Stopped" }).waitFor();
  assertEquals(await page.evaluate("document.activeElement.value"), "send");
  assertEquals(await stop.count(), 0);
  await page.unroute("**/feeds/playground");
  await page.keyboard.press("Enter");
  await page.locator("[data-state]", { hasText: /^Done/ }).waitFor();
  assertMatch(await page.locator("[data-field=attempts]").innerText(), /: Answered, \d+ ms$/);
});

browserTest("on a phone the answer comes into view", async (visit) => {
  const page = await visit.signedIn("/playground", { size: "narrow" });
  await press(page, "Hello");
  await page.locator("[data-state]", { hasText: /^Done/ }).waitFor();
  const bottom: number = await page.locator("[data-text]").evaluate((answer) =>
    answer.getBoundingClientRect().bottom
  );
  assertEquals(bottom < 844, true, `the answer ends at ${bottom}`);
});

browserTest(
  "two operators at once have an answer each, and one leaves without the other",
  async (visit) => {
    const pages = [await visit.signedIn("/playground"), await visit.signedIn("/playground")];
    await Promise.all(pages.map((page, n) => press(page, `Hello from ${n}`)));
    for (const [n, page] of pages.entries()) {
      await page.locator("[data-state]", { hasText: /^Done/ }).waitFor();
      assertMatch(await page.locator("[data-text]").innerText(), new RegExp(`Hello from ${n}`));
    }
    const [first, second] = pages;
    if (first === undefined || second === undefined) return;
    await follow(first, first.getByRole("button", { name: "Sign out", exact: true }));
    await press(second, "Still here");
    await second.locator("[data-text]", { hasText: "Still here" }).waitFor();
    await second.locator("[data-state]", { hasText: /^Done/ }).waitFor();
    await visit.service.assertBooks();
  },
);
