import type { CallLimit } from "../call_limit.ts";
import { type PieceReader, pieceReader } from "../piece_reader.ts";
import { readBytes } from "../read_bytes.ts";
import { refused } from "./refusal.ts";

/** Longest error that is passed on. */
const MAX_ERROR_BYTES = 64 * 1024;

/** Headers that pass. Cookies, hop-by-hop headers and what describes the service's own server do not. */
const PASSED = [
  ...["cache-control", "content-type", "retry-after", "x-accel-buffering", "x-should-retry"],
];
const PASSED_PREFIX = "x-ratelimit-";

/** What an answer is made under. */
export interface AnswerOptions {
  /** Ends with the answer. */
  readonly limit: CallLimit;
  /** What the browser is to quote. */
  readonly requestId: string;
  /** Must not reach the browser, whatever the upstream says. */
  readonly secret: string;
}

/** The service's answer, as the browser may have it. */
export async function answerOf(response: Response, options: AnswerOptions): Promise<Response> {
  const type = response.headers.get("content-type") ?? "";
  if (response.ok && /^(application\/json|text\/event-stream)\s*(;|$)/i.test(type)) {
    const { limit, requestId } = options;
    // It asks for a piece when the browser has taken the one before.
    const body = new ReadableStream(new Relay(response, limit), { highWaterMark: 0 });
    return new Response(body, { status: response.status, headers: passed(response, requestId) });
  }
  try {
    return await errorAnswer(response, options);
  } finally {
    options.limit.end();
  }
}

/** The service's own error; of anything else, such as a page of some server in between, nothing. */
async function errorAnswer(
  response: Response,
  { limit, requestId, secret }: AnswerOptions,
): Promise<Response> {
  const bytes = await readBytes(response.body, {
    maxBytes: MAX_ERROR_BYTES,
    signal: limit.signal,
  });
  const envelope = errorEnvelope(new TextDecoder().decode(bytes));
  if (response.status < 400 || envelope === undefined) {
    return refused({ code: "upstream_error", message: "The service could not answer" }, requestId);
  }
  // Written anew: JSON can spell the key in more ways than one.
  const text = JSON.stringify(envelope).replaceAll(JSON.stringify(secret).slice(1, -1), "…");
  return new Response(text, { status: response.status, headers: passed(response, requestId) });
}

function errorEnvelope(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const { error } = Object(value) as { error?: unknown };
    return typeof Object(error).message === "string" ? value : undefined;
  } catch {
    // Not JSON: not the service's.
    return undefined;
  }
}

function passed({ headers }: Response, requestId: string): Headers {
  const kept = new Headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  for (const [name, value] of headers) {
    if (PASSED.includes(name) || name.startsWith(PASSED_PREFIX)) kept.set(name, value);
  }
  kept.set("x-request-id", headers.get("x-request-id") ?? requestId);
  return kept;
}

/**
 * Passes a body on, piece by piece. It keeps the response, and not its body alone: once a response is
 * garbage, Deno's `fetch` no longer ends its body when the signal is aborted.
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
      // A copy: whoever sends it may not be done with it when the next is read.
      if (piece !== undefined) return controller.enqueue(piece.slice());
      controller.close();
      this.#limit.end();
    } catch (error) {
      // Never a clean end: the browser sees that the answer is not complete.
      controller.error(this.#limit.explain(error));
      this.#limit.end();
      void this.#reader.cancel().catch(() => {});
    }
  }

  /** The browser has left: so does the call. */
  cancel(): void {
    this.#limit.end();
  }
}
