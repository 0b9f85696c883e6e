/**
 * What the two roads of a streamed response have in common: events of a native upstream, and events
 * made of chat chunks.
 *
 * @module
 */

import type { Usage } from "../../domain/pricing.ts";
import type { ResponseEnd } from "./resource.ts";

/** Why a stream failed, in the words of the service's error table. */
export interface ResponseFailure {
  readonly code: string;
  readonly message: string;
  readonly param?: string | null | undefined;
}

/** Follows one streamed response. Everything it returns is server-sent events, ready to send. */
export interface ResponseRelay {
  /** Usage as last reported. */
  readonly usage: Usage | undefined;
  /** Text that was delivered, in pieces. */
  readonly delivered: readonly string[];
  /** Whether the upstream has said all but good-bye. */
  readonly finished: boolean;
  /** JSON text of the resource as it was last sent; `undefined` before the end. */
  readonly resource: string | undefined;
  /**
   * Takes the JSON text of one event of the upstream; returns events, or nothing. Throws an
   * `UpstreamCut` where it is an error or makes no sense.
   */
  accept(text: string): string;
  /** The upstream has ended cleanly. Throws an `UpstreamCut` where that was too early. */
  upstreamEnded(): void;
  /** The last events of a whole or incomplete response, one at a time: they may be long. */
  completed(end: ResponseEnd): Iterable<string>;
  /** The last events of a response that broke off. */
  failed(failure: ResponseFailure, end: FailedEnd): Iterable<string>;
}

/** What is known of a call that failed; without usage nothing was settled. */
export type FailedEnd = Pick<ResponseEnd, "metadata"> & Partial<Pick<ResponseEnd, "usage">>;

/** One event with its name; JSON with line breaks in it takes one data line each. */
export function responseEvent(type: string, json: string): string {
  const data = json.includes("\n") ? json.replace(/\r?\n/g, "\ndata: ") : json;
  return `event: ${type}\ndata: ${data}\n\n`;
}

/** The resource's error of a failure: the list of codes is OpenAI's own and short. */
export function responseErrorOf(
  { code, message }: ResponseFailure,
): { code: "server_error" | "rate_limit_exceeded"; message: string } {
  const known = code === "rate_limit_exceeded" ? code : "server_error";
  return { code: known, message };
}

/** The event that makes clients raise an error. */
export function errorEvent(failure: ResponseFailure, sequenceNumber: number): string {
  const { code, message, param } = failure;
  const event = { type: "error", sequence_number: sequenceNumber, code, message };
  return responseEvent("error", JSON.stringify({ ...event, param: param ?? null }));
}
