import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ADMIN_TOKEN } from "../admin/admin_test_support.ts";
import { SESSIONS_MAX } from "../flows/operators/sessions.ts";
import { StoreError } from "../ports/store_error.ts";
import { TestBrowser, withConsole } from "./console_test_support.ts";

const SESSION = "svc_session_8788";

Deno.test("two consoles on one machine, on two ports, keep their sessions apart", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    assertEquals([...browser.cookies.keys()], [SESSION]);
    browser.cookies.set("other", "svc_session_9788=of-another-console");
    browser.cookies.set("usual", "svc_session=of-another-console");
    assertEquals((await browser.get("/wallets")).status, 200);
  });
});

Deno.test("planted session cookies before the real one do not prevent its use", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const own = browser.cookies.get(SESSION) ?? "";
    const planted = `${SESSION}=${"0".repeat(64)}; ${SESSION}=`;
    browser.cookies.set(SESSION, `${planted}; ${own}`);
    assertEquals((await browser.get("/wallets")).status, 200);
    const out = await browser.post("/sign-out");
    assertEquals(out.status, 303);
    browser.cookies.set(SESSION, own);
    assertEquals((await browser.get("/wallets")).status, 303, "The one that was found has ended");
  });
});

Deno.test("signing out of an expired session succeeds and leads to the sign-in", async () => {
  await withConsole(async (browser, admin) => {
    const other = await new TestBrowser(admin).signIn();
    browser.cookies.set(SESSION, `${SESSION}=${"0".repeat(64)}`);
    for (const path of ["/sign-out", "/sign-out-everywhere"]) {
      const out = await browser.post(path);
      assertEquals([out.status, out.headers.get("location")], [303, "/console/sign-in?signed=out"]);
    }
    assertEquals((await other.get("/wallets")).status, 200, "It ended no session of others");
    for (const next of ["/console/sign-out", "/console/sign-out-everywhere?x"]) {
      const query = new URLSearchParams({ next });
      const done = await browser.post(`/sign-in?${query}`, { token: ADMIN_TOKEN });
      assertEquals(done.headers.get("location"), "/console");
    }
  });
});

Deno.test("a form sent after the session's end is answered that nothing was changed", async () => {
  await withConsole(async (browser, { get }) => {
    const sent = await browser.post("/wallets/team/credit", { credits: "5", once: "a", do: "pay" });
    const location = sent.headers.get("location") ?? "";
    assertEquals(
      [sent.status, location],
      [303, "/console/sign-in?next=%2Fconsole%2Fwallets%2Fteam%2Fcredit&ended=yes"],
    );
    const page = await browser.get(location.replace("/console", ""));
    assertStringIncludes(page.text, "Nothing was changed");
    assertEquals((await get("/wallets/team")).body.credits, "100.000000");
    const done = await browser.post(location.replace("/console", ""), { token: ADMIN_TOKEN });
    assertEquals(done.headers.get("location"), "/console/wallets/team/credit");
  });
});

Deno.test("the address alone does not make the sign-in state that a session ended", async () => {
  await withConsole(async (browser) => {
    const page = await browser.get("/sign-in?signed=%3Cb%3Enobody");
    assert(!page.text.includes("notice-done"));
  });
});

Deno.test("a signed-in operator is not asked to sign in again", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const again = await browser.get("/sign-in?next=%2Fconsole%2Fkeys%3Fstate%3Dactive");
    assertEquals(
      [again.status, again.headers.get("location")],
      [303, "/console/keys?state=active"],
    );
  });
});

Deno.test("a link on another site leads a signed-in operator to its page", async () => {
  await withConsole(async (browser) => {
    // The first request of it comes without the cookie, by SameSite=Strict.
    const linked = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    const first = await browser.get("/wallets?name=te&name=%22", linked);
    assertEquals(first.status, 200);
    const again = `content="0; url=/console/wallets?name=te&amp;name=%22"`;
    assertStringIncludes(first.text, again);
    // Where the browser does not follow by itself, its reader does.
    assertStringIncludes(first.text, '<a href="/console/wallets?name=te&amp;name=%22">');
    // Asked for again by that page it comes with the cookie, or is no link from elsewhere any more.
    const own = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" };
    assertEquals((await browser.get("/wallets", own)).status, 303);
    const form = { ...linked, origin: "https://page.example" };
    assertEquals((await browser.post("/wallets/-/new", {}, form)).status, 403);
    const script = await browser.get("/wallets", { ...linked, accept: "*/*" });
    assertEquals(script.status, 401);
  });
});

Deno.test("an address that ends in a slash is the same page", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    assertEquals((await browser.get("/wallets/")).status, 200);
    assertEquals((await browser.get("/")).headers.get("location"), "/console/overview");
  });
});

