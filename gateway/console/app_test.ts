import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { ADMIN_TOKEN } from "../admin/admin_test_support.ts";
import { limitsInForce } from "../domain/limits/service_limits.ts";
import { ORIGIN, TestBrowser, withConsole } from "./console_test_support.ts";

const SESSION = "svc_session_8788";

Deno.test("a browser that asks for the listener itself is sent to the console, a program is not", async () => {
  await withConsole(async (_browser, { app }) => {
    const page = await app.request("/", { headers: { accept: "text/html,*/*" } });
    assertEquals([page.status, page.headers.get("location")], [303, "/console"]);
    const json = await app.request("/");
    assertEquals([json.status, (await json.json()).error.code], [404, "not_found"]);
  });
});

Deno.test("every page asks for a sign-in first, and comes back to itself after it", async () => {
  await withConsole(async (browser) => {
    const sent = await browser.get("/wallets?sort=-spent");
    assertEquals(sent.status, 303);
    const location = sent.headers.get("location") ?? "";
    assertEquals(location, "/console/sign-in?next=%2Fconsole%2Fwallets%3Fsort%3D-spent");
    const form = await browser.get(location.replace("/console", ""));
    assertEquals(form.status, 200);
    const done = await browser.post(location.replace("/console", ""), { token: ADMIN_TOKEN });
    assertEquals(
      [done.status, done.headers.get("location")],
      [303, "/console/wallets?sort=-spent"],
    );
    const page = await browser.get("/wallets");
    assertEquals(page.status, 200);
    assertStringIncludes(page.text, ">team<");
  });
});

Deno.test("scripts that have no session get 401, not a page", async () => {
  await withConsole(async (browser) => {
    const answer = await browser.get("/wallets", { accept: "application/json" });
    assertEquals(answer.status, 401);
    assertStringIncludes(answer.headers.get("content-type") ?? "", "application/json");
  });
});

Deno.test("the sign-in never redirects away from the console", async () => {
  await withConsole(async (browser) => {
    const elsewhere = [
      ...["https://page.example/", "//page.example/console", "/\\page.example", "javascript:1"],
      ...["/admin/v1/keys", "/console/../admin/v1/keys", "/consoles", "/console/sign-in?next=/"],
      ...["\t//page.example", "http://console.invalid@page.example/console", ""],
    ];
    for (const next of elsewhere) {
      const query = new URLSearchParams({ next });
      const done = await browser.post(`/sign-in?${query}`, { token: ADMIN_TOKEN });
      assertEquals(done.headers.get("location"), "/console", JSON.stringify(next));
    }
  });
});

Deno.test("the session is a cookie that scripts and other sites do not see, Secure by https", async () => {
  await withConsole(async (browser) => {
    const plain = await browser.post("/sign-in", { token: ADMIN_TOKEN });
    assertMatch(
      plain.headers.getSetCookie().join(),
      /^svc_session_8788=[0-9a-f]{64}; Path=\/console; HttpOnly; SameSite=Strict$/,
    );
    const headers = { "x-forwarded-proto": "https" };
    const secure = await browser.post("/sign-in", { token: ADMIN_TOKEN }, headers);
    assertMatch(secure.headers.getSetCookie().join(), /; Secure$/);
  });
});

Deno.test("a wrong token begins no session, and is never sent back", async () => {
  await withConsole(async (browser) => {
    for (const token of ["wrong-token-1234", `${ADMIN_TOKEN}x`, "", "  ", "<b>token</b>"]) {
      const answer = await browser.post("/sign-in", { token });
      assertEquals(answer.status, token.trim() === "" ? 422 : 401, JSON.stringify(token));
      assertEquals(answer.headers.getSetCookie(), []);
      assertStringIncludes(answer.text, 'id="error-token"');
      if (token.trim() !== "") assert(!answer.text.includes(token), token);
    }
    assertEquals((await browser.get("/wallets")).status, 303);
  });
});

