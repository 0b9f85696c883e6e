/**
 * The pages of key holders over HTTP: links work once and for a while, sessions only read, and both
 * end with their key.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { HOLDER_SESSION_MS, LINK_MS } from "../../../gateway/flows/keys/holder_access.ts";
import { ADMIN_TOKEN, ManualClock, TestService } from "../../fixtures/service.ts";
import { enter, linkOf, look, post, signedIn } from "./holder_browser.ts";

Deno.test("a link signs in once, and the cookie is for these pages and no script", async () => {
  await using service = await TestService.start();
  const key = await service.newKey();
  const { url, code, expiresAt } = await linkOf(service, key.key);
  assertEquals(url, `${service.running.publicUrl}/me/sign-in#${code}`);
  assertMatch(code, /^svc_link_[0-9A-Za-z]{50}$/);
  const leftMs = Date.parse(expiresAt) - Date.now();
  assert(leftMs > LINK_MS - 60_000 && leftMs <= LINK_MS);
  // A program that looks at links: it never has the code, and a GET changes nothing anyway.
  for (const path of ["/me/sign-in", `/me/sign-in?code=${code}`]) {
    assertEquals((await look(service, path))[0], 200);
  }
  const entered = await Promise.all(
    Array.from({ length: 5 }, () => post(service, "/me/sign-in", { fields: { code } })),
  );
  for (const response of entered) await response.text();
  const [first, ...others] = entered.toSorted((one, other) => one.status - other.status);
  assertEquals(first?.status, 303);
  assertEquals(others.map(({ status }) => status), [401, 401, 401, 401]);
  const cookie = first?.headers.get("set-cookie") ?? "";
  assertMatch(
    cookie,
    /^svc_holder_\d+=svc_me_[0-9A-Za-z]{50}; Path=\/me; HttpOnly; SameSite=Strict; Max-Age=3(?:600|599)$/,
  );
  const [sent] = cookie.split(";");
  const [status, page] = await look(service, "/me/key", sent);
  assertEquals(status, 200);
  assert(page.includes(key.id) && !page.includes(code) && !page.includes(key.key));
  const logs = JSON.stringify(service.logs);
  assert(!logs.includes(code) && !logs.includes("svc_me_"));
});

Deno.test("behind https the cookie is secure", async () => {
  await using service = await TestService.start();
  const { code } = await linkOf(service, (await service.newKey()).key);
  const { publicUrl } = service.running;
  const response = await fetch(`${publicUrl}/me/sign-in`, {
    method: "POST",
    headers: { origin: publicUrl, "x-forwarded-proto": "https" },
    body: new URLSearchParams({ code }),
    redirect: "manual",
  });
  await response.text();
  assertMatch(response.headers.get("set-cookie") ?? "", /; Secure$/);
});

Deno.test("a session reads its own key alone, calls no model, and changes nothing", async () => {
  await using service = await TestService.start();
  const [mine, other] = [await service.newKey(), await service.newKey()];
  for (const { key } of [mine, other]) {
    const call = { messages: [{ role: "user", content: "A secret prompt" }] };
    const answer = await service.chat(call, {
      key,
      headers: { "x-request-id": `call-${key.slice(9, 15)}` },
    });
    await answer.text();
    assertEquals(answer.status, 200);
  }
  const cookie = await signedIn(service, mine);
  const [named, foreign] = [mine, other].map(({ key }) => `call-${key.slice(9, 15)}`);
  const [, list] = await look(service, "/me/requests", cookie);
  assert(list.includes(`${named}`) && !list.includes(`${foreign}`));
  const [status, one] = await look(service, `/me/requests/${named}`, cookie);
  assertEquals(status, 200);
  assert(!one.includes("A secret prompt") && one.includes("hold_"));
  assertEquals((await look(service, `/me/requests/${foreign}`, cookie))[0], 404);
  for (const path of ["/me/usage", "/me/usage?by=model&days=92"]) {
    assertMatch((await look(service, path, cookie))[1], /<tfoot>/);
  }
  assertEquals((await look(service, "/me/requests?status=abc", cookie))[0], 400);
  // The cookie is no key, at any endpoint and in any header.
  const { publicUrl } = service.running;
  const [, secret = ""] = cookie.split("=");
  const messages = [{ role: "user", content: "Hello" }];
  for (
    const headers of [{ cookie }, { "x-api-key": secret }, { authorization: `Bearer ${secret}` }]
  ) {
    const answer = await fetch(`${publicUrl}/openai/v1/chat/completions`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ model: "auto", messages }),
    });
    await answer.text();
    assertEquals(answer.status, 401);
    const own = await fetch(`${publicUrl}/api/v1/key/sign-in-link`, { method: "POST", headers });
    await own.text();
    assertEquals(own.status, 401);
  }
  for (const path of ["/me/key", "/me/usage", "/me/requests"]) {
    const answer = await post(service, path, { cookie });
    await answer.text();
    assertEquals(answer.status, 404);
  }
});

Deno.test("the pages group and filter by the names of calls, and show them", async () => {
  await using service = await TestService.start();
  const key = await service.newKey();
  for (const [requestId, user, tags] of [["one", "ann", "team=search, env=prod"], ["two", "bob"]]) {
    const answer = await service.chat({ user, messages: [{ role: "user", content: "Hello" }] }, {
      key: key.key,
      headers: { "x-request-id": requestId ?? "", ...tags === undefined ? {} : { "x-tag": tags } },
    });
    await answer.text();
    assertEquals(answer.status, 200);
  }
  const cookie = await signedIn(service, key);
  const bodyOf = async (path: string) => {
    const [status, page] = await look(service, path, cookie);
    assertEquals(status, 200, path);
    return page.slice(page.indexOf("<tbody"));
  };
  const users = await bodyOf("/me/usage?by=user");
  assert(users.includes("ann") && users.includes("bob"));
  const teams = await bodyOf("/me/usage?by=tag&name=team");
  assert(teams.includes("search") && teams.includes("<em>without</em>"));
  const narrowed = await bodyOf("/me/usage?by=user&tag=env%3Dprod&days=7");
  assert(narrowed.includes("ann") && !narrowed.includes("bob"));
  assertMatch((await look(service, "/me/usage?user=nobody", cookie))[1], /Nothing was used/);
  assertMatch((await look(service, "/me/usage?by=tag", cookie))[1], /Enter the name of the tag/);
  assertEquals((await look(service, "/me/usage?by=key", cookie))[0], 400);
  assertEquals((await look(service, "/me/usage?tag=none", cookie))[0], 400);
  for (const path of ["/me/requests?user=ann", "/me/requests?tag=team%3Dsearch"]) {
    const list = await bodyOf(path);
    assert(list.includes("/me/requests/") && list.includes("one") && !list.includes("two"), path);
  }
  const [, one] = await look(service, "/me/requests/one", cookie);
  assertMatch(one, /ann/);
  assertMatch(one, /team=search/);
});

Deno.test("the policy that hides the wallet hides it here", async () => {
  await using service = await TestService.start();
  for (const wallet of ["hidden", "shown"] as const) {
    const key = await service.newKey({ policy: { wallet, budget: { day: "5" } } });
    const [, page] = await look(service, "/me/key", await signedIn(service, key));
    assertEquals(page.includes("not shown to the holder"), wallet === "hidden");
    assert(page.includes("Credits today"));
  }
});

Deno.test("links and sessions end by their time", async () => {
  const clock = new ManualClock();
  await using service = await TestService.start({ clock });
  const key = await service.newKey();
  const late = await linkOf(service, key.key);
  clock.advance(LINK_MS);
  assertEquals(await enter(service, late.code), undefined);
  const cookie = await signedIn(service, key);
  clock.advance(HOLDER_SESSION_MS - 1);
  assertEquals((await look(service, "/me/key", cookie))[0], 200);
  clock.advance(1);
  assertEquals((await look(service, "/me/key", cookie))[0], 303);
});

const ENDINGS: Readonly<Record<string, (service: TestService, id: string) => Promise<unknown>>> = {
  "disabled, also if it is enabled again": async (service, id) => {
    await service.admin("POST", `/keys/${id}/disable`);
    await service.admin("POST", `/keys/${id}/enable`);
  },
  "revoked": (service, id) => service.admin("POST", `/keys/${id}/revoke`),
  "rotated": (service, id) => service.admin("POST", `/keys/${id}/rotate`, {}),
  "expired": (service, id) =>
    service.admin("POST", `/keys/${id}/narrow`, { policy: { expiresAt: "2020-01-01T00:00:00Z" } }),
};

for (const [how, end] of Object.entries(ENDINGS)) {
  Deno.test(`links and sessions end when the key is ${how}`, async () => {
    await using service = await TestService.start();
    const key = await service.newKey();
    const [cookie, link] = [await signedIn(service, key), await linkOf(service, key.key)];
    assertEquals((await look(service, "/me/key", cookie))[0], 200);
    await end(service, key.id);
    assertEquals((await look(service, "/me/key", cookie))[0], 303);
    assertEquals(await enter(service, link.code), undefined);
  });
}

Deno.test("a sign-out ends the session everywhere the cookie is, and needs a page of ours", async () => {
  await using service = await TestService.start();
  const cookie = await signedIn(service, await service.newKey());
  const foreign = await post(service, "/me/sign-out", { cookie, origin: "http://elsewhere.test" });
  await foreign.text();
  assertEquals(foreign.status, 403);
  assertEquals((await look(service, "/me/key", cookie))[0], 200);
  await (await post(service, "/me/sign-out", { cookie })).text();
  assertEquals((await look(service, "/me/key", cookie))[0], 303);
});

Deno.test("wrong codes are counted, and links are few a minute", async () => {
  await using service = await TestService.start();
  const { key } = await service.newKey();
  const statuses = new Set<number>();
  for (let at = 0; at < 200 && !statuses.has(429); at++) {
    const answer = await post(service, "/me/sign-in", { fields: { code: `guess-${at}` } });
    await answer.text();
    statuses.add(answer.status);
  }
  assertEquals([...statuses], [401, 429]);
  // An address that others share can still sign in.
  assert(await enter(service, (await linkOf(service, key)).code) !== undefined);
  for (let at = 0; at < 9; at++) await linkOf(service, key);
  const { publicUrl } = service.running;
  const headers = { "x-api-key": key };
  const over = await fetch(`${publicUrl}/api/v1/key/sign-in-link`, { method: "POST", headers });
  assertEquals([over.status, (await over.json()).error.code], [429, "rate_limit_exceeded"]);
});

Deno.test("an operator makes a link, and the audit log does not have it", async () => {
  await using service = await TestService.start();
  const { id } = await service.newKey();
  const link = await service.admin("POST", `/keys/${id}/sign-in-link`);
  assert(await enter(service, String(link.code)) !== undefined);
  const audit = JSON.stringify(await service.admin("GET", "/audit"));
  assert(audit.includes("createSignInLink") && !audit.includes("svc_link_"), audit);
  await service.admin("POST", `/keys/${id}/revoke`);
  const refused = await fetch(`${service.running.adminUrl}/admin/v1/keys/${id}/sign-in-link`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  assertEquals([refused.status, (await refused.json()).error.code], [409, "conflict"]);
});

Deno.test("one setting switches all of it off", async () => {
  await using service = await TestService.start({ settings: { keyPages: false } });
  const { id, key } = await service.newKey();
  const { publicUrl, adminUrl } = service.running;
  for (
    const [address, init] of [
      [`${publicUrl}/me`, {}],
      [`${publicUrl}/me/sign-in`, {}],
      [`${publicUrl}/api/v1/key/sign-in-link`, { method: "POST", headers: { "x-api-key": key } }],
      [`${adminUrl}/admin/v1/keys/${id}/sign-in-link`, {
        method: "POST",
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      }],
    ] as const
  ) {
    const answer = await fetch(address, init);
    assertEquals([answer.status, (await answer.json()).error.code], [404, "not_found"], address);
  }
});

Deno.test("every page carries the strict headers", async () => {
  await using service = await TestService.start();
  const cookie = await signedIn(service, await service.newKey());
  for (const path of ["/me/sign-in", "/me/key", "/me/requests/none", "/me/nothing"]) {
    const answer = await fetch(service.running.publicUrl + path, { headers: { cookie } });
    const text = await answer.text();
    const { headers } = answer;
    assertMatch(
      headers.get("content-security-policy") ?? "",
      /^default-src 'none'; script-src 'self'/,
    );
    assertEquals([headers.get("cache-control"), headers.get("x-frame-options")], [
      "no-store",
      "DENY",
    ]);
    assertNotEquals(headers.get("x-request-id"), null, path);
    assert(!/<script[^>]*>[^<]|style=|\son\w+=/.test(text), path);
  }
});
