/**
 * The console of two services on one database, as behind a proxy that sends each request of a browser
 * to another one.
 *
 * @module
 */

import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { keyRecords } from "../../../gateway/flows/keys/key_records_fixture.ts";
import { IDLE_MS } from "../../../gateway/flows/operators/sessions.ts";
import { RECHECK_MS } from "../../../gateway/flows/operators/sso_checks.ts";
import { connect } from "../../../gateway/stores/postgres/connection.ts";
import { labConfig } from "../../fixtures/lab.ts";
import { type OidcServer, startOidcServer, walkOidc } from "../../fixtures/oidc_provider.ts";
import { newDatabase, postgresBin, startPostgres } from "../../fixtures/postgres.ts";
import { ADMIN_TOKEN, TestService, until, WALLET } from "../../fixtures/service.ts";

const bin = await postgresBin();
/** The address by which people reach the consoles of all services. */
const CONSOLE = "http://127.0.0.1:8788";

interface Scene {
  readonly one: TestService;
  readonly other: TestService;
  readonly browser: Browser;
  readonly oidc: OidcServer;
  /** Time that has passed beyond the real time. */
  readonly passed: { ms: number };
  readonly url: string;
}

/** A browser that takes all services for one. */
class Browser {
  /** Values, by the name without the port. */
  readonly cookies = new Map<string, string>();

  async get(at: TestService, path: string): Promise<Response> {
    return await this.#ask(at, path, {});
  }

  async post(at: TestService, path: string, fields: Record<string, string>): Promise<Response> {
    return await this.#ask(at, path, { method: "POST", body: new URLSearchParams(fields) });
  }

  /** Status and place of an answer, whose text is not read. */
  async sees(at: TestService, path = "/wallets"): Promise<number> {
    const answer = await this.get(at, path);
    await answer.body?.cancel();
    return answer.status;
  }

  async #ask(at: TestService, path: string, init: RequestInit): Promise<Response> {
    const origin = at.running.adminUrl;
    const { port } = new URL(origin);
    const pairs = [...this.cookies].map(([name, value]) => `${name}_${port}=${value}`);
    const headers = { origin, accept: "text/html", cookie: pairs.join("; ") };
    const url = `${origin}/console${path}`;
    const answer = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^(.*)_\d+=([^;]*)/.exec(cookie) ?? [];
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }
}

async function onTwo(test: (scene: Scene) => Promise<void>): Promise<void> {
  await using server = await startPostgres(bin ?? "");
  const { url } = await newDatabase(server);
  await using oidc = await startOidcServer([`${CONSOLE}/console/sso/callback`]);
  const passed = { ms: 0 };
  const options = {
    config: labConfig({ id: "only", baseUrl: "http://127.0.0.1:9/v1" }),
    clock: {
      nowMs: () => Date.now() + passed.ms,
      monotonicMs: () => performance.now(),
    },
    settings: {
      store: { kind: "postgres", url },
      adminUrls: [CONSOLE],
      signOn: {
        ...{ issuer: oidc.issuer, clientId: oidc.clientId, clientSecret: oidc.clientSecret },
        ...{ scopes: "openid profile", groupsClaim: "groups" },
        groupRoles: [{ group: "staff", gives: "viewer" }],
      },
    },
  } as const;
  await using one = await TestService.start(options);
  await using other = await TestService.start(options);
  await test({ one, other, browser: new Browser(), oidc, passed, url });
}

async function signIn({ browser, one }: Scene): Promise<void> {
  const answer = await browser.post(one, "/sign-in", { token: ADMIN_TOKEN });
  assertEquals([answer.status, await answer.text()], [303, ""]);
}

/** Signs in at the provider: begun at one service, ended at the other. */
async function signOn({ browser, one, other }: Scene): Promise<Response> {
  const start = await browser.get(one, "/sso/start?next=%2Fconsole%2Fwallets");
  await start.body?.cancel();
  const back = await walkOidc(start.headers.get("location") ?? "");
  const answer = await browser.get(other, `/sso/callback${back.search}`);
  await answer.body?.cancel();
  return answer;
}

/** Names of the sessions that a service lists. */
async function sessionsAt(service: TestService): Promise<readonly string[]> {
  const { sessions } = await service.admin("GET", "/sessions");
  assert(Array.isArray(sessions));
  return sessions.map(({ id }) => String(id));
}

async function storedText(url: string): Promise<string> {
  const sql = connect(url, { max: 1 });
  const rows = await sql`
    select row_to_json(s)::text as text from console_session s
    union all select row_to_json(t)::text from console_ticket t
  `;
  await sql.end();
  return JSON.stringify(rows);
}