Deno.test("repeated wrong tokens are delayed, at the console and the API together", async () => {
  await withConsole(async (browser, { app, deps }) => {
    const content = deps.catalogs.current();
    await deps.applyCatalog({
      ...content,
      limits: { ...limitsInForce(content), badKeysPerMinute: 3 },
    }, {
      expected: content.version,
      note: "Strict",
    });
    for (const token of ["a", "b"]) {
      assertEquals((await browser.post("/sign-in", { token })).status, 401);
    }
    const headers = { authorization: "Bearer c" };
    const connection = { remoteAddress: "192.0.2.7" };
    const request = new Request(`${ORIGIN}/admin/v1/wallets`, { headers });
    await (await app.fetch(request, connection)).body?.cancel();
    const late = await browser.post("/sign-in", { token: "d" });
    assertEquals(late.status, 429);
    assertMatch(late.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    assertEquals(late.headers.getSetCookie(), []);
  });
});

Deno.test("a session id that another party chose is not accepted", async () => {
  await withConsole(async (browser) => {
    const planted = "a".repeat(64);
    browser.cookies.set(SESSION, `${SESSION}=${planted}`);
    await browser.signIn();
    const first = browser.cookies.get(SESSION) ?? "";
    assert(!first.includes(planted));
    await browser.signIn();
    assert(browser.cookies.get(SESSION) !== first);
    browser.cookies.set(SESSION, first);
    assertEquals((await browser.get("/wallets")).status, 303, "The former session has ended");
  });
});

Deno.test("signing out ends this session, signing out everywhere all of them", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const kept = browser.cookies.get(SESSION) ?? "";
    const [other, third] = [new TestBrowser(admin), new TestBrowser(admin)];
    await other.signIn();
    await third.signIn();
    const out = await browser.post("/sign-out");
    assertEquals([out.status, browser.cookies.has(SESSION)], [303, false]);
    browser.cookies.set(SESSION, kept);
    assertEquals((await browser.get("/wallets")).status, 303);
    assertEquals((await other.get("/wallets")).status, 200);
    await other.post("/sign-out-everywhere");
    assertEquals((await third.get("/wallets")).status, 303);
  });
});

Deno.test("a new admin token ends every session as soon as it is confirmed", async () => {
  await withConsole(async (browser, { post, app }) => {
    await browser.signIn();
    const { body } = await post("/admin-token/rotate");
    assertEquals((await browser.get("/wallets")).status, 200, "Both are let in until then");
    const headers = { authorization: `Bearer ${body.token}` };
    const confirmed = await app.request("/admin/v1/admin-token/confirm", {
      method: "POST",
      headers,
    });
    assertEquals(confirmed.status, 200);
    await confirmed.body?.cancel();
    assertEquals((await browser.get("/wallets")).status, 303);
  });
});

Deno.test("a change that does not come from the console changes nothing", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    for (const origin of ["https://page.example", "null", "http://127.0.0.1:9999"]) {
      const answer = await browser.post("/sign-out-everywhere", {}, { origin });
      assertEquals(answer.status, 403);
      assertEquals(
        (await browser.post("/sign-in", { token: ADMIN_TOKEN }, { origin })).status,
        403,
      );
    }
    const unsaid = await browser.ask("/sign-out", { method: "POST", body: new URLSearchParams() });
    assertEquals(unsaid.status, 403);
    assertEquals((await browser.get("/wallets")).status, 200);
  });
});

Deno.test("a form is read as forms are sent, and only up to its limit", async () => {
  await withConsole(async (browser) => {
    const json = { "content-type": "application/json", origin: ORIGIN };
    const odd = await browser.ask("/sign-in", { method: "POST", headers: json, body: "{}" });
    assertEquals(odd.status, 415);
    const huge = await browser.post("/sign-in", { token: "x".repeat(1024 * 1024) });
    assertEquals(huge.status, 413);
    assertStringIncludes(huge.text, "<h1>");
  });
});

