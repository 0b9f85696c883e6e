/**
 * The bridge itself, as Anthropic's own client sees it: its token, its one model, and the parts of a
 * request that mean something to Anthropic's servers only.
 *
 * @module
 */

import Anthropic from "@anthropic-ai/sdk";
import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { ASK, clientOf, failureOf, lab, PNG, textOf, WEATHER } from "../fixtures/anthropic_lab.ts";
import { BOOTSTRAP_KEY } from "../fixtures/service.ts";

Deno.test("a strange token reaches nothing, and says nothing of the service", async () => {
  await using at = await lab();
  const stranger = clientOf(at.bridge, BOOTSTRAP_KEY);
  const calls = [
    () => stranger.messages.create(ASK),
    () => stranger.messages.stream(ASK).finalMessage(),
    () => stranger.messages.countTokens(ASK),
    () => stranger.models.list(),
  ];
  for (const call of calls) {
    const error = await failureOf(call());
    assertInstanceOf(error, Anthropic.AuthenticationError);
    assertStringIncludes(error.message, "token of the bridge");
  }
  assertEquals(at.bridge.requests, []);
  await at.client.messages.create(ASK);
});

Deno.test("any model name becomes auto, also with betas, and the list has one model", async () => {
  await using at = await lab();
  const { data } = await at.client.models.list();
  assertEquals(data.map(({ id, type }) => [id, type]), [["auto", "model"]]);
  assertEquals((await at.client.models.retrieve("claude-opus-5-5")).id, "auto");
  const message = await at.client.beta.messages.create({
    ...{ ...ASK, model: "claude-opus-5-5" },
    betas: ["context-management-2025-06-27", "a-beta-of-tomorrow-2027-01-01"],
    context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
    thinking: { type: "enabled", budget_tokens: 1_024 },
    system: [
      { type: "text", text: "x-anthropic-billing-header: cc_version=2.0" },
      { type: "text", text: "Be brief", cache_control: { type: "ephemeral", ttl: "1h" } },
    ],
  });
  assertEquals(message.stop_reason, "end_turn");
  const [{ body } = { body: "" }] = at.bridge.requests;
  const { model, messages, ...more } = JSON.parse(body);
  assertEquals(model, "auto");
  assertEquals(more, { max_completion_tokens: 1_000, reasoning_effort: "low", stream: false });
  assertEquals(messages.map(({ role }: { role: string }) => role), ["system", "user"]);
  assert(!body.includes("billing-header"));
});

Deno.test("parallel calls are answered with an image, a text and a failure", async () => {
  await using at = await lab();
  const source = { type: "base64" as const, media_type: "image/png" as const, data: PNG };
  const call = (id: string) => ({ type: "tool_use" as const, id, name: "get_weather", input: {} });
  const answer = await at.client.messages.create({
    ...ASK,
    tools: [WEATHER],
    messages: [
      ...ASK.messages,
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Both at once", signature: "c2ln" },
          ...[call("a"), call("b"), call("c")],
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: [{ type: "image", source }] },
          { type: "tool_result", tool_use_id: "b", content: "Rain" },
          { type: "tool_result", tool_use_id: "c", content: "No such city", is_error: true },
        ],
      },
    ],
  });
  assertEquals(answer.stop_reason, "end_turn");
  assertStringIncludes(textOf(answer), "I was shown 1 image");
  const { messages } = JSON.parse(at.bridge.requests[0]?.body ?? "");
  assertEquals(
    messages.map(({ role, tool_call_id }: Record<string, unknown>) => [role, tool_call_id]),
    [
      ...[["user", undefined], ["assistant", undefined]],
      ...[["tool", "a"], ["tool", "b"], ["tool", "c"], ["user", undefined]],
    ],
  );
});

Deno.test("count_tokens counts without a call, and grows with text, tools and images", async () => {
  await using at = await lab();
  const count = async (more: Partial<Anthropic.MessageCountTokensParams> = {}) => {
    const { model, messages } = ASK;
    return (await at.client.messages.countTokens({ model, messages, ...more })).input_tokens;
  };
  const source = { type: "base64" as const, media_type: "image/png" as const, data: PNG };
  const bare = await count();
  assert(bare > 0 && bare < 50);
  assert(await count({ system: "Be brief" }) > bare);
  assert(await count({ tools: [WEATHER] }) > bare);
  const seen = { role: "user" as const, content: [{ type: "image" as const, source }] };
  assert(await count({ messages: [...ASK.messages, seen] }) > bare + 1_000);
  assertEquals(at.bridge.requests, []);
  await at.client.messages.create(ASK);
});
