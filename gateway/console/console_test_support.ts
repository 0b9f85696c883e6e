/**
 * The console over stores in memory, for tests without a browser.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { ADMIN_TOKEN, type TestAdmin, withAdmin } from "../admin/admin_test_support.ts";
import type { AdminDeps } from "../admin/deps.ts";

/** Origin of the tests' console. */
export const ORIGIN = "http://127.0.0.1:8788";

/** An answer with its text. */
export interface TestPage {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends requests as a browser does. */
export class TestBrowser {
  readonly #admin: TestAdmin;
  /** `name=value`, by name. */
  readonly cookies = new Map<string, string>();

  constructor(admin: TestAdmin) {
    this.#admin = admin;
  }

  /** Opens a page below `/console`; redirects are not followed. */
  get(path: string, headers: HeadersInit = {}): Promise<TestPage> {
    return this.ask(path, { headers });
  }

  /** Sends a form from a page of the console. */
  post(path: string, fields: Record<string, string> = {}, headers: HeadersInit = {}) {
    const all = new Headers(headers);
    if (!all.has("origin")) all.set("origin", ORIGIN);
    return this.ask(path, { method: "POST", headers: all, body: new URLSearchParams(fields) });
  }

  /** Asks for anything below `/console`. */
  async ask(path: string, init: RequestInit): Promise<TestPage> {
    const headers = new Headers(init.headers);
    headers.set("host", new URL(ORIGIN).host);
    if (!headers.has("accept")) headers.set("accept", "text/html");
    if (this.cookies.size > 0) headers.set("cookie", [...this.cookies.values()].join("; "));
    const address = `${ORIGIN}/console${path}`;
    const request = new Request(address, { ...init, headers });
    const answer = await this.#admin.app.fetch(request, { remoteAddress: "192.0.2.7" });
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      const name = pair.slice(0, pair.indexOf("="));
      if (pair.endsWith("=")) this.cookies.delete(name);
      else this.cookies.set(name, pair);
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  /** Signs in with the tests' token. */
  async signIn(): Promise<this> {
    const answer = await this.post("/sign-in", { token: ADMIN_TOKEN });
    assertEquals(answer.status, 303, answer.text);
    return this;
  }
}

/** Runs a test on a console whose API has wallet `team`; `new TestBrowser(admin)` opens it. */
export function withConsole(
  run: (browser: TestBrowser, admin: TestAdmin) => Promise<void>,
  overrides: Partial<AdminDeps> = {},
): Promise<void> {
  return withAdmin((admin) => run(new TestBrowser(admin), admin), overrides);
}

/** The fields of a form as it is shown, as a browser would send them. */
export function formOf(html: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [tag] of html.matchAll(/<input [^>]*>/g)) {
    const [name, value] = ["name", "value"].map((each) =>
      new RegExp(` ${each}="([^"]*)"`).exec(tag)?.[1]
    );
    if (name === undefined) continue;
    if (/type="checkbox"/.test(tag) && !/ checked/.test(tag)) continue;
    fields[name] = unescaped(value ?? "on");
  }
  for (const [, name, text] of html.matchAll(/<textarea [^>]*name="([^"]*)"[^>]*>([^<]*)</g)) {
    fields[name ?? ""] = unescaped(text ?? "");
  }
  for (
    const [, name, options] of html.matchAll(/<select [^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/g)
  ) {
    fields[name ?? ""] = /value="([^"]*)" selected/.exec(options ?? "")?.[1] ?? "";
  }
  return fields;
}

/** Text as a browser reads it. */
export function unescaped(text: string): string {
  const known: Readonly<Record<string, string>> = {
    "&quot;": '"',
    "&lt;": "<",
    "&gt;": ">",
    "&#39;": "'",
    "&amp;": "&",
  };
  return text.replace(/&(?:quot|lt|gt|#39|amp);/g, (name) => known[name] ?? name);
}
