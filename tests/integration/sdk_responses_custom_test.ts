/**
 * Fields of a request of `client.responses` for its provider alone, through the real service: custom
 * tools and encrypted reasoning.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { type ResponseCreateRequest, type ResponseRunResult, ServiceClient } from "@svc/sdk";
import { labConfig } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";
import { NativeResponses } from "../fixtures/upstreams/native_responses.ts";

/** A service before an upstream that speaks Responses itself. */
async function nativeService() {
  const native = new NativeResponses();
  const model = { id: "native", baseUrl: native.baseUrl, upstream: { kind: "openai" } };
  const service = await TestService.start({ config: labConfig(model) });
  const client = new ServiceClient({
    apiKey: BOOTSTRAP_KEY,
    apiBaseUrl: service.running.publicUrl,
  });
  return {
    ...{ native, service, client },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await native[Symbol.asyncDispose]();
    },
  };
}

type Run = (
  client: ServiceClient,
  request: ResponseCreateRequest,
  toolHandlers: Readonly<Record<string, (input: unknown) => unknown>>,
) => Promise<ResponseRunResult>;

const RUNS: Readonly<Record<string, Run>> = {
  run: (client, request, toolHandlers) => client.responses.run(request, { toolHandlers }),
  runStream: async (client, request, toolHandlers) =>
    await client.responses.runStream(request, { toolHandlers }),
};

const REASONING = {
  ...{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAB+/=" },
  status: "completed",
};
const QUERY = {
  ...{ type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "sql" },
  ...{ input: 'select "a"', status: "completed" },
};

for (const [name, run] of Object.entries(RUNS)) {
  Deno.test(`${name} runs a custom tool, and gives encrypted reasoning back`, async () => {
    await using at = await nativeService();
    at.native.say({ extra: { output: [REASONING, QUERY] } });
    const inputs: unknown[] = [];
    const { finalText, input, steps } = await run(at.client, {
      input: "How many?",
      store: false,
      include: ["reasoning.encrypted_content"],
      tools: [{ type: "custom", name: "sql" }],
    }, { sql: (text) => `${inputs.push(text)} row` });
    assertEquals([inputs, finalText, steps.length], [[QUERY.input], "Hello there", 2]);
    const sent = at.native.last.body;
    assertEquals<unknown>(sent.input, input.slice(0, -1));
    assertEquals([sent["store"], sent["tools"]], [false, [{ type: "custom", name: "sql" }]]);
    const [, reasoning, call, result] = input;
    assertEquals<unknown>([reasoning, call], [REASONING, QUERY]);
    assertEquals(result, {
      ...{ type: "custom_tool_call_output", call_id: "call_1", output: "1 row" },
    });
    await at.service.assertBooks();
  });
}
