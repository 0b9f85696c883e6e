import { assertEquals, assertRejects } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import type {
  ChatCreateRequest,
  ChatMessage,
  Given,
  ImageChangeRequest,
  MessageCreateRequest,
} from "./mod.ts";
import { ConfigurationError, type ResponseCreateRequest } from "./mod.ts";
import { completion, json, scripted } from "./scripted_service_test.ts";

type Takes<Request, Value> = [Value] extends [Given<Request>] ? true : false;

interface Said {
  role: "user" | "assistant";
  content: string;
}

interface Declared {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

const FROZEN = { messages: [{ role: "user", content: "Hello" }] } as const;

assertType<Takes<ChatCreateRequest, { messages: Said[] }>>(true);
assertType<Takes<ChatCreateRequest, { messages: readonly Said[]; tools: Declared[] }>>(true);
assertType<Takes<ChatCreateRequest, typeof FROZEN>>(true);
assertType<Takes<ChatCreateRequest, { messages: { rol: "user" }[] }>>(false);
assertType<Takes<ChatCreateRequest, { messages: { role: "user"; content: number }[] }>>(false);
assertType<Takes<ChatCreateRequest, { messages: Said[]; model: "other" }>>(false);
assertType<Takes<ChatCreateRequest, { messages: Said[]; temperature: string }>>(false);
assertType<Takes<ResponseCreateRequest, { input: readonly Said[] }>>(true);
assertType<Takes<ResponseCreateRequest, { input: "Hello" }>>(true);
assertType<Takes<ResponseCreateRequest, { input: number }>>(false);
assertType<Takes<MessageCreateRequest, { max_tokens: 5; messages: readonly Said[] }>>(true);
assertType<Takes<MessageCreateRequest, { max_tokens: 5; messages: { role: "user" }[] }>>(false);
assertType<Takes<ImageChangeRequest, { prompt: "A cat"; image: readonly string[] }>>(true);

// Editors offer the names that are known, though others are taken.
assertType<IsExact<Extract<ChatMessage["role"], "user" | "tool">, "user" | "tool">>(true);
assertType<Takes<ChatCreateRequest, { messages: { role: string }[] }>>(true);

Deno.test("a history of the application's own types goes in, and what came out goes in again", async () => {
  const { client, sent } = scripted(json(completion({ content: "Hi" })));
  const history: readonly Said[] = [{ role: "user", content: "Hello" }];
  const { messages } = await client.chat.completions.run({ messages: history });
  await client.chat.completions.run({ messages: [...messages, ...history] });
  await client.messages.run({ max_tokens: 5, messages: history });
  await client.chat.completions.create(FROZEN);
  const lists = sent.map(({ json }) => Object(json["messages"]));
  assertEquals(lists.map(({ length }) => length), [1, 3, 1, 1]);
  assertEquals(history.length, 1);
});

Deno.test("a value that is not a request is refused, for any declared type", async () => {
  const { client, sent } = scripted(json(completion({ content: "Hi" })));
  for (const wrong of [null, "Hello", 5]) {
    const request: ChatCreateRequest = JSON.parse(JSON.stringify(wrong));
    await assertRejects(() => client.chat.completions.create(request), ConfigurationError);
  }
  assertEquals(sent, []);
});
