/**
 * The listeners serve their descriptions.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { documentOf, OPERATIONS } from "../../gateway/openapi/document.ts";
import { referencePage } from "../../gateway/openapi/reference_page.ts";
import { exchange } from "../fixtures/raw_http.ts";
import { TestService } from "../fixtures/service.ts";

const LISTENERS = ["public", "admin"] as const;

function urlsOf({ running }: TestService) {
  return { public: running.publicUrl, admin: running.adminUrl };
}

Deno.test("each listener serves its own document, whole, to anybody, and once", async () => {
  await using service = await TestService.start();
  const urls = urlsOf(service);
  for (const listener of LISTENERS) {
    const url = `${urls[listener]}/openapi.json`;
    const response = await fetch(url);
    assertEquals(response.headers.get("content-type"), "application/json");
    assertMatch(response.headers.get("cache-control") ?? "", /^public, max-age=\d+$/);
    assertEquals(await response.json(), JSON.parse(JSON.stringify(documentOf(listener))));
    const etag = response.headers.get("etag") ?? "";
    const again = await fetch(url, { headers: { "if-none-match": etag } });
    assertEquals([again.status, await again.text()], [304, ""]);
    const head = await fetch(url, { method: "HEAD" });
    assertEquals([head.status, head.headers.get("etag"), await head.text()], [200, etag, ""]);
  }
});

Deno.test("concurrent first readers get the same reference", async () => {
  await using service = await TestService.start();
  const url = `${service.running.publicUrl}/openapi.json`;
  const texts = await Promise.all(
    Array.from({ length: 10 }, async () => await (await fetch(url)).text()),
  );
  assertEquals(new Set(texts).size, 1);
});

Deno.test("the admin listener describes itself under its own names only", async () => {
  await using service = await TestService.start();
  const { hostname, port } = new URL(service.running.adminUrl);
  const request = "GET /openapi.json HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
  const answer = await exchange(`http://${hostname}:${port}`, request);
  assertEquals(answer.statuses, [400]);
});

Deno.test("a page has every operation, with a link to it and a command that calls it", async () => {
  await using service = await TestService.start();
  const urls = urlsOf(service);
  for (const listener of LISTENERS) {
    const response = await fetch(`${urls[listener]}/reference`);
    assertEquals(response.headers.get("content-type"), "text/html; charset=utf-8");
    const page = await response.text();
    for (const { id, path } of OPERATIONS[listener]) {
      assertEquals(page.split(`<article id="${id}">`).length, 2, id);
      assertStringIncludes(page, `href="#${id}"`);
      const called = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
      assertStringIncludes(page, `${urls[listener]}${called}`);
    }
    assertEquals(
      [...page.matchAll(/ href="#([^"]+)"/g)].filter(([, id]) => !page.includes(` id="${id}"`)),
      [],
      "links that lead nowhere",
    );
  }
});

Deno.test("a page brings nothing from elsewhere, has no script, and its policy forbids both", async () => {
  await using service = await TestService.start();
  for (const url of Object.values(urlsOf(service))) {
    const response = await fetch(`${url}/reference`);
    const page = await response.text();
    const policy = response.headers.get("content-security-policy") ?? "";
    assertMatch(
      policy,
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; base-uri 'none'/,
    );
    const style = /<style>([^]*?)<\/style>/.exec(page)?.[1] ?? "";
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
    assertStringIncludes(policy, new Uint8Array(digest).toBase64());
    const active = /<(?:script|img|link|iframe|object|form|base)\b| style=| on\w+="/;
    assertEquals(active.exec(page), null);
    assertEquals([...page.matchAll(/(?:href|src)="(?!#|openapi\.json")/g)].length, 0);
  }
});

Deno.test("hostile text shows as text", () => {
  const evil = `"><script>alert(1)</script>'&\u202e\u0007`;
  const document = documentOf("public");
  const hostile = {
    ...document,
    info: { title: evil, version: evil, description: `${evil} \`${evil}\`` },
    tags: [{ name: evil }],
    paths: {
      [`/${evil}`]: {
        post: {
          operationId: evil,
          summary: evil,
          description: evil,
          tags: [evil],
          security: [{ [evil]: [] }],
          parameters: [{ name: evil, in: "query" as const, schema: { description: evil } }],
          requestBody: { content: { [evil]: { schema: { enum: [evil] }, example: evil } } },
          responses: {
            "200": { description: evil, content: { [evil]: { schema: { $ref: evil } } } },
          },
        },
      },
    },
    components: {
      schemas: {
        [evil]: {
          type: "object" as const,
          properties: { [evil]: { pattern: evil, default: evil, const: evil } },
        },
      },
    },
  };
  const page = referencePage(hostile, "http://gateway.example");
  assert(page.includes("&lt;script&gt;alert(1)&lt;/script&gt;"));
  assertEquals(page.includes("<script"), false);
  assertEquals(["\u202e", "\u0007"].filter((character) => page.includes(character)), []);
});
