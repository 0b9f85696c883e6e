import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { withAdmin } from "../../gateway/admin/admin_test_support.ts";
import { TestBrowser } from "../../gateway/console/console_test_support.ts";
import { SessionMemory } from "../../gateway/flows/operators/session_memory.ts";
import { SIGN_IN_MS, SignOn } from "../../gateway/flows/operators/sign_on.ts";
import { RECHECK_MS } from "../../gateway/flows/operators/sso_checks.ts";
import { parseGroupRoles } from "../../gateway/domain/operators/group_roles.ts";
import { OpenIdConnect } from "../../gateway/sso/openid_connect.ts";
import { type OidcServer, startOidcServer, walkOidc } from "../fixtures/oidc_provider.ts";

const CONSOLE = "http://127.0.0.1:8788";
const CALLBACK = `${CONSOLE}/console/sso/callback`;
const ROLES = "staff=viewer,helpdesk=support,owners=admin,privacy=content";

/** A console with the sign-in at a provider. */
interface Scene {
  readonly oidc: OidcServer;
  readonly browser: TestBrowser;
  /** Another browser on the same console. */
  readonly another: () => TestBrowser;
  readonly clock: { ms: number };
  readonly lines: readonly string[];
  readonly audit: () => Promise<{ action: string; who: { name: string }; remark: string | null }[]>;
}

async function withSignOn(
  run: (scene: Scene) => Promise<void>,
  { secret }: { secret?: string } = {},
): Promise<void> {
  await using oidc = await startOidcServer([CALLBACK]);
  let nowMs = () => 0;
  const groupRoles = parseGroupRoles(ROLES);
  assert(typeof groupRoles !== "string");
  const signOn = new SignOn({
    groupRoles,
    clock: { nowMs: () => nowMs() },
    store: new SessionMemory({ append: () => Promise.reject(new Error("No session ends")) }),
    provider: new OpenIdConnect({
      issuer: oidc.issuer,
      clientId: oidc.clientId,
      clientSecret: secret ?? oidc.clientSecret,
      scopes: "openid profile",
      groupsClaim: "groups",
    }),
  });
  await withAdmin(async (admin) => {
    nowMs = () => admin.clock.ms;
    await run({
      oidc,
      browser: new TestBrowser(admin),
      another: () => new TestBrowser(admin),
      clock: admin.clock,
      lines: admin.lines,
      audit: async () => (await admin.get("/audit?limit=50")).body.entries,
    });
  }, { signOn, consoleUrl: CONSOLE });
}

/** Begins a sign-in and goes through the provider; resolves to the way back. */
async function toProvider(browser: TestBrowser, next = "/console/wallets"): Promise<string> {
  const start = await browser.get(`/sso/start?next=${encodeURIComponent(next)}`);
  assertEquals(start.status, 303);
  const back = await walkOidc(start.headers.get("location") ?? "");
  assertEquals(back.origin + back.pathname, CALLBACK);
  return `/sso/callback${back.search}`;
}

function assertNotIn(answer: { status: number; headers: Headers }): void {
  const location = answer.headers.get("location");
  assertEquals([answer.status, location], [303, "/console/sign-in?sso=refused"]);
}

Deno.test("somebody whom the provider signs in has the role of their group", async () => {
  await withSignOn(async ({ oidc, browser, audit }) => {
    assertStringIncludes((await browser.get("/sign-in")).text, "/console/sso/start?next=");
    const done = await browser.get(await toProvider(browser));
    assertEquals([done.status, done.headers.get("location")], [303, "/console/wallets"]);
    assertEquals((await browser.get("/wallets")).status, 200);
    const form = await browser.post("/wallets/team/credit", { credits: "5", once: "a", do: "pay" });
    assertStringIncludes(form.text, "may not create, credit and correct wallets");
    assertEquals(oidc.people.size, 1);
    const [refusedOrIn] = await audit();
    assertEquals([refusedOrIn?.action, refusedOrIn?.who.name], ["signIn", "Kim"]);
  });
});

Deno.test("no group with a role: the sign-in is refused and noted", async () => {
  await withSignOn(async ({ oidc, browser, audit }) => {
    oidc.people.set("kim", { name: "Kim", groups: ["visitors", "privacy"] });
    assertNotIn(await browser.get(await toProvider(browser)));
    assertEquals((await browser.get("/wallets")).status, 303);
    const [entry] = await audit();
    assertEquals([entry?.action, entry?.who.name], ["signInRefused", "Kim"]);
    assertMatch(entry?.remark ?? "", /None of the groups/);
  });
});

const WRONG: Readonly<
  Record<string, (claims: Record<string, unknown>) => Record<string, unknown>>
> = {
  "another issuer": (claims) => ({ ...claims, iss: "https://elsewhere.example" }),
  "another audience": (claims) => ({ ...claims, aud: "another-client" }),
  "another nonce": (claims) => ({ ...claims, nonce: "another" }),
  "no nonce": ({ nonce: _, ...claims }) => claims,
  "an end in the past": (claims) => ({ ...claims, exp: 1, iat: 0 }),
  "no subject": ({ sub: _, ...claims }) => claims,
};

