/**
 * A page in a browser can neither read an answer nor act for a user.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { exchange } from "../fixtures/raw_http.ts";
import { ADMIN_TOKEN, BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";

const ORIGIN = "https://page.example";
const PATHS = [
  ...[
    "/healthz",
    "/readyz",
    "/api/v1/models",
    "/api/v1/models/meta",
    "/api/v1/pricing",
    "/api/v1/feedback",
  ],
  ...["/openai/v1/models", "/openai/v1/chat/completions", "/openai/v1/responses"],
  ...["/openai/v1/images/generations", "/openai/v1/images/edits", "/openai/v1/responses/resp_1"],
  ...["/files/blob_1", "/nothing"],
];

async function headersOf(url: string, init: RequestInit): Promise<[number, string[]]> {
  const response = await fetch(url, init);
  await response.body?.cancel();
  const names = [...response.headers.keys()];
  return [
    response.status,
    names.filter((name) => name.startsWith("access-control-") || name === "set-cookie"),
  ];
}

Deno.test("no answer may be read by a page of another origin, and no preflight is let through", async () => {
  await using service = await TestService.start();
  const { publicUrl, adminUrl } = service.running;
  const urls = [
    ...PATHS.map((path) => publicUrl + path),
    ...["/admin/v1/keys", "/admin/v1/wallets", "/"].map((path) => adminUrl + path),
  ];
  for (const url of urls) {
    const [status, allowed] = await headersOf(url, {
      method: "OPTIONS",
      headers: {
        origin: ORIGIN,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
        "access-control-request-private-network": "true",
      },
    });
    assertEquals(allowed, [], url);
    assertEquals(status >= 400, true, `${url}: ${status}`);
    for (const method of ["GET", "POST"]) {
      const headers = {
        origin: ORIGIN,
        "x-api-key": BOOTSTRAP_KEY,
        authorization: `Bearer ${ADMIN_TOKEN}`,
        "content-type": "application/json",
      };
      const body = method === "POST" ? "{}" : null;
      assertEquals((await headersOf(url, { method, headers, body }))[1], [], `${method} ${url}`);
    }
  }
});

Deno.test("a page cannot send what needs no preflight: only JSON is read", async () => {
  await using service = await TestService.start();
  const { publicUrl, adminUrl } = service.running;
  const headers = { origin: ORIGIN, "x-api-key": BOOTSTRAP_KEY };
  const admin = { origin: ORIGIN, authorization: `Bearer ${ADMIN_TOKEN}` };
  const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"];
  for (const type of types) {
    for (
      const [url, sent] of [
        [`${publicUrl}/openai/v1/chat/completions`, headers],
        [`${publicUrl}/openai/v1/responses`, headers],
        [`${publicUrl}/openai/v1/images/generations`, headers],
        [`${publicUrl}/api/v1/feedback`, headers],
        [`${adminUrl}/admin/v1/keys`, admin],
        [`${adminUrl}/admin/v1/wallets`, admin],
      ] as const
    ) {
      const init = { method: "POST", headers: { ...sent, "content-type": type }, body: "{}" };
      assertEquals((await headersOf(url, init))[0], 415, `${type} ${url}`);
    }
  }
});

Deno.test("a name that was turned to this machine is refused on both listeners", async () => {
  await using service = await TestService.start();
  const { publicUrl, adminUrl } = service.running;
  for (const [url, path] of [[publicUrl, "/healthz"], [adminUrl, "/admin/v1/keys"]] as const) {
    const ask = (host: string) =>
      exchange(url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    for (const host of ["page.example", "page.example:8787", "127.0.0.1.page.example", "[::2]"]) {
      const { statuses, text } = await ask(host);
      assertEquals(statuses, [400], host);
      assertStringIncludes(text, '"param":"Host"');
    }
    assertEquals((await ask("localhost:1")).statuses, [url === publicUrl ? 200 : 401]);
  }
});
