/**
 * Upstreams against independent servers on loopback.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { LLMock } from "@copilotkit/aimock";
import type { UpstreamCall } from "../../gateway/ports/upstream.ts";
import { callOf } from "../fixtures/chat_calls.ts";
import { type Spoken, spokenOf } from "../fixtures/spoken.ts";
import { openingOf } from "./staged_case.ts";

const server = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
server.onMessage(/hello/, {
  content: "Hi from the other side",
  usage: { prompt_tokens: 11, completion_tokens: 6, total_tokens: 17 },
});
server.onMessage(/weather/, {
  toolCalls: [
    { name: "get_weather", arguments: '{"city":"Oslo"}' },
    { name: "get_weather", arguments: '{"city":"Rome"}' },
  ],
});
server.onMessage(/person/, { content: '{"name":"Ada"}' });
server.onMessage(/refused/, { error: { message: "Busy", type: "overloaded" }, status: 503 });
await server.start();
Deno.test.afterAll(async () => await server.stop());

const KINDS: readonly (readonly [string, string, string])[] = [
  ["openai-compatible", "/v1", "gpt-4.1"],
  ["anthropic", "/v1", "claude-sonnet-4-5"],
  ["google", "/v1beta", "gemini-2.5-flash"],
];

const WEATHER = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
};

const upstreamOf = (kind: string, path: string) => openingOf(kind)(server.url + path, {});

for (const [kind, path, model] of KINDS) {
  for (const stream of [false, true]) {
    const ask = async (
      content: string,
      fields: Readonly<Record<string, unknown>> = {},
    ): Promise<Spoken> => {
      const upstream = upstreamOf(kind, path);
      const more: Partial<UpstreamCall> = { model, stream };
      try {
        const messages = [{ role: "user", content }];
        return await spokenOf(await upstream.call(callOf({ messages, ...fields }, more)));
      } finally {
        upstream.close();
      }
    };
    const title = `aimock as ${kind}${stream ? ", streamed" : ""}`;

    Deno.test(`${title}: text and usage`, async () => {
      const spoken = await ask("hello");
      assertEquals([spoken.content, spoken.finish], ["Hi from the other side", "stop"]);
      assertEquals([spoken.usage?.prompt_tokens, spoken.usage?.completion_tokens], [11, 6]);
    });

    Deno.test(`${title}: parallel tool calls`, async () => {
      const spoken = await ask("weather", { tools: [WEATHER] });
      assertEquals(spoken.finish, "tool_calls");
      assertEquals(spoken.calls.map((call) => JSON.parse(call.function.arguments)), [
        { city: "Oslo" },
        { city: "Rome" },
      ]);
    });

    Deno.test(`${title}: JSON held to a schema`, async () => {
      const schema = {
        type: "object",
        properties: { name: { type: "string" } },
        required: ["name"],
        additionalProperties: false,
      };
      const json_schema = { name: "person", schema, strict: true };
      const spoken = await ask("person", { response_format: { type: "json_schema", json_schema } });
      assertEquals(JSON.parse(spoken.content), { name: "Ada" });
    });

    Deno.test(`${title}: an error`, async () => {
      const upstream = upstreamOf(kind, path);
      try {
        const messages = [{ role: "user", content: "refused" }];
        const answer = await upstream.call(callOf({ messages }, { model, stream }));
        assertEquals(answer.kind === "failure" && answer.outcome, "server_error");
      } finally {
        upstream.close();
      }
    });
  }
}
