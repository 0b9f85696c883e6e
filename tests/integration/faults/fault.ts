/**
 * Faults of upstreams as data: each is a script with its expected outcome.
 *
 * @module
 */

import type { Script } from "../../fixtures/fake_upstream.ts";

/** Outcome of a call. */
export type Outcome =
  /** The whole answer, at what it reports. */
  | "whole"
  /** Refused before the first byte: 502 `upstream_error`, and nothing charged. */
  | "failed"
  /** As `failed`: 504 `upstream_timeout`. */
  | "late"
  /** As `failed`: 429 `rate_limit_exceeded`. */
  | "limited"
  /** A stream of one word that ends with an error event, and that word charged. */
  | "broken"
  /** As `broken`, with `upstream_timeout`. */
  | "stalled";

/** An answer that is well, in the parts of which faults are made. */
export interface Well {
  readonly stream: boolean;
  /** Content type of the answer. */
  readonly type: string;
  /** The whole body; of a stream without its framing. */
  readonly body: string;
  /** Outcome of a stream after one word, and of a body after its first half. */
  readonly half: string;
}

/** One fault. */
export interface Fault {
  readonly name: string;
  readonly script: (well: Well) => Script;
  /** Outcome of an answer in one body, and of a stream. */
  readonly json: Outcome;
  readonly stream: Outcome;
  /** Maximum time of the upstream to the first byte, and between two bytes, in milliseconds. */
  readonly limits?: { readonly firstByteMs?: number; readonly idleMs?: number };
  /** Its connection may be kept: what came was whole as far as HTTP goes. @default {false} */
  readonly mayKeep?: boolean;
}

/** A head with these headers and the end of it. */
export function head(
  status: string,
  headers: Readonly<Record<string, string>>,
  protocol = "HTTP/1.1",
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${protocol} ${status}\r\n${lines.join("")}\r\n`;
}

/** The head of an answer whose end is the connection's. */
export function openHead({ type }: Well, more: Readonly<Record<string, string>> = {}): string {
  return head("200 OK", { "content-type": type, connection: "close", ...more });
}

/** The head of an answer in chunks. */
export function chunkedHead(well: Well, more: Readonly<Record<string, string>> = {}): string {
  return head("200 OK", { "content-type": well.type, "transfer-encoding": "chunked", ...more });
}

/** The head of an answer with a length. */
export function lengthHead({ type }: Well, length: number | string): string {
  return head("200 OK", { "content-type": type, "content-length": `${length}` });
}
