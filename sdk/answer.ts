import { isJsonObject } from "@svc/tools/json";
import { LONGEST_ANSWER_BYTES, LONGEST_ERROR_BYTES } from "./answer_limits.ts";
import { ServiceAPIError, ServiceConnectionError } from "./errors.ts";
import { printable } from "./printable.ts";
import { readBytes } from "./read_bytes.ts";

/** Longest message that is taken over from an answer, in UTF-16 code units. */
const LONGEST_MESSAGE = 500;
/** How far a message is read for that. */
const LONGEST_READ = 16 * 1024;
/** Shorter texts are words like any other: taking them out of a message would leave no message. */
const SHORTEST_SECRET = 8;
/** By so much of a longer secret, wherever it stands, it is recognised where an answer quotes it. */
const PIECE = 16;
/** Texts longer than this, images for instance, are held against a message piece by piece. */
const LONG_SECRET = 64 * 1024;
/** Fields of a request that a message may quote: they say what was asked for, not what was said. */
const STRUCTURE: ReadonlySet<string> = new Set([
  ...["type", "role", "name", "model", "id", "call_id", "tool_call_id", "tool_choice", "size"],
]);

/** Headers that a message may quote. */
const OPEN_HEADERS: ReadonlySet<string> = new Set(["accept", "content-type", "x-request-id"]);

/** The request that an answer belongs to. */
export interface AnsweredRequest {
  /** As sent, the key among them. */
  readonly headers: Headers;
  /** What was sent as JSON. */
  readonly body?: unknown;
}

/** How to read a body. */
export interface TextOptions {
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** @default {LONGEST_ANSWER_BYTES} */
  readonly maxBytes?: number;
}

/** What came back: JSON, in one piece or in many, or the error that it tells of. */
export class Answer {
  /** Its status and headers. */
  readonly response: Response;
  readonly #request: AnsweredRequest;

  /** Reads nothing yet. */
  constructor(response: Response, request: AnsweredRequest) {
    this.response = response;
    this.#request = request;
  }

  /** The whole body. Throws a `ServiceConnectionError` where it is longer than the limit. */
  async text({ signal, maxBytes = LONGEST_ANSWER_BYTES }: TextOptions): Promise<string> {
    const bytes = await readBytes(this.response.body, { maxBytes, signal });
    if (bytes === undefined) throw tooLong(maxBytes);
    return new TextDecoder().decode(bytes);
  }

  /** The JSON object of a body, or of an event. Throws a `ServiceAPIError` where it is an error. */
  read(text: string): object {
    const value = parsed(text);
    if (!isJsonObject(value)) {
      throw this.error(
        value ?? text,
        "The service answered with something else than a JSON object",
      );
    }
    const { error } = value;
    if (error !== undefined && error !== null) throw this.error(value);
    return value;
  }

  /** The error of an answer whose status says that it is one. */
  async refusal(signal: AbortSignal): Promise<ServiceAPIError> {
    const maxBytes = LONGEST_ERROR_BYTES;
    const bytes = await readBytes(this.response.body, { maxBytes, signal });
    if (bytes === undefined) return this.error(undefined);
    const text = new TextDecoder().decode(bytes);
    return this.error(parsed(text) ?? text);
  }

  /** The error that a JSON value tells of: in its `error`, or as a whole. */
  error(value: unknown, message?: string): ServiceAPIError {
    const { headers, status } = this.response;
    const body = (value as { error?: unknown } | null)?.error ?? value;
    return new ServiceAPIError(message ?? this.#messageOf(body), {
      ...{ status, headers, body, requestId: requestIdOf(value, this.response) },
    });
  }

  /** The service's own words. A page or another shape is quoted nowhere: it may echo anything. */
  #messageOf(body: unknown): string {
    const { message } = Object(body) as { message?: unknown };
    const { status } = this.response;
    if (typeof message !== "string" || message === "") {
      return `The service answered with HTTP ${status}`;
    }
    const text = redacted(printable(message.slice(0, LONGEST_READ)), secretsOf(this.#request));
    // The cut may have left the beginning of a secret that is too short to be recognised.
    const isCut = message.length > LONGEST_READ;
    return text.slice(0, isCut ? -PIECE : undefined).slice(0, LONGEST_MESSAGE);
  }
}

/** The request id of an answer: its error's, else its metadata's, else the response header's. */
export function requestIdOf(value: unknown, response: Response): string | undefined {
  const { error, metadata } = Object(value) as Record<string, { request_id?: unknown } | null>;
  const id = error?.request_id ?? metadata?.request_id;
  return typeof id === "string" ? id : response.headers.get("x-request-id") ?? undefined;
}

/** What is thrown where an answer is too long. */
export function tooLong(maxBytes: number): ServiceConnectionError {
  return new ServiceConnectionError(`The answer is longer than ${maxBytes} bytes`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What of a request no message may show: the key, and what people, models and tools have said. */
function* secretsOf({ headers, body }: AnsweredRequest): Iterable<string> {
  for (const [name, value] of headers) {
    if (!OPEN_HEADERS.has(name)) yield value.replace(/^Bearer /i, "");
  }
  yield* textsOf(body);
}

function* textsOf(value: unknown): Iterable<string> {
  if (typeof value === "string") {
    yield value;
    // As a message quotes it that quotes the JSON.
    yield JSON.stringify(value).slice(1, -1);
  }
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (!STRUCTURE.has(name) || typeof member === "object") yield* textsOf(member);
  }
}

/** A printable text with an ellipsis wherever it quotes a secret, or a piece of a longer one. */
function redacted(text: string, secrets: Iterable<string>): string {
  const starts = piecesOf(text);
  const hidden = new Set<number>();
  const hide = (from: number, to: number) => {
    for (let at = from; at < to; at++) hidden.add(at);
  };
  for (const said of secrets) {
    // Made printable as the text is: else it would not be recognised where a line broke in it.
    const secret = printable(said);
    const { length } = secret;
    if (length < PIECE) {
      for (const at of length < SHORTEST_SECRET ? [] : occurrences(text, secret)) {
        hide(at, at + length);
      }
      continue;
    }
    const step = length > LONG_SECRET ? PIECE : 1;
    for (let from = 0; from + PIECE <= length; from += step) {
      const piece = secret.slice(from, from + PIECE);
      // What stands beside it may be the secret's too, where not every piece is looked at.
      for (const at of starts.get(piece) ?? []) hide(at + 1 - step, at + PIECE + step - 1);
      starts.delete(piece);
    }
  }
  const shown = text.split("").map((char, at) =>
    !hidden.has(at) ? char : hidden.has(at - 1) ? "" : "…"
  );
  return shown.join("");
}

/** Where each piece of a text stands in it. */
function piecesOf(text: string): Map<string, number[]> {
  const starts = new Map<string, number[]>();
  for (let at = 0; at + PIECE <= text.length; at++) {
    const piece = text.slice(at, at + PIECE);
    const before = starts.get(piece);
    if (before === undefined) starts.set(piece, [at]);
    else before.push(at);
  }
  return starts;
}

function* occurrences(text: string, secret: string): Iterable<number> {
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1)) yield at;
}
