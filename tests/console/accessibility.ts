import axe from "axe-core/axe.min.js" with { type: "text" };
import { assertEquals } from "@std/assert";
import type { BrowserContext } from "playwright-core";
import type { Page } from "./browser.ts";

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/**
 * Loads `axe-core` with each page that a context opens from now on. The browser then compiles it
 * once, where {@linkcode assertAccessible} alone sends it and compiles it for each page.
 */
export async function loadChecksWith(context: BrowserContext): Promise<void> {
  await context.addInitScript(axe);
}

/** Fails where `axe-core` finds anything that keeps somebody from using the page that is shown. */
export async function assertAccessible(page: Page): Promise<void> {
  // By the browser's debugger, which no policy of the page's holds back.
  if (!await page.evaluate("'axe' in globalThis")) await page.evaluate(axe);
  const violations: Violation[] = await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations)",
  );
  const findings = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary}`)
  );
  assertEquals(findings, [], page.url());
}

/** Fails where a page is wider than its window, so that it scrolls sideways as a whole. */
export async function assertFits(page: Page): Promise<void> {
  const excess: number = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  assertEquals(excess, 0, `${page.url()} is wider than its window`);
}
