/**
 * The cheapest honest client: requests over raw keep-alive connections, each sent when the answer
 * before it is complete.
 *
 * @module
 */

import { Buffer } from "node:buffer";

const LAST_PIECE = "\r\n0\r\n\r\n";
const DONE_EVENT = "data: [DONE]\n\n";
/** Beginning of the last event of a stream that names its events, one character a byte. */
const COMPLETED_EVENT = "event: response.completed\n";
const HEAD_END = "\r\n\r\n";

// One character a byte, so that offsets in text are offsets in bytes.
const latin1 = new TextDecoder("latin1");

/**
 * The form of an answer: `true` for a stream that ends with `[DONE]`, `responses` for a stream of
 * Responses.
 */
export type StreamForm = boolean | "responses";

/** Follows one answer to its last byte. Throws where it is not what a client would be glad of. */
export class AnswerReader {
  readonly #stream: StreamForm;
  #isCompleted = false;
  #head = "";
  #inBody = false;
  /** Bytes still to come; `undefined` where the body comes in pieces. */
  #remainingBytes: number | undefined;
  #tail = "";

  /** `stream`: the answer must be a stream of events, and whole. */
  constructor(stream: StreamForm) {
    this.#stream = stream;
  }

  /** Takes what has arrived; `true` once the answer is complete. */
  feed(bytes: Uint8Array): boolean {
    const body = this.#inBody ? bytes : this.#feedHead(bytes);
    if (body === undefined) return false;
    if (this.#remainingBytes !== undefined) {
      this.#remainingBytes -= body.length;
      if (this.#remainingBytes < 0) throw new Error("The answer is longer than it said");
      return this.#remainingBytes === 0;
    }
    if (this.#stream === "responses") this.#look(body);
    this.#tail = (this.#tail + latin1.decode(body.subarray(-64))).slice(-64);
    if (!this.#tail.endsWith(LAST_PIECE)) return false;
    if (this.#stream === "responses") {
      if (!this.#isCompleted) throw new Error("The stream ended without response.completed");
    } else if (this.#stream && !this.#tail.slice(0, -LAST_PIECE.length).endsWith(DONE_EVENT)) {
      throw new Error(`The stream ended without [DONE]: ${this.#tail}`);
    }
    return true;
  }

  /** The last event may be long, and its head in two pieces. */
  #look(body: Uint8Array): void {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
    const seam = this.#tail + latin1.decode(body.subarray(0, COMPLETED_EVENT.length));
    this.#isCompleted ||= bytes.includes(COMPLETED_EVENT) || seam.includes(COMPLETED_EVENT);
  }

  #feedHead(bytes: Uint8Array): Uint8Array | undefined {
    const before = this.#head.length;
    this.#head += latin1.decode(bytes);
    const end = this.#head.indexOf(HEAD_END);
    if (end === -1) return undefined;
    const head = this.#head.slice(0, end).toLowerCase();
    if (!head.startsWith("http/1.1 200 ")) throw new Error(`The answer is ${this.#head}`);
    const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
    if (length === undefined && !/\r\ntransfer-encoding: *chunked/.test(head)) {
      throw new Error(`The answer has no length: ${head}`);
    }
    if ((this.#stream !== false) !== /\r\ncontent-type: *text\/event-stream/.test(head)) {
      throw new Error(`The answer is of another kind: ${head}`);
    }
    this.#remainingBytes = length === undefined ? undefined : Number(length);
    this.#inBody = true;
    return bytes.subarray(end + HEAD_END.length - before);
  }
}

/** A request that is sent again and again. */
export interface LoadRequest {
  /** The address to call. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly stream: StreamForm;
}

/** The amount of load: a time, or a number of requests. */
export interface LoadAmount {
  readonly connections: number;
  readonly seconds?: number | undefined;
  readonly requests?: number | undefined;
}

/** The result of a load. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Median time of one request, in milliseconds. */
  readonly p50Ms: number;
  /** 99 of 100 requests end within this time, in milliseconds. */
  readonly p99Ms: number;
}

/** The request as it goes over the wire. */
export function requestBytes(request: LoadRequest): Uint8Array {
  const { host, pathname } = new URL(request.url);
  const encoder = new TextEncoder();
  const headers = Object.entries({
    host,
    "content-type": "application/json",
    "content-length": String(encoder.encode(request.body).length),
    ...request.headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return encoder.encode(`POST ${pathname} HTTP/1.1\r\n${headers}\r\n${request.body}`);
}

/** Sends requests over some connections until the amount is reached. */
export async function drive(request: LoadRequest, amount: LoadAmount): Promise<LoadResult> {
  const { hostname, port } = new URL(request.url);
  const bytes = requestBytes(request);
  const { connections, seconds = Infinity, requests = Infinity } = amount;
  const times: number[] = [];
  let begun = 0;
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  const connection = async () => {
    using conn = await Deno.connect({ hostname, port: Number(port) });
    conn.setNoDelay(true);
    const buffer = new Uint8Array(64 * 1024);
    while (begun < requests && performance.now() < endMs) {
      begun++;
      times.push(await exchange(conn, { bytes, buffer, stream: request.stream }));
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  const tookMs = performance.now() - startedMs;
  return {
    requests: times.length,
    seconds: tookMs / 1_000,
    p50Ms: median(times),
    p99Ms: percentile(times, 0.99),
  };
}

/** One request and its answer, in milliseconds. */
async function exchange(
  conn: Deno.Conn,
  request: { bytes: Uint8Array; buffer: Uint8Array; stream: StreamForm },
): Promise<number> {
  const { bytes, buffer, stream } = request;
  const sentMs = performance.now();
  for (let sent = 0; sent < bytes.length;) sent += await conn.write(bytes.subarray(sent));
  const answer = new AnswerReader(stream);
  for (;;) {
    const read = await conn.read(buffer);
    if (read === null) throw new Error("The connection was closed in the middle of an answer");
    if (answer.feed(buffer.subarray(0, read))) return performance.now() - sentMs;
  }
}

/** The middle value; of an even number of values the upper one of the two. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value that a share of all values is below; `NaN` without any. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.floor(sorted.length * share)] ?? NaN;
}
