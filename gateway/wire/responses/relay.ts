/**
 * What the two roads of a streamed response have in common: events of a native upstream, and events
 * made of chat chunks.
 *
 * @module
 */

import type { ErrorObject } from "@svc/sdk/protocol";
import type { AnswerRelay } from "../answer_relay.ts";

/** Follows one streamed response. */
export interface ResponseRelay extends AnswerRelay {
  /** JSON text of the resource as it was last sent; `undefined` before the end. */
  readonly resource: string | undefined;
  /** What the upstream says it was not told of the request, a line each. @default {nothing} */
  readonly notCarried?: readonly string[];
}

/** Why a stream failed, in the words of the service's error table. */
type Failure = Pick<ErrorObject, "code" | "message" | "param">;

/** One event with its name; JSON with line breaks in it takes one data line each. */
export function responseEvent(type: string, json: string): string {
  const data = json.includes("\n") ? json.replace(/\r?\n/g, "\ndata: ") : json;
  return `event: ${type}\ndata: ${data}\n\n`;
}

/** The resource's error of a failure: the list of codes is OpenAI's own and short. */
export function responseErrorOf(
  { code, message }: Failure,
): { code: "server_error" | "rate_limit_exceeded"; message: string } {
  const known = code === "rate_limit_exceeded" ? code : "server_error";
  return { code: known, message };
}

/** The event that makes clients raise an error. */
export function errorEvent(failure: Failure, sequenceNumber: number): string {
  const { code, message, param } = failure;
  const event = { type: "error", sequence_number: sequenceNumber, code, message };
  return responseEvent("error", JSON.stringify({ ...event, param }));
}
