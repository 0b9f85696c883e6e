/** `create({ stream: true })` on every surface, as code written for other clients calls it. */

import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import {
  type ChatCompletionChunk,
  type ChatTurn,
  ConfigurationError,
  type EventStream,
  type MessageStreamEvent,
  type MessageTurn,
  type ResponseEvent,
  type ResponseTurn,
  ServiceAPIError,
  type ServiceClient,
} from "../mod.ts";
import {
  call,
  json,
  MESSAGES,
  type Reply,
  scripted,
  sse,
  streamOf,
} from "../scripted_service_test.ts";

const message = { type: "message", content: [{ type: "output_text", text: "Hello" }] };
const RESPONSE = sse(
  { type: "response.output_text.delta", output_index: 0, delta: "Hel" },
  { type: "response.output_text.delta", output_index: 0, delta: "lo" },
  { type: "response.completed", response: { status: "completed", output: [message] } },
);
const SAID = [{ role: "user", content: "Hello" }] as const;
const CHAT = sse(...streamOf({ content: "Hello" }));

interface Streaming {
  readonly reply: Reply;
  /** The text that its events tell, and then what they add up to. */
  read(client: ServiceClient): Promise<readonly [told: string, final: string]>;
  open(client: ServiceClient, signal?: AbortSignal): Promise<AsyncIterable<unknown>>;
  /** With any value, as code without types may call it. */
  create(client: ServiceClient, stream: unknown): Promise<unknown>;
}

const SURFACES: Readonly<Record<string, Streaming>> = {
  chat: {
    reply: CHAT,
    async read(client) {
      const stream = await client.chat.completions.create({ messages: MESSAGES, stream: true });
      assertType<IsExact<typeof stream, EventStream<ChatCompletionChunk, ChatTurn>>>(true);
      let text = "";
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
      return [text, String((await stream.final()).choices[0]?.message.content)];
    },
    open: (client, signal) =>
      client.chat.completions.create({ messages: MESSAGES, stream: true }, { signal }),
    create: (client, stream) =>
      client.chat.completions.create({ messages: MESSAGES, stream: stream as boolean }),
  },
  responses: {
    reply: RESPONSE,
    async read(client) {
      const stream = await client.responses.create({ input: "Hi", stream: true });
      assertType<IsExact<typeof stream, EventStream<ResponseEvent, ResponseTurn>>>(true);
      let text = "";
      for await (const event of stream) {
        if (event.type === "response.output_text.delta") text += event.delta;
      }
      return [text, (await stream.final()).output_text];
    },
    open: (client, signal) => client.responses.create({ input: "Hi", stream: true }, { signal }),
    create: (client, stream) => client.responses.create({ input: "Hi", stream: stream as boolean }),
  },
  messages: {
    reply: CHAT,
    async read(client) {
      const stream = await client.messages.create({ messages: SAID, stream: true });
      assertType<IsExact<typeof stream, EventStream<MessageStreamEvent, MessageTurn>>>(true);
      let text = "";
      for await (const event of stream) {
        if (event.type !== "content_block_delta") continue;
        if (event.delta.type === "text_delta") text += event.delta.text;
      }
      const { content: [block] } = await stream.final();
      return [text, block?.type === "text" ? block.text : ""];
    },
    open: (client, signal) => client.messages.create({ messages: SAID, stream: true }, { signal }),
    create: (client, stream) =>
      client.messages.create({ messages: SAID, stream: stream as boolean }),
  },
};

for (const [name, { reply, read, open, create }] of Object.entries(SURFACES)) {
  Deno.test(`${name}: create streams if the request says so`, async () => {
    const { client, sent } = scripted(reply);
    assertEquals(await read(client), ["Hello", "Hello"]);
    assertEquals(sent.map(({ json }) => json["stream"]), [true]);
  });

  Deno.test(`${name}: a call that is refused rejects before there is a stream`, async () => {
    const { client } = scripted(json({ error: { message: "Busy" } }, { status: 503 }));
    const { status } = await assertRejects(() => open(client), ServiceAPIError);
    assertEquals(status, 503);
  });

  Deno.test(`${name}: the first event is awaited, kept and emitted once`, async () => {
    const { client } = scripted(reply);
    const stream = await open(client);
    const all = await Array.fromAsync(stream);
    assertEquals(all, await Array.fromAsync(await open(client)));
  });

  Deno.test(`${name}: a stream that is neither true nor false is refused as such`, async () => {
    const { client, sent } = scripted(reply);
    for (const stream of ["true", 1, {}]) {
      const message = "Cannot use stream in the request: it is neither true nor false";
      await assertRejects(() => create(client, stream), ConfigurationError, message);
    }
    assertEquals(sent, []);
  });

  Deno.test(`${name}: a stream that ends between two events is not a complete one`, async () => {
    // All of its bytes have come by then.
    const { client } = scripted(reply);
    const controller = new AbortController();
    const reason = new Error("Enough");
    const stream = await open(client, controller.signal);
    const received: unknown[] = [];
    const read = async () => {
      for await (const event of stream) {
        received.push(event);
        controller.abort(reason);
      }
    };
    assertStrictEquals(await assertRejects(read), reason);
    assertEquals(received.length, 1);
  });

  Deno.test(`${name}: a stream that is left ends its call`, async () => {
    const { client, sent } = scripted(reply);
    for await (const _ of await open(client)) break;
    assertEquals(sent.map(({ signal }) => signal.aborted), [true]);
  });
}

Deno.test("create with stream: true runs the defaults, and tells the chunks of every turn", async () => {
  const asking = { tool_calls: [call("call_1", "calculator", { expression: "17 * 23" })] };
  const { client, sent } = scripted([sse(...streamOf(asking)), CHAT], { defaultLocalTools: true });
  const stream = await client.chat.completions.create({ messages: MESSAGES, stream: true });
  const reasons = (await Array.fromAsync(stream)).flatMap(({ choices }) =>
    choices[0]?.finish_reason ?? []
  );
  assertEquals([reasons, sent.length], [["tool_calls", "stop"], 2]);
});

Deno.test("create answers in one piece where stream is false, null or left out", async () => {
  const { client, sent } = scripted(json({ choices: [{ index: 0, message: { content: "Hi" } }] }));
  for (const stream of [false, null, undefined] as const) {
    const turn = await client.chat.completions.create({ messages: MESSAGES, stream });
    assertType<IsExact<typeof turn, ChatTurn>>(true);
    assertEquals(turn.choices[0]?.message.content, "Hi");
  }
  assertEquals(sent.map(({ json }) => json["stream"]), [false, false, false]);
});

Deno.test("create takes a flag that is known only when it runs", async () => {
  const { client } = scripted([
    CHAT,
    json({ choices: [{ index: 0, message: { content: "Hi" } }] }),
  ]);
  for (const stream of [true, false]) {
    const answer = await client.chat.completions.create({ messages: MESSAGES, stream });
    assertEquals(Symbol.asyncIterator in answer, stream);
    if (Symbol.asyncIterator in answer) await answer.final();
  }
});
