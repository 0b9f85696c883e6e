/**
 * Which dialect a call is answered in: by its header, its key's policy, or its client.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { DIALECT_HEADER } from "@svc/sdk/protocol";
import { FOREIGN_CLIENTS } from "../../fixtures/foreign_clients.ts";
import { TestService } from "../../fixtures/service.ts";

const messages = [{ role: "user", content: "Say hello" }];

/** The dialect of an answer, as its metadata shows it. */
async function spokenTo(
  service: TestService,
  init: { readonly headers?: Readonly<Record<string, string>>; readonly key?: string } = {},
): Promise<"openai" | "service"> {
  const response = await service.chat({ messages }, init);
  const { metadata } = await response.json();
  assertEquals(response.status, 200);
  return typeof metadata.routing === "string" ? "openai" : "service";
}

Deno.test("clients known to be built on OpenAI's types get their dialect, all others the service's", async () => {
  await using service = await TestService.start();
  for (const { name, headers, isOpenAI } of FOREIGN_CLIENTS) {
    assertEquals(await spokenTo(service, { headers }), isOpenAI ? "openai" : "service", name);
  }
  const more: Readonly<Record<string, "openai" | "service">> = {
    "": "service",
    "openai": "service",
    "notopenai/1.0": "service",
    "openai-ish/1.0": "service",
    "LiteLLM/2.0 (Linux)": "openai",
    "my-app/1.0 ai-sdk/openai/9.0": "openai",
  };
  for (const [agent, dialect] of Object.entries(more)) {
    assertEquals(await spokenTo(service, { headers: { "user-agent": agent } }), dialect, agent);
  }
  const odd = { "x-stainless-anything": "" };
  assertEquals(await spokenTo(service, { headers: odd }), "openai");
});

Deno.test("a stated dialect counts before the key's policy, and that before the client", async () => {
  await using service = await TestService.start();
  const openai = { "x-stainless-lang": "js" };
  for (const policy of ["auto", "service", "openai"] as const) {
    const { key } = await service.newKey({ policy: { dialect: policy } });
    for (const headers of [{}, openai]) {
      const known = headers === openai ? "openai" : "service";
      const expected = policy === "auto" ? known : policy;
      assertEquals(await spokenTo(service, { key, headers }), expected, policy);
      for (const stated of ["service", "openai"] as const) {
        const request = {
          key,
          headers: { ...headers, [DIALECT_HEADER]: ` ${stated.toUpperCase()} ` },
        };
        assertEquals(await spokenTo(service, request), stated, policy);
      }
    }
  }
});

Deno.test("an unknown dialect is refused, free and logged", async () => {
  await using service = await TestService.start();
  for (const value of ["klingon", "auto", "", "service, openai"]) {
    const response = await service.chat({ messages }, { headers: { "x-dialect": value } });
    const { error } = await response.json();
    assertEquals([response.status, error.code, error.param], [
      400,
      "invalid_request",
      "X-Dialect",
    ]);
    assertEquals((await service.lastRequest()).errorCode, "invalid_request");
  }
  const headers = { authorization: `Bearer ${(await service.newKey()).key}`, "x-dialect": "x" };
  const stored = await fetch(`${service.openaiUrl}/responses/resp_1`, { headers });
  assertEquals([stored.status, (await stored.json()).error.param], [400, "X-Dialect"]);
  await service.assertBooks();
});

Deno.test("a policy may be narrowed to another dialect, which takes nothing away", async () => {
  await using service = await TestService.start();
  const { id } = await service.newKey({ policy: { dialect: "service" } });
  for (const dialect of ["openai", "auto", "service"] as const) {
    const kept = await service.admin("POST", `/keys/${id}/narrow`, { policy: { dialect } });
    assertEquals(kept["policy"], { dialect });
  }
});
