/**
 * The common part of both response routes: native events, and events made of chat chunks.
 *
 * @module
 */

import type { ErrorObject } from "@svc/sdk/protocol";
import type { AnswerRelay } from "../answer_relay.ts";

/** Relays one streamed response. */
export interface ResponseRelay extends AnswerRelay {
  /** JSON text of the resource as it was last sent; `undefined` before the end. */
  readonly resource: string | undefined;
  /** Parts of the request that the upstream did not receive, a line each. @default {none} */
  readonly notCarried?: readonly string[];
}

/** A failure of a stream, in the words of the service's error table. */
type Failure = Pick<ErrorObject, "code" | "message" | "param">;

/** Returns one event with its name; JSON with line breaks takes one data line each. */
export function responseEvent(type: string, json: string): string {
  const data = json.includes("\n") ? json.replace(/\r?\n/g, "\ndata: ") : json;
  return `event: ${type}\ndata: ${data}\n\n`;
}

/** Returns the resource's error for a failure: OpenAI's list of codes is short. */
export function responseErrorOf(
  { code, message }: Failure,
): { code: "server_error" | "rate_limit_exceeded"; message: string } {
  const known = code === "rate_limit_exceeded" ? code : "server_error";
  return { code: known, message };
}

/** Returns the event that makes clients raise an error. */
export function errorEvent(failure: Failure, sequenceNumber: number): string {
  const { code, message, param } = failure;
  const event = { type: "error", sequence_number: sequenceNumber, code, message };
  return responseEvent("error", JSON.stringify({ ...event, param }));
}
