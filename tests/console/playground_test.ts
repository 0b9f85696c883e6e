/**
 * The playground in a real browser: what is sent goes the whole way, and what comes is watched.
 *
 * @module
 */

import { keyRecords } from "../../gateway/flows/keys/key_records_fixture.ts";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { assertAccessible, assertFits } from "./accessibility.ts";
import { browserTest, type ConsoleVisit, follow, type Page } from "./browser.ts";
import { BOOTSTRAP_KEY } from "../fixtures/service.ts";

async function send(page: Page, text: string): Promise<void> {
  await page.locator("textarea[name=prompt]").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator("[data-state]", { hasText: /^Done/ }).waitFor();
}

async function assertBilled(page: Page, { service }: ConsoleVisit): Promise<void> {
  const { charged, requestId, keyId, attribution } = await service.lastRequest();
  const shown = await page.locator("[data-field=charged]").innerText();
  assertEquals(Number(shown), Number(charged));
  assertEquals(await page.locator("[data-request]").innerText(), requestId);
  const key = await service.running.stores.keys.get(keyId);
  assertEquals([key?.name, key?.walletId], ["playground (Admin token)", "default"]);
  assertEquals(attribution?.tags, "operator=admin-token");
  await service.assertBooks();
}

browserTest(
  "a chat is streamed, with its route and its bill, as the log and the ledger have it",
  async (visit) => {
    for (const size of ["wide", "narrow"] as const) {
      const page = await visit.signedIn("/playground", { size });
      await send(page, "<b>Say hello</b>");
      const text = page.locator("[data-text]");
      assertStringIncludes(await text.innerText(), "<b>Say hello</b>");
      assertEquals(await text.locator("b").count(), 0, "an answer is text");
      assertMatch(await page.locator("[data-state]").innerText(), /first text after [\d.]+ s/);
      assertMatch(await page.locator("[data-field=model]").innerText(), /^svc\/sim-/);
      await assertBilled(page, visit);
      await assertFits(page);
      await assertAccessible(page);
      await page.context().close();
    }
  },
);

browserTest("a response is streamed, and an image drawn", async (visit) => {
  const page = await visit.signedIn("/playground?kind=responses");
  await send(page, "Say hello");
  assertMatch(await page.locator("[data-text]").innerText(), /simulated/);
  await assertBilled(page, visit);
  await page.goto(visit.url("/playground?kind=images"));
  await page.getByLabel("Size").selectOption("256x256");
  await send(page, "A red fox");
  await page.locator("[data-images] img").waitFor();
  const width = "document.querySelector('[data-images] img').naturalWidth";
  await page.waitForFunction(`${width} === 256`);
  await assertBilled(page, visit);
  await assertAccessible(page);
});

browserTest(
  "a call that is refused says what to do; signing out ends the playground's key",
  async (visit) => {
    await visit.service.admin("POST", "/wallets", { id: "empty" });
    const page = await visit.signedIn("/playground");
    await page.getByLabel("Wallet that pays").selectOption("empty");
    await page.locator("textarea[name=prompt]").fill("Say hello");
    await page.getByRole("button", { name: "Send" }).click();
    const problem = page.locator("[data-error]");
    await problem.waitFor();
    assertMatch(await problem.innerText(), /Add credits on the wallet/);
    await assertAccessible(page);
    await follow(page, page.getByRole("button", { name: "Sign out", exact: true }));
    const keys = await keyRecords(visit.service.running.stores.keys);
    const statuses = keys.filter(({ name }) => name.startsWith("playground")).map(({ status }) =>
      status
    );
    assertEquals(statuses, ["revoked"]);
  },
);

browserTest("without scripts the whole answer comes at once", async (visit) => {
  const page = await visit.signedIn("/playground", { scripts: false });
  await page.locator("textarea[name=prompt]").fill("Say hello");
  await follow(page, page.getByRole("button", { name: "Send" }));
  assertMatch(await page.locator("[data-text]").innerText(), /simulated/);
  await assertBilled(page, visit);
});

browserTest("the code that is shown runs as pasted once a key stands in it", async (visit) => {
  for (const kind of ["chat", "responses"]) {
    const page = await visit.signedIn(`/playground?kind=${kind}`);
    await page.locator("textarea[name=prompt]").fill('It\'s "$HOME" and `date`');
    await page.getByLabel("Orchestration").selectOption("off");
    await follow(page, page.getByRole("button", { name: "Show as code" }));
    await assertFits(page);
    await assertAccessible(page);
    const code = page.locator(".snippets code");
    for (const [at, run] of [runShell, runTypescript, runTypescript].entries()) {
      const text = (await code.nth(at).innerText()).replace("svc_live_YOUR_KEY", BOOTSTRAP_KEY);
      const status = await run(text);
      assertMatch(status, /simulated/, text);
      assertStringIncludes(status.replaceAll("\\", ""), '"$HOME" and `date`', text);
    }
    await page.context().close();
  }
});

async function runShell(code: string): Promise<string> {
  return await output(new Deno.Command("sh", { args: ["-c", code] }));
}

/** In this checkout, where the names of the packages are known. */
async function runTypescript(code: string): Promise<string> {
  const args = ["run", "--no-check", "--ext=ts", "--allow-net=127.0.0.1", "--allow-env", "-"];
  const cwd = new URL("../../", import.meta.url);
  return await output(
    new Deno.Command(Deno.execPath(), {
      args,
      cwd,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }),
    code,
  );
}

async function output(command: Deno.Command, input?: string): Promise<string> {
  if (input === undefined) return textOf(await command.output());
  const child = command.spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  return textOf(await child.output());
}

function textOf({ stdout, stderr }: Deno.CommandOutput): string {
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}