Deno.test("every answer of the console forbids what it does not need", async () => {
  await withConsole(async (browser) => {
    const page = await browser.get("/sign-in");
    const asset = /href="\/console(\/assets\/[^"]+\.css)"/.exec(page.text)?.[1] ?? "";
    await browser.signIn();
    for (const path of ["/sign-in", "/wallets", "/nothing", asset, "/assets/0/console.js", ""]) {
      const { headers } = await browser.get(path);
      const policy = headers.get("content-security-policy") ?? "";
      assertStringIncludes(policy, "default-src 'none'", path);
      assertNotMatch(policy, /unsafe|\*|https?:/);
      assertEquals(headers.get("x-content-type-options"), "nosniff");
      assertEquals(headers.get("referrer-policy"), "same-origin");
      const cache = path === asset ? "public, max-age=31536000, immutable" : "no-store";
      assertEquals(headers.get("cache-control"), cache, path);
      assertMatch(headers.get("x-request-id") ?? "", /^req_/);
    }
  });
});

Deno.test("no page has a script or a style of its own in its text", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    for (const path of ["/sign-in", "/wallets", "/nothing"]) {
      const { text } = await browser.get(path);
      assertNotMatch(text, / on[a-z]+=| style=|<style|<script(?![^>]* src="\/console\/assets\/)/);
      assertNotMatch(text, / key=/);
    }
  });
});

Deno.test("hostile text shows as text, wherever it comes from", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const hostile = `"><script>alert(1)</script>'&<img src=x onerror=alert(1)>`;
    const query = new URLSearchParams({ name: hostile, tier: hostile, sort: hostile });
    const page = await browser.get(`/wallets?${query}`);
    assertNotMatch(page.text, /<script>|<img/);
    assertStringIncludes(page.text, "&lt;script&gt;alert(1)&lt;/script&gt;");
    const lost = await browser.get(`/${encodeURIComponent(hostile)}`);
    assertEquals(lost.status, 404);
    assertNotMatch(lost.text, /<script>|<img/);
  });
});

Deno.test("language and colours are chosen by the address, kept in a cookie, else the browser's", async () => {
  await withConsole(async (browser) => {
    const headers = { "accept-language": "fr;q=0.9, zh-CN, en" };
    assertStringIncludes((await browser.get("/sign-in", headers)).text, '<html lang="zh-CN"');
    const weighed = { "accept-language": "zh-CN;q=0.3, en-GB;q=0.7, fr" };
    assertStringIncludes((await browser.get("/sign-in", weighed)).text, '<html lang="en"');
    assertStringIncludes((await browser.get("/sign-in")).text, '<html lang="en"');
    const chosen = await browser.get("/sign-in?lang=zh&theme=dark&next=%2Fconsole%2Fkeys");
    assertEquals(chosen.status, 303);
    assertEquals(chosen.headers.get("location"), "/console/sign-in?next=%2Fconsole%2Fkeys");
    const { text } = await browser.get("/sign-in");
    assertStringIncludes(text, '<html lang="zh-CN" data-theme="dark"');
    const odd = await browser.get("/sign-in?lang=%3Cb%3E&theme=pink");
    assertEquals([odd.status, odd.headers.getSetCookie()], [200, []]);
  });
});

Deno.test("an API failure is shown with its id, and logged", async () => {
  await withConsole(async (browser, { deps, lines }) => {
    await browser.signIn();
    const { ledger } = deps;
    ledger.walletPage = () => Promise.reject(new Error("secret detail"));
    const page = await browser.get("/wallets");
    assertEquals(page.status, 500);
    assertNotMatch(page.text, /secret detail/);
    const id = page.headers.get("x-request-id") ?? "?";
    assertStringIncludes(page.text, `<code>${id}</code>`);
    assert(lines.some((line) => line.includes(id)), lines.join("\n"));
  });
});
