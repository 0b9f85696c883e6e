/**
 * Operators of each role in a real browser: the sections that they see, the pages that open, and the
 * changes that are refused; a token that an administrator hands over, and a session that is ended.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ROLES } from "../../gateway/domain/operators/roles.ts";
import { TestService } from "../fixtures/service.ts";
import { startOidcServer } from "../fixtures/oidc_provider.ts";
import {
  browserTest,
  chromiumPath,
  type ConsoleVisit,
  follow,
  launch,
  type Page,
  signIn,
} from "./browser.ts";

const COMMON = [
  "Overview",
  "Requests",
  "Usage",
  "Routing",
  "Keys",
  "Wallets",
  "Catalog",
  "Upstreams",
  "Notifications",
];

/** Sections of each role beside these, and its rights on a wallet. */
const SEEN = {
  viewer: { sections: [], credits: false },
  support: { sections: ["Playground"], credits: false },
  billing: { sections: [], credits: true },
  admin: { sections: ["Playground", "Operators", "Audit log"], credits: true },
} as const;

async function tokenOf({ service }: ConsoleVisit, role: string): Promise<string> {
  const { id } = await service.admin("POST", "/operators", { name: `The ${role}`, role });
  const { token } = await service.admin("POST", `/operators/${id}/tokens`, { name: "Test" });
  return String(token);
}

async function enter(visit: ConsoleVisit, token: string, path = ""): Promise<Page> {
  const page = await visit.stranger();
  await page.goto(visit.url(path));
  await signIn(page, token);
  return page;
}

function press(page: Page, name: string): Promise<void> {
  return follow(page, page.getByRole("button", { name, exact: true }).first());
}

async function credit(page: Page, visit: ConsoleVisit): Promise<string> {
  await page.goto(visit.url("/wallets/default/credit"));
  await page.getByLabel("Credits", { exact: false }).first().fill("5");
  await follow(page, page.locator("main button[type=submit]").first());
  // The second step asks again.
  const again = page.locator("main button[type=submit]");
  if (await again.count() > 0) await follow(page, again.first());
  return await page.locator("main").innerText();
}

for (const role of ROLES) {
  browserTest(`the role "${role}" sees and does what its table says`, async (visit) => {
    const page = await enter(visit, await tokenOf(visit, role));
    const names = await page.getByRole("navigation", { name: "Sections" }).getByRole("link")
      .allInnerTexts();
    assertEquals(names, [...COMMON, ...SEEN[role].sections]);
    for (const name of names) {
      await follow(page, page.getByRole("link", { name, exact: true }).first());
      const text = await page.locator("main").innerText();
      assert(!text.includes("may not"), `${name}: ${text}`);
    }
    assertStringIncludes(await page.locator("header.top").innerText(), `The ${role}`);
    for (const [path, name] of [["/operators", "Operators"], ["/audit", "Audit log"]] as const) {
      const response = await page.goto(visit.url(path));
      const isSeen: boolean = (SEEN[role].sections as readonly string[]).includes(name);
      assertEquals(response?.status(), isSeen ? 200 : 403, path);
    }
    const before = (await visit.service.wallet()).credits;
    const text = await credit(page, visit);
    assertEquals(
      text.includes("may not create, credit and correct wallets"),
      !SEEN[role].credits,
      text,
    );
    const after = (await visit.service.wallet()).credits;
    assertEquals(after > before, SEEN[role].credits);
  });
}

browserTest("an administrator makes an operator, who signs in and is sent out", async (visit) => {
  const page = await enter(visit, await tokenOf(visit, "admin"), "/operators");
  await follow(page, page.getByRole("link", { name: "New operator" }));
  await page.getByLabel("Name", { exact: true }).fill("Kim");
  await page.getByLabel("Role", { exact: true }).selectOption("support");
  // No operator gives a right that they lack.
  await page.getByLabel("May read logged texts of requests").check();
  await press(page, "Create the operator");
  assertMatch(await page.locator("main").innerText(), /Only somebody with "content"/);
  await page.getByLabel("May read logged texts of requests").uncheck();
  await press(page, "Create the operator");
  await page.getByLabel("Name of the token").fill("Laptop");
  await press(page, "Create a token");
  const token = /svc_admin_\w{50}/.exec(await page.locator("main").innerText())?.[0] ?? "";
  assert(token !== "");
  const kim = await enter(visit, token, "/keys");
  assertStringIncludes(await kim.locator("header.top").innerText(), "Kim");
  await page.goto(visit.url("/operators"));
  await press(page, "End: Kim");
  await kim.goto(visit.url("/wallets"));
  assertMatch(kim.url(), /sign-in/);
  await page.goto(visit.url("/operators"));
  await follow(page, page.getByRole("link", { name: "Kim" }));
  await press(page, "Disable");
  await signIn(kim, token);
  assertStringIncludes(await kim.locator("main").innerText(), "not an admin token");
  await page.goto(visit.url("/audit"));
  const log = await page.locator("main").innerText();
  for (const action of ["createOperator", "createOperatorToken", "endSession", "disableOperator"]) {
    assertStringIncludes(log, action);
  }
  assert(!log.includes(token.slice(12)), "No token is in the log");
});

Deno.test({
  name: "a browser signs in at an identity provider on another site, and comes back",
  ignore: chromiumPath() === undefined,
  async fn() {
    const port = freePort();
    const origin = `http://localhost:${port}`;
    await using oidc = await startOidcServer([`${origin}/console/sso/callback`]);
    await using service = await TestService.start({
      settings: {
        adminPort: port,
        signOn: {
          issuer: oidc.issuer,
          ...{ clientId: oidc.clientId, clientSecret: oidc.clientSecret },
          ...{ scopes: "openid profile", groupsClaim: "groups" },
          groupRoles: [{ group: "staff", gives: "billing" }],
        },
      },
    });
    const browser = await launch();
    try {
      const page = await browser.newPage();
      await page.goto(`${origin}/console/wallets`);
      await page.getByRole("link", { name: "Sign in with your organisation" }).click();
      await page.waitForURL(`${origin}/console/wallets`);
      await page.getByRole("heading", { name: "Wallets" }).waitFor();
      assertStringIncludes(await page.locator("header.top").innerText(), "Kim");
      const cookies = await page.context().cookies();
      const session = cookies.find(({ name }) => name.startsWith("svc_session"));
      assertEquals([session?.httpOnly, session?.sameSite], [true, "Strict"]);
      const { entries } = await service.admin("GET", "/audit?action=signIn");
      assert(JSON.stringify(entries).includes("sso:kim"));
    } finally {
      await browser.close();
    }
  },
});

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}