const CASES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  "a sign-in at one goes on at the other, and ends at both at once": async (scene) => {
    const { one, other, browser, url } = scene;
    await signIn(scene);
    assertEquals([await browser.sees(one), await browser.sees(other)], [200, 200]);
    assertFalse((await storedText(url)).includes(browser.cookies.get("svc_session") ?? ""));
    const sessions = await sessionsAt(other);
    assertEquals([sessions.length, await sessionsAt(one)], [1, sessions]);
    await other.admin("DELETE", `/sessions/${sessions[0]}`);
    assertEquals([await browser.sees(one), await browser.sees(other)], [303, 303]);
    await signIn(scene);
    await (await browser.post(other, "/sign-out-everywhere", {})).body?.cancel();
    assertEquals(browser.cookies.size, 0);
    assertEquals(await sessionsAt(one), []);
  },

  "a message of a change at one is said once, by the other": async (scene) => {
    const { one, other, browser } = scene;
    await signIn(scene);
    const form = { name: "team", once: "a", credits: "5", do: "pay" };
    const changed = await browser.post(one, `/wallets/${WALLET}/credit`, form);
    await changed.body?.cancel();
    assertEquals(changed.status, 303);
    const path = (changed.headers.get("location") ?? "").replace("/console", "");
    const notice = /class="notice/;
    const [first, second] = [await browser.get(other, path), await browser.get(one, path)];
    assertEquals([notice.test(await first.text()), notice.test(await second.text())], [
      true,
      false,
    ]);
  },

  "use at either keeps a session, and it runs out at both": async (scene) => {
    const { one, other, browser, passed } = scene;
    await signIn(scene);
    for (const service of [other, one, other]) {
      passed.ms += IDLE_MS - 60_000;
      assertEquals(await browser.sees(service), 200);
    }
    passed.ms += IDLE_MS;
    assertEquals([await browser.sees(one), await browser.sees(other)], [303, 303]);
  },

  "another admin token ends the sessions of the one before at both": async (scene) => {
    const { one, other, browser } = scene;
    await signIn(scene);
    const { token } = await other.admin("POST", "/admin-token/rotate");
    assertEquals([await browser.sees(one), await browser.sees(other)], [200, 200]);
    const confirmed = await fetch(`${other.running.adminUrl}/admin/v1/admin-token/confirm`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });
    await confirmed.body?.cancel();
    assertEquals(await browser.sees(other), 303);
    await until(async () => await browser.sees(one) === 303, "the end of the session");
  },

  "an operator's sessions end everywhere with the operator": async (scene) => {
    const { one, other, browser } = scene;
    const { id } = await one.admin("POST", "/operators", { name: "Kim", role: "viewer" });
    const { token } = await other.admin("POST", `/operators/${id}/tokens`, { name: "Laptop" });
    await (await browser.post(one, "/sign-in", { token: `${token}` })).body?.cancel();
    assertEquals(await browser.sees(other), 200);
    await other.admin("POST", `/operators/${id}/disable`);
    assertEquals([await browser.sees(one), await browser.sees(other)], [303, 303]);
  },

  "a sign-in at the provider comes back to another than began it": async (scene) => {
    const { one, other, browser, oidc, passed, url } = scene;
    const answer = await signOn(scene);
    assertEquals([answer.status, answer.headers.get("location")], [303, "/console/wallets"]);
    assertEquals([await browser.sees(one), await browser.sees(other)], [200, 200]);
    const stored = await storedText(url);
    assertStringIncludes(stored, "sealed");
    for (const word of ["refreshToken", "accessToken", ...browser.cookies.values()]) {
      assertFalse(stored.includes(word), word);
    }
    passed.ms += RECHECK_MS;
    const both = await Promise.all([one, other, one, other].map((at) => browser.sees(at)));
    assertEquals(both, [200, 200, 200, 200], "One of them asks the provider");
    const kim = oidc.people.get("kim");
    assert(kim !== undefined);
    kim.groups = [];
    passed.ms += RECHECK_MS;
    assertEquals([await browser.sees(one), await browser.sees(other)], [303, 303]);
  },

  "a page of upstreams names the instance whose state it shows": async (scene) => {
    const { one, other, browser } = scene;
    await signIn(scene);
    const numbers: unknown[] = [];
    for (const service of [one, other]) {
      const { instance, upstreams } = await service.admin("GET", "/upstreams");
      assert(Array.isArray(upstreams));
      for (const path of ["/upstreams", `/upstreams/upstream?id=${upstreams[0].id}`]) {
        const page = await (await browser.get(service, path)).text();
        assertStringIncludes(page.replaceAll(/<[^>]*>/g, ""), `instance ${instance}`);
      }
      numbers.push(instance);
    }
    assertEquals(new Set(numbers).size, 2);
  },

  "an operator's keys of the playground of both are revoked by either": async ({ one, other }) => {
    const body = { model: "auto", messages: [{ role: "user", content: "Hi" }] };
    const call = { wallet: WALLET, endpoint: "chat", body };
    const made = await one.admin("POST", "/operators", { name: "Kim", role: "support" });
    const path = `/operators/${made.id}`;
    const { token } = await one.admin("POST", `${path}/tokens`, { name: "t", days: 1 });
    for (
      const [service, secret] of [[one, ADMIN_TOKEN], [other, ADMIN_TOKEN], [other, token]] as const
    ) {
      const answer = await fetch(`${service.running.adminUrl}/admin/v1/playground`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify(call),
      });
      await answer.text();
    }
    const { log, keys } = one.running.stores;
    const [keyId] = (await keyRecords(keys)).filter(({ name }) => name === "playground (Kim)")
      .map(({ id }) => id);
    // No upstream answers here, which the log has too, beside the answer.
    const logged = async () => (await log.search({ limit: 1, keyId })).records[0]?.attribution;
    await until(async () => await logged() !== undefined, "Kim's call to be logged");
    assertEquals(await logged(), { tags: `operator=${made.id}` });
    const keyOfKim = async () => await one.admin("GET", `/keys/${keyId}`);
    assertEquals(await one.admin("DELETE", "/playground"), { revoked: 2 });
    assertEquals(await other.admin("DELETE", "/playground"), { revoked: 0 });
    assertEquals((await keyOfKim()).status, "active", "It is not of the one who asked");
    await one.admin("POST", `${path}/disable`);
    assertEquals((await keyOfKim()).status, "revoked", "It ends with its operator");
  },
};

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  for (const [name, prove] of Object.entries(CASES)) {
    Deno.test(`the console of two services: ${name}`, () => onTwo(prove));
  }
}
