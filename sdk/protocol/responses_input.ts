/**
 * The items of Responses that go in.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type { ResponseFunctionCall } from "./responses_output.ts";
import type { ResponseInputPart } from "./responses_parts.ts";

/** A message of the conversation; a response's own message can be sent back as it is. */
export interface ResponseInputMessage extends Extensible {
  /** May be left out. */
  type?: "message";
  /** `system`, `developer`, `user` or `assistant`. */
  role: string;
  /** Content of the message. */
  content: string | ResponseInputPart[];
}

/** The result of a tool call. */
export interface ResponseFunctionCallOutput extends Extensible {
  /** Kind of the item. */
  type: "function_call_output";
  /** The call that this is the result of. */
  call_id: string;
  /** Result of the function. */
  output: string | ResponseInputPart[];
}

/** An item of an earlier response, by its id. */
export interface ResponseItemReference extends Extensible {
  /** May be left out or `null`. */
  type?: "item_reference" | null;
  /** The item's id. */
  id: string;
}

/** An item of a kind not modelled here. */
export interface OtherInputItem extends Extensible {
  /** Its kind. */
  type: string;
}

/** An item of a request's input. */
export type ResponseInputItem =
  | ResponseInputMessage
  | Omit<ResponseFunctionCall, "id" | "status">
  | ResponseFunctionCallOutput
  | ResponseItemReference
  | OtherInputItem;
