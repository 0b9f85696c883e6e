import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import type { ChatTurn } from "../chat/shapes.ts";
import { ChunkMerger } from "../chat/merge_chunks.ts";
import {
  type ChatCompletionChunk,
  type ChatDelta,
  type ContentBlock,
  type FinishReason,
  type Message,
  type MessageStreamEvent,
  ORCHESTRATION_FINAL_TASK_ID,
  type ToolCall,
} from "../protocol/mod.ts";
import { MessageEventWriter } from "./event_writer.ts";
import { messageOf } from "./from_chat.ts";

const HEAD = { id: "chatcmpl-1", created: 1, model: "m" };
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const REQUEST = { messages: [] };

/** An answer before it is cut into pieces. */
interface Spoken {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finish: FinishReason;
}

/** Puts a message together as Anthropic's own client does, and checks every rule of the order. */
class Accumulator {
  #message: Message | undefined;
  #open: { readonly index: number; json: string } | undefined;
  #isOver = false;

  add(event: MessageStreamEvent): void {
    assert(!this.#isOver, "An event after the last");
    if (event.type === "message_start") {
      assert(this.#message === undefined, "A second beginning");
      assertEquals([event.message.content, event.message.stop_reason], [[], null]);
      this.#message = structuredClone(event.message);
      return;
    }
    const message = this.#message;
    assert(message !== undefined, "An event before the first");
    switch (event.type) {
      case "content_block_start":
        assert(this.#open === undefined, "A block inside a block");
        assertEquals(event.index, message.content.length);
        this.#open = { index: event.index, json: "" };
        message.content.push(structuredClone(event.content_block));
        break;
      case "content_block_delta":
        assertEquals(event.index, this.#open?.index);
        this.#grow(message.content[event.index], event.delta);
        break;
      case "content_block_stop":
        assertEquals(event.index, this.#open?.index);
        this.#stop(message.content[event.index]);
        break;
      case "message_delta":
        assert(this.#open === undefined, "An end inside a block");
        Object.assign(message, event.delta, { usage: event.usage });
        break;
      case "message_stop":
        assert(message.stop_reason !== null, "An end without a reason");
        this.#isOver = true;
    }
  }

  /** The message, complete. */
  message(): Message {
    assert(this.#isOver && this.#message !== undefined, "The answer has not ended");
    return this.#message;
  }

  #grow(
    block: ContentBlock | undefined,
    delta: Extract<MessageStreamEvent, { type: "content_block_delta" }>["delta"],
  ): void {
    switch (`${block?.type} ${delta.type}`) {
      case "text text_delta":
        Object.assign(block ?? {}, { text: `${Object(block).text}${Object(delta).text}` });
        break;
      case "thinking thinking_delta":
        assertEquals(Object(block).signature, "");
        Object.assign(block ?? {}, {
          thinking: `${Object(block).thinking}${Object(delta).thinking}`,
        });
        break;
      case "thinking signature_delta":
        Object.assign(block ?? {}, { signature: Object(delta).signature });
        break;
      case "tool_use input_json_delta":
        if (this.#open !== undefined) this.#open.json += Object(delta).partial_json;
        break;
      default:
        throw new Error(`A ${delta.type} in a block of the type ${block?.type}`);
    }
  }

  #stop(block: ContentBlock | undefined): void {
    if (block?.type === "tool_use") {
      assertEquals(block.input, {});
      block.input = JSON.parse(this.#open?.json || "{}");
    }
    this.#open = undefined;
  }
}

/** Returns the whole answer. */
function completionOf({ reasoning, text, calls, finish }: Spoken): ChatTurn {
  return {
    ...HEAD,
    object: "chat.completion",
    choices: [{
      index: 0,
      message: {
        role: "assistant",
        content: text === "" ? null : text,
        refusal: null,
        ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
        ...(calls.length === 0 ? {} : { tool_calls: [...calls] }),
      },
      logprobs: null,
      finish_reason: finish,
    }],
    usage: USAGE,
    requestId: undefined,
  };
}

/** Cuts a text after each so many characters of the list, again and again. */
function cut(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = lengths[turn % lengths.length] ?? text.length;
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

/** Pieces of one call: head, then input, its signatures with the first or in a piece of their own. */
function piecesOf(
  { function: { name, arguments: text }, extra_content, ...call }: ToolCall,
  { index, lengths, isSignedLast }: {
    readonly index: number;
    readonly lengths: readonly number[];
    readonly isSignedLast: boolean;
  },
): ChatDelta[] {
  const { id, type, ...signed } = call;
  const signature = { ...signed, ...(extra_content === undefined ? {} : { extra_content }) };
  const hasOwn = isSignedLast && Object.keys(signature).length > 0;
  return [
    { index, id, type, function: { name, arguments: "" }, ...(hasOwn ? {} : signature) },
    ...cut(text, lengths).map((piece) => ({ index, function: { arguments: piece } })),
    ...(hasOwn ? [{ index, ...signature }] : []),
  ].map((piece) => ({ tool_calls: [piece] }));
}

/** Takes from the lists in turn, as an upstream that writes its calls side by side. */
function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1)))
    .flat();
}

function chunksOf(
  { reasoning, text, calls, finish }: Spoken,
  { lengths, isSignedLast, isMixed, isPlanned }: {
    readonly lengths: readonly number[];
    readonly isSignedLast: boolean;
    readonly isMixed: boolean;
    readonly isPlanned: boolean;
  },
): ChatCompletionChunk[] {
  const called = calls.map((call, index) => piecesOf(call, { index, lengths, isSignedLast }));
  const deltas: ChatDelta[] = [
    { role: "assistant", content: "" },
    ...cut(reasoning, lengths).map((piece) => ({ reasoning_content: piece })),
    ...cut(text, lengths).map((piece) => ({ content: piece })),
    ...(isMixed ? interleaved(called) : called.flat()),
  ];
  const final = isPlanned ? { orchestration: { task_id: ORCHESTRATION_FINAL_TASK_ID } } : {};
  const chunk = (delta: ChatDelta, finish_reason: FinishReason | null): ChatCompletionChunk => ({
    ...{ ...HEAD, ...final, object: "chat.completion.chunk" },
    choices: [{ index: 0, delta, finish_reason }],
  });
  const task = { ...chunk({ content: "A task" }, null), orchestration: { task_id: "t1" } };
  const reply = [...deltas.map((delta) => chunk(delta, null)), chunk({}, finish)];
  return [
    ...(isPlanned ? reply.flatMap((one) => [task, one]) : reply),
    { ...chunk({}, null), choices: [], usage: USAGE },
  ];
}

const thinkingOf = (thinking: string) => ({
  anthropic: {
    thinking: [
      { type: "thinking", thinking, signature: "S+/=" },
      { type: "redacted_thinking", data: "R" },
    ],
  },
});

const words = fc.string({ unit: "grapheme", maxLength: 12 });
const spoken: fc.Arbitrary<Spoken> = words.chain((reasoning) => {
  const signatures = fc.constantFrom(
    {},
    { thought_signature: "A" },
    { extra_content: thinkingOf(reasoning) },
    { extra_content: { google: { thought_signature: 'E\\u00e9"=' } }, thought_signature: "B" },
  );
  const text = fc.oneof(
    fc.dictionary(words, fc.jsonValue({ maxDepth: 1 }), { noNullPrototype: true })
      .map((value) => JSON.stringify(value)),
    fc.constantFrom("", '{ "a": 1.0 }', '{"cut":', "[1]"),
  );
  const call = fc.record({ signed: signatures, name: fc.constantFrom("f", "g"), text });
  return fc.record({
    reasoning: fc.constant(reasoning),
    text: words,
    calls: fc.array(call, { maxLength: 3 }).map((calls) =>
      calls.map(({ signed, name, text }, at): ToolCall => ({
        ...{ ...signed, id: `call_${at}`, type: "function" },
        function: { name, arguments: text },
      }))
    ),
    finish: fc.constantFrom("stop", "length", "tool_calls", "content_filter"),
  });
});

Deno.test("however a stream is split, its events are legal and add up to what create gives", () => {
  const split = fc.record({
    lengths: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
    isSignedLast: fc.boolean(),
    isMixed: fc.boolean(),
    isPlanned: fc.boolean(),
  });
  fc.assert(
    fc.property(spoken, split, (answer, how) => {
      const writer = new MessageEventWriter(REQUEST);
      const merger = new ChunkMerger();
      const accumulator = new Accumulator();
      for (const chunk of chunksOf(answer, how)) {
        merger.add(chunk);
        for (const event of writer.add(chunk)) accumulator.add(event);
      }
      const completion = merger.completion();
      assert(completion !== undefined);
      const { events, message } = writer.end({ ...completion, requestId: undefined });
      for (const event of events) accumulator.add(event);
      const { requestId: _, ...expected } = messageOf(completionOf(answer), { request: REQUEST });
      assertEquals(accumulator.message(), expected);
      const { requestId: _own, ...own } = message;
      assertEquals(own, expected);
    }),
    { numRuns: 300 },
  );
});

/** Events and message of these deltas. */
function written(...deltas: ChatDelta[]) {
  const writer = new MessageEventWriter(REQUEST);
  const merger = new ChunkMerger();
  const chunks = deltas.map((delta, at): ChatCompletionChunk => ({
    ...{ ...HEAD, object: "chat.completion.chunk" },
    choices: [{ index: 0, delta, finish_reason: at === deltas.length - 1 ? "stop" : null }],
  }));
  const events = chunks.flatMap((chunk) => {
    merger.add(chunk);
    return writer.add(chunk);
  });
  const completion = merger.completion();
  assert(completion !== undefined);
  const end = writer.end({ ...completion, requestId: "req-1" });
  return { events: [...events, ...end.events], message: end.message };
}

Deno.test("thinking after some text begins a block of its own", () => {
  const { events, message } = written(
    { reasoning_content: "A" },
    { content: "B" },
    { reasoning_content: "C", content: "D" },
  );
  const accumulator = new Accumulator();
  for (const event of events) accumulator.add(event);
  assertEquals(accumulator.message().content, message.content);
  assertEquals(message.content.map((block) => block.type), [
    ...["thinking", "text", "thinking", "text"],
  ]);
});

Deno.test("the events of a short answer, one by one", () => {
  const { events, message } = written({ role: "assistant" }, { content: "Hi" });
  assertEquals(events.map(({ type }) => type), [
    ...["message_start", "content_block_start", "content_block_delta", "content_block_stop"],
    ...["message_delta", "message_stop"],
  ]);
  assertEquals([message.id, message.requestId], ["chatcmpl-1", "req-1"]);
});

Deno.test("an event is its reader's: what is written into it changes nothing else", () => {
  for (const event of written({ content: "Hi" }).events) {
    if (event.type === "message_start") event.message.usage.output_tokens = 7;
    if (event.type === "message_delta") event.usage.output_tokens = 7;
  }
  const { events, message } = written({ content: "Hi" });
  const counts = events.map((event) =>
    event.type === "message_start"
      ? event.message.usage.output_tokens
      : event.type === "message_delta"
      ? event.usage.output_tokens
      : message.usage.output_tokens
  );
  assertEquals(new Set(counts), new Set([0]));
});

Deno.test("an empty answer has its first and last events", () => {
  const { events, message } = written({ refusal: null });
  assertEquals(events.map(({ type }) => type), ["message_start", "message_delta", "message_stop"]);
  assertEquals([message.content, message.stop_reason], [[], "end_turn"]);
});
