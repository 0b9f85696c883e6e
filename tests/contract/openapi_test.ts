/**
 * The OpenAPI document beside the listener that it describes.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { openApiDocument } from "../../gateway/http/openapi.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";

const { paths = {} } = openApiDocument();

Deno.test("every documented path takes the documented methods, and no other", async () => {
  await using service = await TestService.start();
  assert(Object.keys(paths).length > 10);
  for (const [path, operations] of Object.entries(paths)) {
    const url = service.running.publicUrl + path.replace("{id}", "some");
    const refused = await fetch(url, { method: "PATCH" });
    await refused.body?.cancel();
    const taken = refused.headers.get("allow")?.split(", ").filter((method) => method !== "HEAD");
    const documented = Object.keys(operations).map((method) => method.toUpperCase());
    assertEquals([refused.status, taken], [405, documented], path);
  }
});

Deno.test("a signed link answers with documented statuses, types and headers", async () => {
  await using service = await TestService.start();
  const drawn = await fetch(`${service.openaiUrl}/images/generations`, {
    method: "POST",
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "auto",
      prompt: "A lamp",
      size: "16x16",
      response_format: "url",
    }),
  });
  const url: string = (await drawn.json()).data[0].url;
  const documented = paths["/files/{id}"]?.get?.responses ?? {};
  const cases: [number, string, RequestInit][] = [
    [200, url, {}],
    [206, url, { headers: { range: "bytes=0-3" } }],
    [416, url, { headers: { range: "bytes=99999-" } }],
    [400, url, { headers: { "x-request-id": "a b" } }],
    [404, `${url}x`, {}],
    [405, url, { method: "POST" }],
  ];
  for (const [status, address, init] of cases) {
    const response = await fetch(address, init);
    await response.body?.cancel();
    assertEquals(response.status, status);
    const { content = {}, headers = {} } = documented[`${status}`] ?? {};
    const [type] = response.headers.get("content-type")?.split(";") ?? [];
    assertEquals(type === undefined ? [] : [type.replace("image/png", "image/*")], [
      ...Object.keys(content),
    ], `${status}`);
    assertEquals(response.headers.has("content-range"), "Content-Range" in headers, `${status}`);
  }
});
