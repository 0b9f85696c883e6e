/**
 * Conversations whose next turn another model answers.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ChatMessage } from "@svc/sdk/protocol";
import { completionOf } from "../../fixtures/hosted_lab.ts";
import { TestService } from "../../fixtures/service.ts";

Deno.test("a conversation may move to a model that signs, between a call and its result", async () => {
  await using service = await TestService.start();
  const tools = [{
    type: "function" as const,
    function: { name: "calculator", parameters: { type: "object", properties: {} } },
  }];
  const ask = async (messages: readonly ChatMessage[], quality: string) => {
    const headers = { "x-auto": `quality=${quality}` };
    return await completionOf(await service.chat({ messages, tools }, { headers }));
  };
  const messages: ChatMessage[] = [{ role: "user", content: "What is 12*3?" }];
  const first = await ask(messages, "economy");
  const message = first.choices[0]?.message;
  assert(message !== undefined);
  const id = message.tool_calls?.[0]?.id ?? "";
  messages.push(message, { role: "tool", tool_call_id: id, content: "36" });
  const second = await ask(messages, "best");
  assertEquals([first.model, second.model], ["svc/sim-small", "svc/sim-large"]);
  assertStringIncludes(second.choices[0]?.message.content ?? "", "36");
});
