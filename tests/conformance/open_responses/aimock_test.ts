/**
 * The same cases with an independent mock, which serves Responses, Chat Completions, Anthropic
 * Messages and Gemini.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { LLMock } from "@copilotkit/aimock";
import type { ResponseResource } from "@svc/sdk/protocol";
import { labConfig } from "../../fixtures/lab.ts";
import { answered, postResponse } from "../../fixtures/responses_calls.ts";
import { TestService } from "../../fixtures/service.ts";
import { outputText } from "./cases.ts";
import { assertEventRules, readResponseEvents } from "./event_rules.ts";

const KINDS: readonly (readonly [string, string, string])[] = [
  ["openai", "/v1", "gpt-5-mini"],
  ["openai-compatible", "/v1", "gpt-4.1"],
  ["anthropic", "/v1", "claude-sonnet-4-5"],
  ["google", "/v1beta", "gemini-2.5-flash"],
];
const TOOLS = [{
  type: "function",
  name: "get_weather",
  strict: false,
  parameters: { type: "object", properties: { city: { type: "string" } } },
}];

const server = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
server.onMessage(/hello/, { content: "Hi from the other side" });
server.onMessage(/weather/, {
  toolCalls: [
    { name: "get_weather", arguments: '{"city":"Oslo"}' },
    { name: "get_weather", arguments: '{"city":"Rome"}' },
  ],
});
await server.start();
// The mock leaves a timer when it stops, so it lives as long as the file.
Deno.test.afterAll(() => server.stop());

async function answers(
  service: TestService,
  request: Readonly<Record<string, unknown>>,
): Promise<ResponseResource[]> {
  const whole = await answered(service, request);
  const events = await readResponseEvents(
    await postResponse(service, { ...request, stream: true }),
  );
  return [whole, looselyRead(events)];
}

/** The mock's own events, which go through as they are, have no numbers. */
function looselyRead(events: Awaited<ReturnType<typeof readResponseEvents>>): ResponseResource {
  const last = events.at(-1);
  assertEquals(last?.type, "response.completed");
  assert(last?.response !== undefined);
  return last.response;
}

for (const [kind, path, upstreamModel] of KINDS) {
  Deno.test(`aimock as ${kind}: text, parallel calls, and a conversation`, async () => {
    const baseUrl = `${server.url}${path}`;
    const config = labConfig({ id: "m", baseUrl, upstream: { kind }, more: { upstreamModel } });
    await using service = await TestService.start({ config });
    for (const answer of await answers(service, { input: "hello" })) {
      assertEquals([outputText(answer), answer.model], ["Hi from the other side", "m"]);
      const { id } = answer;
      const next = await answered(service, { input: "hello again", previous_response_id: id });
      assertEquals(next.previous_response_id, id);
    }
    for (const answer of await answers(service, { input: "the weather", tools: TOOLS })) {
      const calls = answer.output.filter((item) => item.type === "function_call");
      assertEquals(calls.map((call) => JSON.parse(call.arguments).city), ["Oslo", "Rome"]);
    }
    const { responses } = service.client();
    const final = await responses.stream({ model: "auto", input: "hello" }).finalResponse();
    assertEquals(final.output_text, "Hi from the other side");
    if (kind !== "openai") {
      const response = await postResponse(service, { input: "hello", stream: true });
      assert(assertEventRules(await readResponseEvents(response)).usage !== null);
    }
    await service.assertBooks();
  });
}
