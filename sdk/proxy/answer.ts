import type { CallLimit } from "../call_limit.ts";
import { type PieceReader, pieceReader } from "../piece_reader.ts";
import { readBytes } from "../read_bytes.ts";
import { refused } from "./refusal.ts";

/** Longest error that is passed on, in bytes. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Headers that are passed on. Cookies, hop-by-hop headers and headers about the service's own
 * server are not.
 */
const PASSED = [
  ...["cache-control", "content-type", "retry-after", "x-accel-buffering", "x-should-retry"],
];
const PASSED_PREFIX = "x-ratelimit-";

/** Context of an answer. */
export interface AnswerOptions {
  /** Ends with the answer. */
  readonly limit: CallLimit;
  /** Request id for the browser. */
  readonly requestId: string;
  /** The key, which must not reach the browser, whatever the upstream sends. */
  readonly secret: string;
}

/** Returns the service's answer in the form that the browser may receive. */
export async function answerOf(response: Response, options: AnswerOptions): Promise<Response> {
  const type = response.headers.get("content-type") ?? "";
  if (response.ok && /^(application\/json|text\/event-stream)\s*(;|$)/i.test(type)) {
    const { limit, requestId } = options;
    // It reads a piece once the browser has taken the previous one.
    const body = new ReadableStream(new Relay(response, limit), { highWaterMark: 0 });
    return new Response(body, { status: response.status, headers: passed(response, requestId) });
  }
  try {
    return await errorAnswer(response, options);
  } finally {
    options.limit.end();
  }
}

/**
 * Returns the service's own error; `undefined` for anything else, such as a page of an intermediate
 * server.
 */
async function errorAnswer(
  response: Response,
  { limit, requestId, secret }: AnswerOptions,
): Promise<Response> {
  const bytes = await readBytes(response.body, { maxBytes: MAX_ERROR_BYTES, signal: limit.signal });
  const envelope = errorEnvelope(new TextDecoder().decode(bytes));
  if (response.status < 400 || envelope === undefined) {
    return refused({ code: "upstream_error", message: "The service could not answer" }, requestId);
  }
  // Serialised again: JSON can spell the key in more than one way.
  const text = JSON.stringify(envelope).replaceAll(JSON.stringify(secret).slice(1, -1), "…");
  return new Response(text, { status: response.status, headers: passed(response, requestId) });
}

function errorEnvelope(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const { error } = Object(value) as { error?: unknown };
    return typeof Object(error).message === "string" ? value : undefined;
  } catch {
    // Not JSON, so not from the service.
    return undefined;
  }
}

function passed({ headers }: Response, requestId: string): Headers {
  const passedHeaders = new Headers({
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  for (const [name, value] of headers) {
    if (PASSED.includes(name) || name.startsWith(PASSED_PREFIX)) passedHeaders.set(name, value);
  }
  passedHeaders.set("x-request-id", headers.get("x-request-id") ?? requestId);
  return passedHeaders;
}

/**
 * Passes a body on, piece by piece. It holds the response, not only its body: after the response is
 * garbage-collected, Deno's `fetch` no longer ends its body on an abort.
 */
class Relay implements UnderlyingDefaultSource<Uint8Array> {
  readonly #response: Response;
  readonly #limit: CallLimit;
  #reader: PieceReader | undefined;

  constructor(response: Response, limit: CallLimit) {
    this.#response = response;
    this.#limit = limit;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#reader ??= pieceReader(this.#response.body ?? new Blob().stream());
    try {
      const piece = await this.#limit.guard(this.#reader.read());
      // A copy: the piece may still be in use when the next one is read.
      if (piece !== undefined) return controller.enqueue(piece.slice());
      controller.close();
      this.#limit.end();
    } catch (error) {
      // Never a clean end: the browser must see that the answer is incomplete.
      controller.error(this.#limit.explain(error));
      this.#limit.end();
      void this.#reader.cancel().catch(() => {});
    }
  }

  /** Ends the call when the browser has disconnected. */
  cancel(): void {
    this.#limit.end();
  }
}
