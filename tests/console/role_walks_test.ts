/**
 * The work of each role in a real browser: every form is opened and sent, and what the service has
 * afterwards says who may. Two persons correct a wallet above the limit, one after the other.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Role, ROLES } from "../../gateway/domain/operators/roles.ts";
import { browserTest, type ConsoleVisit, follow, type Page, signIn } from "./browser.ts";

/** A form, who may send it, and what the service has of it. */
interface Work {
  readonly roles: readonly Role[];
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Path of the operator's API whose answer changes. */
  readonly changes: string;
}

const WORK: Readonly<Record<string, Work>> = {
  "making a key": {
    roles: ["support", "admin"],
    path: "/keys/new?wallet=default",
    fields: { name: "Shop" },
    changes: "/keys",
  },
  "a debit": {
    roles: ["billing", "admin"],
    path: "/wallets/default/debit",
    fields: { credits: "3", note: "Paid in twice" },
    changes: "/wallets/default/statement",
  },
  "a target of notifications": {
    roles: ["admin"],
    path: "/notifications/-/new",
    fields: { name: "On call", url: "https://hooks.example.com/svc" },
    changes: "/notify/targets",
  },
  "a new operator": {
    roles: ["admin"],
    path: "/operators/-/new",
    fields: { name: "Kim" },
    changes: "/operators",
  },
  "logging of texts": {
    roles: [],
    path: "/keys/KEY/content-log",
    fields: {},
    changes: "/keys/KEY",
  },
};

async function enter(visit: ConsoleVisit, name: string, role: Role): Promise<Page> {
  const { id } = await visit.service.admin("POST", "/operators", { name, role });
  const { token } = await visit.service.admin("POST", `/operators/${id}/tokens`, { name: "Test" });
  const page = await visit.stranger();
  await page.goto(visit.url());
  await signIn(page, String(token));
  return page;
}

/** Opens a form, fills it in and sends it; stays where the page is not shown. */
async function send(page: Page, url: string, fields: Work["fields"]): Promise<void> {
  const response = await page.goto(url);
  if (response?.status() === 403) return;
  const form = page.locator("main form[method=post]").first();
  for (const [name, text] of Object.entries(fields)) {
    await form.locator(`[name="${name}"]`).first().fill(text);
  }
  await follow(page, form.locator("button[type=submit]").last());
}

for (const role of ROLES) {
  browserTest(`the role "${role}" sends its own forms, and no others`, async (visit) => {
    const { id } = await visit.service.newKey();
    const page = await enter(visit, `The ${role}`, role);
    for (const [name, { roles, path, fields, changes }] of Object.entries(WORK)) {
      const [place, read] = [path, changes].map((text) => text.replace("KEY", id));
      const before = await visit.service.admin("GET", read ?? "");
      await send(page, visit.url(place), fields);
      const after = await visit.service.admin("GET", read ?? "");
      const isChanged = JSON.stringify(after) !== JSON.stringify(before);
      const shown = await page.locator("main").innerText();
      assertEquals(isChanged, roles.includes(role), `${name}: ${shown}`);
      if (!isChanged) assertStringIncludes(shown, "may not", name);
    }
  });
}

browserTest("one person asks for a large correction, and another approves it", async (visit) => {
  const { service } = visit;
  await service.admin("POST", "/wallets", { id: "big", credits: "50000" });
  const [kim, lee] = [await enter(visit, "Kim", "billing"), await enter(visit, "Lee", "billing")];
  const viewer = await enter(visit, "Ana", "viewer");
  await send(kim, visit.url("/wallets/big/debit"), { credits: "20000", note: "Paid in twice" });
  assertStringIncludes(await kim.locator("main").innerText(), "another person approves");
  const approve = async (page: Page) => {
    await page.goto(visit.url("/wallets/-/corrections"));
    await follow(page, page.getByRole("button", { name: "Approve" }).first());
    return await page.locator("main").innerText();
  };
  assertStringIncludes(await approve(kim), "Another person approves a correction");
  assertStringIncludes(await approve(viewer), "may not");
  assertEquals((await service.wallet("big")).credits, 50_000_000_000n);
  assertStringIncludes(await approve(lee), "The correction is applied.");
  assertEquals((await service.wallet("big")).credits, 30_000_000_000n);
});
