/**
 * The wire types of Messages held against Anthropic's own: what does not fit does not compile.
 *
 * @module
 */

import type Anthropic from "@anthropic-ai/sdk";
import { assertEquals, assertRejects } from "@std/assert";
import { assertType } from "@std/testing/types";
import { ConfigurationError, type MessageCreateRequest, ServiceClient } from "@svc/sdk";
import type {
  ContentBlock,
  ContentBlockParam,
  Message,
  MessageParam,
  MessagesCustomTool,
  MessagesTool,
  MessagesToolChoice,
  MessageStreamEvent,
  MessagesUsage,
} from "@svc/sdk/protocol";

type TheirParams = Anthropic.MessageCreateParams;

/** True when a value of one type can be used as the other. */
type Fits<From, To> = [From] extends [To] ? true : false;

/** An interface as a plain type: only such a one may have members that are not named. */
type Plain<T> = T extends object ? { [Key in keyof T]: Plain<T[Key]> } : T;

Deno.test("our answers are Anthropic's", () => {
  assertType<Fits<Message, Anthropic.Message>>(true);
  assertType<Fits<MessagesUsage, Anthropic.Usage>>(true);
  assertType<Fits<ContentBlock, Anthropic.ContentBlock>>(true);
  assertType<Fits<MessageStreamEvent, Anthropic.RawMessageStreamEvent>>(true);
});

Deno.test("their requests are ours", () => {
  assertType<Fits<Plain<Anthropic.ContentBlockParam>, ContentBlockParam>>(true);
  assertType<Fits<Plain<Anthropic.MessageParam>, MessageParam>>(true);
  assertType<Fits<Plain<Anthropic.Tool>, MessagesCustomTool>>(true);
  assertType<Fits<Plain<Anthropic.ToolUnion>, MessagesTool>>(true);
  assertType<Fits<Plain<Anthropic.ToolChoice>, MessagesToolChoice>>(true);
  // Their model is a string with suggestions, which a plain type takes apart.
  assertType<Fits<Plain<Omit<TheirParams, "model" | "stream">>, MessageCreateRequest>>(true);
});

/** Treatment of each field of their requests, including betas: a new field does not compile. */
const FIELDS: Readonly<Record<keyof Anthropic.Beta.MessageCreateParams, "sent" | "refused">> = {
  ...{ cache_control: "sent", max_tokens: "sent", messages: "sent", metadata: "sent" },
  ...{ model: "sent", output_config: "sent", service_tier: "sent", stop_sequences: "sent" },
  ...{ stream: "sent", system: "sent", thinking: "sent", tool_choice: "sent", tools: "sent" },
  // A header of theirs.
  betas: "sent",
  ...{ billing_policy: "refused", compaction: "refused", container: "refused" },
  ...{ context_management: "refused", diagnostics: "refused", fallback_credit_token: "refused" },
  ...{ fallbacks: "refused", inference_geo: "refused", mcp_servers: "refused" },
  ...{ output_format: "sent", speed: "refused", thread: "refused" },
  ...{ user_profile_id: "refused", workspace_id: "refused" },
};

Deno.test("a request without an equivalent in Chat is refused, field by field", async () => {
  const { messages } = new ServiceClient({ apiKey: "k", fetch: () => Promise.reject(SENT) });
  for (const [field, fate] of Object.entries(FIELDS)) {
    if (fate === "sent") continue;
    const request = { messages: [], [field]: "x" };
    await assertRejects(() => messages.create(request), ConfigurationError, `Cannot send ${field}`);
  }
});

const SENT = new Error("It was sent");

Deno.test("an answer of ours continues a conversation of theirs", () => {
  const content: ContentBlock[] = [{ type: "text", text: "Hi", citations: null }];
  const request: TheirParams = {
    model: "auto",
    max_tokens: 16,
    messages: [{ role: "user", content: "Hello" }, { role: "assistant", content }],
  };
  assertEquals(request.messages.length, 2);
});
