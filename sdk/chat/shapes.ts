import type { WithoutModel, WithRequestId } from "../call.ts";
import type { LoopShapes } from "../loop/mod.ts";
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatRequest,
  ToolCall,
} from "../protocol/mod.ts";

/**
 * A chat request as applications write it: `model` may be left out, and is then `auto`.
 *
 * @example
 * ```ts
 * import type { ChatCreateRequest } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const request: ChatCreateRequest = {
 *   messages: [{ role: "user", content: "Hello" }],
 *   max_completion_tokens: 200,
 * };
 * assertEquals(request.model, undefined);
 * ```
 */
export type ChatCreateRequest = WithoutModel<ChatRequest>;

/**
 * One answer, with the id of its request.
 *
 * @example
 * ```ts
 * import type { ChatTurn } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const textOf = ({ choices }: ChatTurn) => choices[0]?.message.content ?? "";
 * const turn: ChatTurn = {
 *   id: "chatcmpl-1",
 *   object: "chat.completion",
 *   created: 1_772_366_400,
 *   model: "fast-mini",
 *   choices: [],
 *   requestId: "req_1",
 * };
 * assertEquals([textOf(turn), turn.requestId], ["", "req_1"]);
 * ```
 */
export type ChatTurn = WithRequestId<ChatCompletion>;

/**
 * Chat Completions, as the loop sees them.
 *
 * @example
 * ```ts
 * import type { ChatShapes, Step } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const onStep = ({ calls }: Step<ChatShapes>) => calls.map(({ raw }) => raw.function.name);
 * const raw = {
 *   id: "1",
 *   type: "function",
 *   function: { name: "get_time", arguments: "" },
 * } as const;
 * const call = { id: "1", name: "get_time", arguments: "", raw };
 * assertEquals(onStep({ calls: [call] } as unknown as Step<ChatShapes>), ["get_time"]);
 * ```
 */
export interface ChatShapes extends LoopShapes {
  /** The request, grown by each turn. */
  conversation: ChatCreateRequest;
  /** A completion. */
  turn: ChatTurn;
  /** A tool call of its first choice. */
  call: ToolCall;
  /** A chunk of a stream. */
  chunk: ChatCompletionChunk;
}
