import { type Answer, requestIdOf } from "../answer.ts";
import { ServiceConnectionError } from "../errors.ts";
import type { ModelEvent, ModelPort, ModelRequest, TurnFinishReason } from "../loop/mod.ts";
import type { ChatCompletion, ChatCompletionChunk } from "../protocol/mod.ts";
import { addBilling } from "../run/billing.ts";
import type { TurnOptions } from "../run/surface.ts";
import { isReply } from "../run/tasks.ts";
import { turnCall } from "../run/turn_call.ts";
import type { Transport } from "../transport.ts";
import { answerable, callsOf, readableChunk } from "./calls.ts";
import { isChunk, isCompletion, textIn } from "./decode.ts";
import { ChunkMerger } from "./merge_chunks.ts";
import type { ChatShapes, ChatTurn } from "./shapes.ts";
import { tokenUsage, usageOfBill } from "./usage.ts";

const PATH = "/chat/completions";

type Events = AsyncGenerator<ModelEvent<ChatShapes>, void, void>;

/** Turns of Chat Completions from the service. */
export class ChatTurns implements ModelPort<ChatShapes> {
  readonly #transport: Transport;
  readonly #options: TurnOptions;

  /** Creates the port without calling the service. */
  constructor(transport: Transport, options: TurnOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  /** Runs one turn. */
  turn(request: ModelRequest<ChatShapes>): Events {
    return this.#options.stream ? this.#streamed(request) : this.#whole(request);
  }

  async *#whole(request: ModelRequest<ChatShapes>): Events {
    const { answer, value } = await this.#transport.json(turnCall(PATH, request, this.#options));
    const turn = turnOf(readable(value as ChatCompletion, isCompletion, answer), answer);
    const text = textIn(turn.choices[0]?.message.content);
    if (text !== "") yield { type: "text_delta", text };
    yield* ending(turn);
  }

  async *#streamed(request: ModelRequest<ChatShapes>): Events {
    const { chunksOnly } = this.#options;
    const merger = new ChunkMerger();
    const isLast = (value: unknown) => isBill(value) && merger.completion() !== undefined;
    const call = turnCall(PATH, request, this.#options);
    const events = await this.#transport.events({ ...call, isLast });
    for await (const value of events) {
      const chunk = readableChunk(readable(value as ChatCompletionChunk, isChunk, events.answer));
      merger.add(chunk);
      yield { type: "chunk", chunk };
      if (!chunksOnly && isReply(chunk)) yield* deltas(chunk);
    }
    const completion = merger.completion();
    if (completion === undefined) {
      throw new ServiceConnectionError("The stream ended without a finish reason");
    }
    yield* ending(turnOf(completion, events.answer));
  }
}

/** Checks an answer or a chunk. Throws a `ServiceAPIError` when it is neither. */
function readable<Value extends object>(
  value: Value,
  isReadable: (value: Value) => boolean,
  answer: Answer,
): Value {
  if (isReadable(value)) return value;
  throw answer.error(value, "The service answered with something else than Chat Completions");
}

/** True for a chunk that carries only usage and metadata, as the one after the answer. */
function isBill(value: unknown): boolean {
  const { choices, metadata, usage } = value as ChatCompletionChunk;
  return !choices?.length && Boolean(metadata ?? usage);
}

/** Yields the events in a chunk's first choice, the one that a loop continues with. */
function* deltas({ choices }: ChatCompletionChunk): Iterable<ModelEvent<ChatShapes>> {
  const { delta } = choices.find(({ index = 0 }) => index === 0) ?? {};
  if (delta === undefined || delta === null) return;
  const { content, reasoning_content: reasoning, tool_calls } = delta;
  if (typeof reasoning === "string" && reasoning !== "") {
    yield { type: "reasoning_delta", text: reasoning };
  }
  const text = textIn(content);
  if (text !== "") yield { type: "text_delta", text };
  for (const [position, { index, id, function: named }] of (tool_calls ?? []).entries()) {
    yield {
      ...{ type: "tool_call_delta", index: index ?? position, id, name: named?.name },
      arguments: named?.arguments ?? "",
    };
  }
}

/** Yields the events of a complete turn: its calls, its usage and its end. */
function* ending(turn: ChatTurn): Iterable<ModelEvent<ChatShapes>> {
  for (const call of callsOf(turn)) yield { type: "tool_call", call };
  if (turn.usage) yield { type: "usage", usage: tokenUsage(turn.usage) };
  yield { type: "finish", finishReason: finishReasonOf(turn), turn };
}

/**
 * Returns the completion with the usage, from the bill when the completion has none, and with the
 * request's id.
 */
function turnOf(completion: ChatCompletion, answer: Answer): ChatTurn {
  const { metadata } = completion;
  const bill = addBilling([metadata?.billing]);
  const usage = completion.usage ?? (bill && usageOfBill(bill));
  return {
    ...completion,
    choices: completion.choices.map((choice) => ({
      ...choice,
      message: answerable(choice.message),
    })),
    ...(usage === undefined ? {} : { usage }),
    requestId: requestIdOf(completion, answer.response),
  };
}

function finishReasonOf(turn: ChatTurn): TurnFinishReason {
  const reason = turn.choices[0]?.finish_reason;
  switch (reason) {
    case "stop":
    case "length":
    case "content_filter":
    case "tool_calls":
      return reason;
    case "function_call":
      return "tool_calls";
    default:
      return "other";
  }
}
