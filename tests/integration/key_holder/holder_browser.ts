/**
 * The browser of a key's holder: links, sign-ins and pages over HTTP.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { TestKey, TestService } from "../../fixtures/service.ts";

/** A link as the API answers it. */
export interface Link {
  readonly url: string;
  readonly code: string;
  readonly expiresAt: string;
}

/** Makes a link with a key, as a server that has it does. */
export async function linkOf({ running }: TestService, key: string): Promise<Link> {
  const response = await fetch(`${running.publicUrl}/api/v1/key/sign-in-link`, {
    method: "POST",
    headers: { "x-api-key": key },
  });
  const body = await response.json();
  assertEquals(response.status, 200, JSON.stringify(body));
  return body;
}

/** Sends the form of the sign-in, as a browser does. */
export function post(service: TestService, path: string, options: {
  readonly cookie?: string | undefined;
  readonly origin?: string;
  readonly fields?: Readonly<Record<string, string>>;
}): Promise<Response> {
  const { publicUrl } = service.running;
  const { cookie, origin = publicUrl, fields = {} } = options;
  return fetch(publicUrl + path, {
    method: "POST",
    headers: { origin, ...cookie === undefined ? {} : { cookie } },
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
}

/** Uses a link up; returns the cookie of the session, if it begins one. */
export async function enter(service: TestService, code: string): Promise<string | undefined> {
  const response = await post(service, "/me/sign-in", { fields: { code } });
  await response.text();
  const [cookie] = response.headers.get("set-cookie")?.split(";") ?? [];
  return response.status === 303 ? cookie : undefined;
}

/** Signs the holder of a key in; returns the cookie of the session. */
export async function signedIn(service: TestService, { key }: TestKey): Promise<string> {
  const cookie = await enter(service, (await linkOf(service, key)).code);
  assert(cookie !== undefined);
  return cookie;
}

/** Opens a page; returns its status and text. */
export async function look(
  service: TestService,
  path: string,
  cookie = "",
): Promise<[number, string]> {
  const response = await fetch(service.running.publicUrl + path, {
    headers: { cookie, accept: "text/html" },
    redirect: "manual",
  });
  return [response.status, await response.text()];
}
