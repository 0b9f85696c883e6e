import type { WithoutModel, WithRequestId } from "../call.ts";
import type { LoopShapes } from "../loop/mod.ts";
import type {
  Message,
  MessagesRequest,
  MessageStreamEvent,
  ToolUseBlock,
} from "../protocol/mod.ts";

/**
 * A Messages request as applications write it: `model` may be left out, and is then `auto`.
 *
 * @example
 * ```ts
 * import type { MessageCreateRequest } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const request: MessageCreateRequest = {
 *   max_tokens: 1_024,
 *   messages: [{ role: "user", content: "Hello" }],
 * };
 * assertEquals(request.messages.length, 1);
 * ```
 */
export type MessageCreateRequest = WithoutModel<MessagesRequest>;

/**
 * One answer, with the id of its request.
 *
 * @example
 * ```ts
 * import type { MessageTurn } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const textOf = ({ content }: Pick<MessageTurn, "content">) =>
 *   content.map((block) => block.type === "text" ? block.text : "").join("");
 * assertEquals(textOf({ content: [{ type: "text", text: "Hello", citations: null }] }), "Hello");
 * ```
 */
export type MessageTurn = WithRequestId<Message>;

/**
 * Messages, as the loop sees them.
 *
 * @example
 * ```ts
 * import type { MessagesShapes } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const inputsOf = (calls: readonly MessagesShapes["call"][]) => calls.map(({ input }) => input);
 * const caller = { type: "direct" } as const;
 * const call = {
 *   type: "tool_use",
 *   id: "1",
 *   name: "get_time",
 *   input: { zone: "UTC" },
 *   caller,
 * } as const;
 * assertEquals(inputsOf([call]), [{ zone: "UTC" }]);
 * ```
 */
export interface MessagesShapes extends LoopShapes {
  /** The request, grown by each turn. */
  conversation: MessageCreateRequest;
  /** A message. */
  turn: MessageTurn;
  /** A tool call of it. */
  call: ToolUseBlock;
  /** An event of a stream. */
  chunk: MessageStreamEvent;
}