for (const [name, tamper] of Object.entries(WRONG)) {
  Deno.test(`an ID token with ${name} is refused`, async () => {
    await withSignOn(async ({ oidc, browser, lines, audit }) => {
      oidc.tamper = tamper;
      assertNotIn(await browser.get(await toProvider(browser)));
      assertEquals((await browser.get("/wallets")).status, 303);
      assert(lines.some((line) => line.startsWith("sign_in_refused")), lines.join("\n"));
      // No person was identified, so no stranger can fill the audit log in this way.
      assert((await audit()).every(({ action }) => action !== "signInRefused"));
      oidc.tamper = undefined;
      assertEquals(
        (await browser.get(await toProvider(browser))).headers.get("location"),
        "/console/wallets",
      );
    });
  });
}

Deno.test("an ID token that the provider has not signed is refused", async () => {
  await withSignOn(async ({ oidc, browser }) => {
    oidc.tamper = (claims) => claims;
    const location = async () =>
      (await browser.get(await toProvider(browser))).headers.get("location");
    assertEquals(await location(), "/console/wallets", "Signed again by the provider's key");
    await browser.post("/sign-out");
    oidc.isForged = true;
    assertEquals(await location(), "/console/sign-in?sso=refused");
  });
});

Deno.test("a code that was used, and a way back that is repeated, are refused", async () => {
  await withSignOn(async ({ browser, another }) => {
    const back = await toProvider(browser);
    const ticket = [...browser.cookies.values()];
    assertEquals((await browser.get(back)).headers.get("location"), "/console/wallets");
    assertNotIn(await browser.get(back));
    // With the ticket once more, as somebody has it who recorded everything.
    const replay = another();
    for (const pair of ticket) replay.cookies.set(pair.split("=")[0] ?? "", pair);
    assertNotIn(await replay.get(back));
  });
});

Deno.test("a used code is refused by the provider too, in a new sign-in of the same browser", async () => {
  await withSignOn(async ({ browser, another }) => {
    const back = await toProvider(browser);
    assertEquals((await browser.get(back)).headers.get("location"), "/console/wallets");
    const other = another();
    const second = new URL(await toProvider(other), CONSOLE);
    second.searchParams.set("code", new URL(back, CONSOLE).searchParams.get("code") ?? "");
    assertNotIn(await other.get(second.pathname + second.search));
  });
});

Deno.test("an expired code is refused", async () => {
  await withSignOn(async ({ oidc, browser }) => {
    oidc.codeSeconds = 1;
    const back = await toProvider(browser);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    assertNotIn(await browser.get(back));
  });
});

Deno.test("another browser cannot end a sign-in, nor one that came back too late", async () => {
  await withSignOn(async ({ browser, another, clock }) => {
    const back = await toProvider(browser);
    assertNotIn(await another().get(back));
    clock.ms += SIGN_IN_MS;
    assertNotIn(await browser.get(back));
  });
});

Deno.test("a changed state, an error of the provider and a wrong client secret are refused", async () => {
  await withSignOn(async ({ browser }) => {
    const back = new URL(await toProvider(browser), CONSOLE);
    back.searchParams.set("state", "another");
    assertNotIn(await browser.get(`/sso/callback${back.search}`));
    await toProvider(browser);
    assertNotIn(await browser.get("/sso/callback?error=access_denied"));
  });
  await withSignOn(async ({ browser }) => {
    assertNotIn(await browser.get(await toProvider(browser)));
  }, { secret: "another-secret-0123456789-0123456789" });
});

Deno.test("leaving the group ends the session within minutes, and another group changes the role", async () => {
  await withSignOn(async ({ oidc, browser, clock }) => {
    await browser.get(await toProvider(browser));
    const kim = oidc.people.get("kim");
    assert(kim !== undefined);
    kim.groups = ["owners"];
    clock.ms += RECHECK_MS;
    assertStringIncludes((await browser.get("/audit")).text, "signIn");
    kim.groups = [];
    clock.ms += RECHECK_MS - 1;
    assertEquals((await browser.get("/wallets")).status, 200, "Asked a moment ago");
    clock.ms += 1;
    assertEquals((await browser.get("/wallets")).status, 303);
    kim.groups = ["owners"];
    assertEquals((await browser.get("/wallets")).status, 303, "It does not come back");
  });
});

Deno.test("a provider that is away keeps sessions for some minutes only, and begins none", async () => {
  await withSignOn(async ({ oidc, browser, another, clock }) => {
    await browser.get(await toProvider(browser));
    oidc.isDown = true;
    clock.ms += RECHECK_MS;
    assertEquals((await browser.get("/wallets")).status, 200);
    clock.ms += 10 * 60_000;
    assertEquals((await browser.get("/wallets")).status, 303);
    const begun = await another().get("/sso/start");
    assertEquals(begun.status, 303);
  });
});
