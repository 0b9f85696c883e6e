/**
 * The items of Responses that go in.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type { ResponseFunctionCall } from "./responses_output.ts";
import type { ResponseInputPart } from "./responses_parts.ts";

/**
 * A message of the conversation; a response's own message can be sent back as it is.
 *
 * @example
 * ```ts
 * import type { ResponseInputMessage } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const message: ResponseInputMessage = { role: "user", content: "Hello" };
 * assertEquals([message.type, message.role], [undefined, "user"]);
 * ```
 */
export interface ResponseInputMessage extends Extensible {
  /** May be left out. */
  type?: "message";
  /** `system`, `developer`, `user` or `assistant`. */
  role: string;
  /** What was said. */
  content: string | ResponseInputPart[];
}

/**
 * The result of a tool call.
 *
 * @example
 * ```ts
 * import type { ResponseFunctionCallOutput } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const result: ResponseFunctionCallOutput = {
 *   type: "function_call_output",
 *   call_id: "call_1",
 *   output: JSON.stringify({ weather: "Rain" }),
 * };
 * assertEquals(result.output, '{"weather":"Rain"}');
 * ```
 */
export interface ResponseFunctionCallOutput extends Extensible {
  /** Tells the kinds of items apart. */
  type: "function_call_output";
  /** The call that this is the result of. */
  call_id: string;
  /** What the function gave. */
  output: string | ResponseInputPart[];
}

/**
 * An item of an earlier response, by its id.
 *
 * @example
 * ```ts
 * import type { ResponseItemReference } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const reference: ResponseItemReference = { type: "item_reference", id: "msg_1" };
 * assertEquals(reference.id, "msg_1");
 * ```
 */
export interface ResponseItemReference extends Extensible {
  /** May be left out or `null`. */
  type?: "item_reference" | null;
  /** The item's id. */
  id: string;
}

/**
 * An item of a kind not modelled here.
 *
 * @example
 * ```ts
 * import type { OtherInputItem } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const item: OtherInputItem = { type: "custom_tool_call_output", call_id: "call_1", output: "1" };
 * assertEquals(item["call_id"], "call_1");
 * ```
 */
export interface OtherInputItem extends Extensible {
  /** Its kind. */
  type: string;
}

/**
 * What a request's input is made of.
 *
 * @example
 * ```ts
 * import type { ResponseInputItem } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const input: ResponseInputItem[] = [
 *   { role: "user", content: "What time is it?" },
 *   { type: "function_call", call_id: "call_1", name: "get_time", arguments: "{}" },
 *   { type: "function_call_output", call_id: "call_1", output: "12:00" },
 * ];
 * assertEquals(input.length, 3);
 * ```
 */
export type ResponseInputItem =
  | ResponseInputMessage
  | Omit<ResponseFunctionCall, "id" | "status">
  | ResponseFunctionCallOutput
  | ResponseItemReference
  | OtherInputItem;
