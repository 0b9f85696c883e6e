/**
 * Upstreams that draw, against an independent server on loopback. It speaks images only on OpenAI's
 * wire, which is Azure's too.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { LLMock } from "@copilotkit/aimock";
import { dataUri, GIF, PNG } from "../../gateway/images/image_fixture.ts";
import type { UpstreamAnswer, UpstreamCall } from "../../gateway/ports/upstream.ts";
import { callOf } from "../fixtures/chat_calls.ts";
import { assertFailure } from "../fixtures/openai_compatible.ts";
import { openingOf } from "./staged_case.ts";

const [FIRST, SECOND] = [{ b64Json: PNG.toBase64() }, { b64Json: GIF.toBase64() }];

const server = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
server.onImage(/one fox/, { images: [{ ...FIRST, revisedPrompt: "A red fox" }] });
server.onImage(/two foxes/, { images: [FIRST, SECOND] });
server.on({ userMessage: /too many foxes/, endpoint: "image" }, {
  error: { message: "Not now" },
  status: 429,
  retryAfter: 7,
});
server.on({ userMessage: /a sick fox/, endpoint: "image" }, {
  error: { message: "Out of order" },
  status: 500,
});
server.on({ userMessage: /a wild fox/, endpoint: "image" }, {
  error: { message: "The safety system rejected it", code: "moderation_blocked" },
  status: 400,
});
await server.start();
Deno.test.afterAll(async () => await server.stop());

const KINDS: readonly (readonly [string, string])[] = [
  ["openai-compatible", "/v1"],
  ["azure", "/openai"],
];

for (const [kind, path] of KINDS) {
  const ask = async (
    fields: Readonly<Record<string, unknown>>,
    endpoint: UpstreamCall["endpoint"] = "images.generations",
  ): Promise<UpstreamAnswer> => {
    const upstream = openingOf(kind)(server.url + path, {});
    try {
      return await upstream.call(callOf(fields, { model: "gpt-image-1", endpoint }));
    } finally {
      upstream.close();
    }
  };

  Deno.test(`aimock as ${kind} draws one image, and two`, async () => {
    const one = await ask({ prompt: "one fox", size: "1024x1024" });
    assert(one.kind === "json", JSON.stringify(one));
    assertEquals(one.body.value["data"], [
      { b64_json: FIRST.b64Json, revised_prompt: "A red fox" },
    ]);
    const two = await ask({ prompt: "two foxes", n: 2 });
    assert(two.kind === "json", JSON.stringify(two));
    assertEquals(two.body.value["data"], [
      { b64_json: FIRST.b64Json },
      { b64_json: SECOND.b64Json },
    ]);
  });

  Deno.test(`aimock as ${kind} changes images`, async () => {
    const uri = dataUri("image/png", PNG);
    for (const image of [uri, [uri, dataUri("image/gif", GIF)]]) {
      const answer = await ask({ prompt: "two foxes", image, mask: uri }, "images.edits");
      assert(answer.kind === "json", JSON.stringify(answer));
      assertEquals(Array.isArray(answer.body.value["data"]), true);
    }
  });

  Deno.test(`aimock as ${kind} fails`, async () => {
    const busy = await ask({ prompt: "too many foxes" });
    assertFailure(busy, "rate_limited");
    assertEquals([busy.status, busy.retryAfterMs], [429, 7_000]);
    assertFailure(await ask({ prompt: "a sick fox" }), "server_error");
    const refused = await ask({ prompt: "a wild fox" });
    assertFailure(refused, "refused_input");
    assertEquals(refused.code, "moderation_blocked");
  });
}