Deno.test("no other window holds on to a page of the console", async () => {
  await withConsole(async (browser) => {
    const { headers } = await browser.get("/sign-in");
    assertEquals(headers.get("cross-origin-opener-policy"), "same-origin");
    assertMatch(headers.get("permissions-policy") ?? "", /camera=\(\)/);
  });
});

Deno.test("a page that answers a form has no language and theme switches", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const form = { do: "save", once: "a", name: "Shop", wallet: "team" };
    const made = await browser.post("/keys/new", form);
    assertStringIncludes(made.text, "svc_live_");
    assert(!made.text.includes("lang=zh"), "A click there would leave the key behind");
    assert(!made.text.includes("theme=dark"));
    assertStringIncludes((await browser.get("/keys/new")).text, "lang=zh");
  });
});

Deno.test("a form that does not say what to do does nothing", async () => {
  await withConsole(async (browser, { post, get }) => {
    await browser.signIn();
    const { body: { id } } = await post("/keys", { name: "app", wallet: "team" });
    await post(`/keys/${id}/disable`);
    for (const path of [`/keys/${id}`, `/keys/${id}/rotate`]) {
      for (const fields of [{}, { do: "" }, { do: "revive" }]) {
        assertEquals((await browser.post(path, fields)).status, 400, path);
      }
    }
    assertEquals((await get(`/keys/${id}`)).body.status, "disabled");
  });
});

Deno.test("a session begins and ends in one commit with its entry, which does not open it", async () => {
  await withConsole(async (browser, admin) => {
    const other = await new TestBrowser(admin).signIn();
    await browser.signIn();
    const [newest, oldest] = (await admin.deps.sessions.list()).map(({ name }) => name);
    await browser.post("/sign-out");
    await new TestBrowser(admin).signIn();
    const cookie = other.cookies.get(SESSION) ?? "";
    await other.post("/sign-out-everywhere");
    const { entries } = (await admin.get("/audit?limit=100")).body;
    const of = (action: string) =>
      entries.filter((entry: { action: string }) => entry.action === action);
    const [signIns, outs, all] = ["signIn", "signOut", "signOutEverywhere"].map(of);
    assertEquals(signIns.map(({ stage }: { stage: string }) => stage), ["done", "done", "done"]);
    assertEquals([signIns[2].after.id, signIns[1].after.id], [oldest, newest]);
    assertEquals(outs.map(({ before }: { before: { id: string } }) => before.id), [newest]);
    assertEquals(all.length, 2, "One for each session");
    assert(!JSON.stringify(entries).includes(cookie.slice(cookie.indexOf("=") + 1)));
    const failing = () => Promise.reject(new StoreError("The disk is full"));
    admin.stores.trailStore.append = failing;
    const refused = await browser.post("/sign-in", { token: ADMIN_TOKEN });
    assertEquals([refused.status, browser.cookies.size], [503, 0]);
    assertEquals(await admin.deps.sessions.list(), [], "Without its entry none begins");
  });
});

Deno.test("a sign-in that finds too many sessions of others is refused, with an entry", async () => {
  await withConsole(async (browser, { deps, get, post }) => {
    const { body: { id } } = await post("/operators", { name: "Kim", role: "viewer" });
    const { body: { token } } = await post(`/operators/${id}/tokens`, { name: "t", days: 1 });
    const rights = ["read"] as const;
    for (let at = 0; at < SESSIONS_MAX; at++) {
      const actor = {
        kind: "sso",
        id: `sso:${at}`,
        name: "Person",
        role: "viewer",
        rights,
      } as const;
      assert(await deps.sessions.begin({ kind: "sso", grant: "" }, { actor }));
    }
    const refused = await browser.post("/sign-in", { token });
    assertEquals([refused.status, browser.cookies.size], [503, 0]);
    assertStringIncludes(refused.text, "too many sessions");
    assertEquals((await deps.sessions.list()).length, SESSIONS_MAX, "None of others has ended");
    const { entries } = (await get("/audit?limit=100")).body;
    const made = entries.filter((entry: { action: string }) => entry.action.startsWith("signIn"));
    assertEquals(made.map((entry: { action: string }) => entry.action), ["signInRefused"]);
    assertStringIncludes(made[0].remark, "too many sessions");
    await browser.signIn();
  });
});

Deno.test("a wrong token has an entry in the audit log, without the token, until the hour is full", async () => {
  await withConsole(async (browser, { get }) => {
    const token = "svc_admin_of_somebody_else";
    for (let times = 0; times < 30; times++) await browser.post("/sign-in", { token });
    const { entries } = (await get("/audit?action=signInRefused&limit=100")).body;
    assertEquals(entries.length, 20);
    const { who, address, remark, subject } = entries.at(-1);
    assertEquals([who.kind, address, remark, subject], [
      ...["nobody", "192.0.2.7", "The token is not valid", "/console"],
    ]);
    assert(!JSON.stringify(entries).includes(token));
  });
});
