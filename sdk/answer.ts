import { isJsonObject } from "@svc/tools/json";
import { LONGEST_ANSWER_BYTES, LONGEST_ERROR_BYTES } from "./answer_limits.ts";
import { ServiceAPIError, ServiceConnectionError } from "./errors.ts";
import { printable } from "./printable.ts";
import { readBytes } from "./read_bytes.ts";

/** Longest message taken from an answer, in UTF-16 code units. */
const LONGEST_MESSAGE = 500;
/** Longest part of a message that is searched for secrets, in UTF-16 code units. */
const LONGEST_READ = 16 * 1024;
/**
 * Shortest secret, in UTF-16 code units. Shorter texts are ordinary words: removing them would
 * leave no message.
 */
const SHORTEST_SECRET = 8;
/**
 * Length of the pieces of a longer secret that are recognised in an answer, in UTF-16 code units.
 */
const PIECE = 16;
/** Secrets longer than this, images for instance, are compared with a message piece by piece. */
const LONG_SECRET = 64 * 1024;
/**
 * Fields of a request that a message may quote: they name the requested structure, not its content.
 */
const STRUCTURE: ReadonlySet<string> = new Set([
  ...["type", "role", "name", "model", "id", "call_id", "tool_call_id", "tool_choice", "size"],
]);

/** Headers that a message may quote. */
const OPEN_HEADERS: ReadonlySet<string> = new Set(["accept", "content-type", "x-request-id"]);

/** The request of an answer. */
export interface AnsweredRequest {
  /** Headers as sent, with the key. */
  readonly headers: Headers;
  /** The JSON body as sent. */
  readonly body?: unknown;
}

/** Options of reading a body. */
export interface TextOptions {
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** @default {LONGEST_ANSWER_BYTES} */
  readonly maxBytes?: number;
}

/** The answer of the service: JSON, whole or as events, or an error. */
export class Answer {
  /** Status and headers. */
  readonly response: Response;
  readonly #request: AnsweredRequest;

  /** Creates an answer without reading its body. */
  constructor(response: Response, request: AnsweredRequest) {
    this.response = response;
    this.#request = request;
  }

  /** True when the headers state JSON. */
  get isJson(): boolean {
    return /^application\/json/i.test(this.response.headers.get("content-type") ?? "");
  }

  /** Reads the whole body. Throws a `ServiceConnectionError` when it is longer than the limit. */
  async text({ signal, maxBytes = LONGEST_ANSWER_BYTES }: TextOptions): Promise<string> {
    const bytes = await readBytes(this.response.body, { maxBytes, signal });
    if (bytes === undefined) throw tooLong(maxBytes);
    return new TextDecoder().decode(bytes);
  }

  /**
   * Parses the JSON object of a body or of an event. Throws a `ServiceAPIError` when it is an
   * error.
   */
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

  /** Reads the error of an answer whose status is an error. */
  async refusal(signal: AbortSignal): Promise<ServiceAPIError> {
    const maxBytes = LONGEST_ERROR_BYTES;
    const bytes = await readBytes(this.response.body, { maxBytes, signal });
    if (bytes === undefined) return this.error(undefined);
    const text = new TextDecoder().decode(bytes);
    return this.error(parsed(text) ?? text);
  }

  /** Returns the error in a JSON value: its member `error`, or the whole value. */
  error(value: unknown, message?: string): ServiceAPIError {
    const { headers, status } = this.response;
    const body = (value as { error?: unknown } | null)?.error ?? value;
    return new ServiceAPIError(message ?? this.#messageOf(body), {
      ...{ status, headers, body, requestId: requestIdOf(value, this.response) },
    });
  }

  /**
   * Returns the service's message. A page or another shape is never quoted: it may echo anything.
   */
  #messageOf(body: unknown): string {
    const { message } = Object(body) as { message?: unknown };
    const { status } = this.response;
    if (typeof message !== "string" || message === "") {
      return `The service answered with HTTP ${status}`;
    }
    const text = redacted(printable(message.slice(0, LONGEST_READ)), secretsOf(this.#request));
    // The cut may have kept the beginning of a secret that is too short to be recognised.
    const isCut = message.length > LONGEST_READ;
    return text.slice(0, isCut ? -PIECE : undefined).slice(0, LONGEST_MESSAGE);
  }
}

/**
 * Returns the request id of an answer: its error's, else its metadata's, else the response
 * header's.
 */
export function requestIdOf(value: unknown, response: Response): string | undefined {
  const { error, metadata } = Object(value) as Record<string, { request_id?: unknown } | null>;
  const id = error?.request_id ?? metadata?.request_id;
  return typeof id === "string" ? id : response.headers.get("x-request-id") ?? undefined;
}

/** Returns the error of an answer that is too long. */
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

/**
 * Yields the parts of a request that no message may show: the key, and the texts of people, models
 * and tools.
 */
function* secretsOf({ headers, body }: AnsweredRequest): Iterable<string> {
  for (const [name, value] of headers) {
    if (!OPEN_HEADERS.has(name)) yield value.replace(/^Bearer /i, "");
  }
  yield* textsOf(body);
}

function* textsOf(value: unknown): Iterable<string> {
  if (typeof value === "string") {
    yield value;
    // In the form in which a message quotes the JSON.
    yield JSON.stringify(value).slice(1, -1);
  }
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (!STRUCTURE.has(name) || typeof member === "object") yield* textsOf(member);
  }
}

/**
 * Returns a printable text with an ellipsis in place of each secret, or piece of a longer one, that
 * it quotes.
 */
function redacted(text: string, secrets: Iterable<string>): string {
  const starts = piecesOf(text);
  const hidden = new Set<number>();
  const hide = (from: number, to: number) => {
    for (let at = from; at < to; at++) hidden.add(at);
  };
  for (const secretText of secrets) {
    // Printable like the text, so that it is recognised across a line break.
    const secret = printable(secretText);
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
      // Adjacent characters may belong to the secret when not every piece is compared.
      for (const at of starts.get(piece) ?? []) hide(at + 1 - step, at + PIECE + step - 1);
      starts.delete(piece);
    }
  }
  const shown = text.split("").map((char, at) =>
    !hidden.has(at) ? char : hidden.has(at - 1) ? "" : "…"
  );
  return shown.join("");
}

/** Returns the positions of each piece in a text. */
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
