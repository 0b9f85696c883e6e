/**
 * The simulator against the cases of the contract that need no server: it is its own.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { createUpstream } from "../../gateway/upstreams/factory.ts";
import { callOf } from "../fixtures/chat_calls.ts";
import { assertFailure } from "../fixtures/openai_compatible.ts";
import { spokenOf } from "../fixtures/spoken.ts";

const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const CALCULATOR = {
  type: "function",
  function: {
    name: "calculator",
    parameters: { type: "object", properties: { expression: { type: "string" } } },
  },
};

function simulator() {
  return createUpstream({
    id: "sim",
    kind: "simulator",
    provider: "svc",
    maxInFlight: 4,
    onDisconnect: "cancel",
    timeouts: { connectMs: 5_000, firstByteMs: 10_000, idleMs: 10_000 },
  }, { clock, env: () => undefined });
}

for (const stream of [false, true]) {
  const how = stream ? ", streamed" : "";
  const ask = async (fields: Readonly<Record<string, unknown>>) =>
    await spokenOf(await simulator().call(callOf(fields, { model: "sim-large", stream })));
  const message = (content: string) => ({ role: "user", content });

  Deno.test(`simulator: text and usage${how}`, async () => {
    const spoken = await ask({ messages: [message("Hello")] });
    assertEquals(spoken.finish, "stop");
    assert(spoken.content !== "" && (spoken.usage?.completion_tokens ?? 0) > 0);
  });

  Deno.test(`simulator: an answer that the limit cut${how}`, async () => {
    const spoken = await ask({ messages: [message("Tell me a story")], max_tokens: 1 });
    assertEquals([spoken.finish, spoken.usage?.completion_tokens], ["length", 1]);
  });

  Deno.test(`simulator: a JSON schema holds${how}`, async () => {
    const schema = {
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
      additionalProperties: false,
    };
    const response_format = { type: "json_schema", json_schema: { name: "p", schema } };
    const spoken = await ask({ messages: [message("A person")], response_format });
    assertEquals(Object.keys(JSON.parse(spoken.content)), ["name"]);
  });

  Deno.test(`simulator: a signed tool call goes round, and not without its signature${how}`, async () => {
    const messages: unknown[] = [message("What is 2 + 3?")];
    const tools = [CALCULATOR];
    const answer = await ask({ messages, tools });
    assertEquals(answer.finish, "tool_calls");
    const results = answer.calls.map(({ id }) => ({
      role: "tool",
      tool_call_id: id,
      content: "5",
    }));
    const next = (tool_calls: unknown) => ({
      messages: [...messages, { role: "assistant", content: null, tool_calls }, ...results],
      tools,
    });
    assertEquals((await ask(next(answer.calls))).finish, "stop");
    const dropped = answer.calls.map(({ id, type, function: called }) => ({
      id,
      type,
      function: called,
    }));
    const call = callOf(next(dropped), { model: "sim-large", stream });
    assertFailure(await simulator().call(call), "refused_input");
  });
}
