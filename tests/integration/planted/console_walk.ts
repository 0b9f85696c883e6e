/**
 * Everything that somebody who is signed in can reach in the console, by following what its pages name:
 * links, feeds, and forms, which are sent as they stand.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { Parser } from "htmlparser2";
import { textOf } from "./scene.ts";
import { SECTIONS } from "../../../gateway/console/sections.ts";

/** Addresses that differ in what they name alone, of which so many are looked at. */
const ALIKE_MAX = 2;
const PAGES_MAX = 600;

/** A page that was shown. */
export interface Shown {
  readonly address: string;
  readonly text: string;
}

interface Form {
  readonly action: string;
  readonly fields: URLSearchParams;
}

/** The cookie of a session, which is named after the port. */
const SESSION = /svc_session_\d+=([^;]+)/;

/** Somebody who walks. */
export class ConsoleWalk {
  readonly #adminUrl: string;
  readonly #cookie: string;
  readonly #seen = new Map<string, number>();
  readonly #forms = new Map<string, Form>();
  readonly shown: Shown[] = [];

  private constructor(adminUrl: string, cookie: string) {
    this.#adminUrl = adminUrl;
    this.#cookie = cookie;
  }

  /** Signs in. */
  static async start(adminUrl: string, token: string): Promise<ConsoleWalk> {
    const answer = await fetch(`${adminUrl}/console/sign-in`, {
      method: "POST",
      headers: { origin: adminUrl },
      body: new URLSearchParams({ token }),
      redirect: "manual",
    });
    await answer.body?.cancel();
    const cookie = answer.headers.getSetCookie().map((one) => one.split(";")[0]).join("; ");
    assert(SESSION.test(cookie), `Signing in was answered ${answer.status}`);
    return new ConsoleWalk(adminUrl, cookie);
  }

  /** The secret of the session. */
  get session(): string {
    return SESSION.exec(this.#cookie)?.[1] ?? "";
  }

  /** Looks at every page that leads from these. */
  async everyPage(paths: readonly string[]): Promise<void> {
    const waiting = [...paths];
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      if (this.shown.length > PAGES_MAX) throw new Error(`More than ${PAGES_MAX} pages`);
      waiting.push(...await this.#look(path));
    }
  }

  /** Sends every form that was met, or comes up meanwhile, as it stands; how many there were. */
  async everyForm(): Promise<number> {
    for (const { action, fields } of this.#forms.values()) {
      const answer = await fetch(this.#adminUrl + action, {
        method: "POST",
        headers: { cookie: this.#cookie, origin: this.#adminUrl, accept: "text/html" },
        body: fields,
        redirect: "manual",
      });
      const body = await textOf(answer);
      const text = `${JSON.stringify([...answer.headers])} ${body}`;
      this.shown.push({ address: `POST ${action} ${answer.status}`, text });
      this.#read(body, action);
      const location = answer.headers.get("location");
      if (location !== null) await this.#look(location);
    }
    return this.#forms.size;
  }

  async #look(path: string): Promise<readonly string[]> {
    const kind = kindOf(new URL(path, this.#adminUrl));
    const times = this.#seen.get(kind) ?? 0;
    if (this.#seen.has(path) || times >= ALIKE_MAX) return [];
    this.#seen.set(kind, times + 1).set(path, ALIKE_MAX);
    const answer = await fetch(this.#adminUrl + path, {
      headers: { cookie: this.#cookie, accept: "text/html" },
      redirect: "manual",
      signal: AbortSignal.timeout(30_000),
    });
    const type = answer.headers.get("content-type") ?? "";
    const body = await textOf(answer);
    const text = `${JSON.stringify([...answer.headers])} ${body}`;
    this.shown.push({ address: `${path} ${answer.status}`, text });
    assert(answer.status < 500, `${path} ${answer.status}`);
    const location = answer.headers.get("location");
    const named = type.startsWith("text/html") ? this.#read(body, path) : [];
    return location === null ? named : [location, ...named];
  }

  /** Addresses that a page names; its forms are kept. */
  #read(html: string, page: string): readonly string[] {
    const named: string[] = [];
    let form: Form | undefined;
    let selected: string | undefined;
    const base = this.#adminUrl;
    const local = (address: string) => {
      const url = URL.parse(address, base + page);
      return url?.origin === base ? url.pathname + url.search : undefined;
    };
    const parser = new Parser({
      onopentag: (tag, attributes) => {
        const { action, checked, href, method, name, src, value = "" } = attributes;
        const feeds = Object.entries(attributes).filter(([key, to]) =>
          key.startsWith("data-") && to.startsWith("/console/")
        ).map(([, to]) => to);
        for (const address of [href, src, ...feeds]) {
          const path = address === undefined ? undefined : local(address);
          if (path !== undefined && path.startsWith("/console")) named.push(path);
        }
        if (tag === "form" && method?.toLowerCase() === "post") {
          form = { action: local(action ?? page) ?? page, fields: new URLSearchParams() };
          // They would end the session of this walk.
          const isEnd = /sign-(?:out|in)|\/operators(?:\?|$)/.test(form.action);
          const isNew = !this.#forms.has(form.action) && !isEnd;
          if (isNew) this.#forms.set(form.action, form);
        }
        if (tag === "select") selected = name;
        if (tag === "option" && selected !== undefined && "selected" in attributes) {
          form?.fields.set(selected, value);
        }
        const isChoice = /^(?:checkbox|radio)$/.test(attributes.type ?? "");
        const isGiven = tag === "input" && (!isChoice || checked !== undefined);
        if (name !== undefined && (isGiven || tag === "button")) form?.fields.append(name, value);
      },
      ontext: (text) => {
        if (area !== undefined) form?.fields.append(area, text);
      },
      onclosetag: (tag) => {
        if (tag === "form") form = undefined;
        if (tag === "select") selected = undefined;
        if (tag === "textarea") area = undefined;
      },
    });
    let area: string | undefined;
    parser.end(html);
    return named;
  }
}

/** Returns the pattern of an address, without ids and queries. */
function kindOf({ pathname, searchParams }: URL): string {
  const page = pathname.replace(
    /(\/(?:keys|requests|routing|wallets)\/)(?!new\b|tail\b)[^/]+/,
    "$1…",
  );
  return `${page}?${[...new Set(searchParams.keys())].sort().join("&")}`;
}

/** Fails where a page or a feed of the console was not shown: a new one cannot be forgotten. */
export function assertAllShown(shown: readonly Shown[]): void {
  const missing = SECTIONS.flatMap(({ pages, feeds = [] }) => [...pages, ...feeds])
    .filter(({ path }) => {
      const visited = new RegExp(`^(?:POST )?/console${path.replaceAll(/:\w+/g, "[^/?]+")}[? ]`);
      return !shown.some(({ address }) => visited.test(address) && !address.endsWith("404"));
    }).map(({ path }) => path);
  assertEquals(missing, []);
}
