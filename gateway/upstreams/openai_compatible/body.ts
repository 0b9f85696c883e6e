import { isJsonObject } from "@svc/sdk/protocol";
import { exceededLimit } from "../../wire/json/text.ts";
import { type Broken, type ByteSink, PlainAnswer } from "../../system/plain_answer.ts";
import type { Exchange } from "./exchange.ts";

/** Maximum length of a JSON answer, in bytes; it contains images as base64. */
export const MAX_JSON_BYTES = 64 * 1024 * 1024;
/** Maximum length of an error answer, in bytes. */
export const MAX_ERROR_BYTES = 64 * 1024;

// Up to this length, one read of the whole body is cheaper than reading it piece by piece, and no
// less safe.
const ONE_READ_BYTES = 64 * 1024;
/** Maximum depth of a JSON text. Parsing deeper ones would block the event loop. */
export const MAX_DEPTH = 256;

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a body as text; `undefined` where it is longer than `maxBytes` or no UTF-8. Rejects where
 * the connection breaks or the exchange is stopped.
 */
export function readText(
  response: Response | PlainAnswer,
  exchange: Exchange,
  options: { maxBytes: number },
): Promise<string | undefined> {
  if (response instanceof PlainAnswer) return readAnswer(response, exchange, options).then(decode);
  const announced = response.headers.get("content-length");
  const length = announced === null ? NaN : Number(announced);
  return length <= Math.min(ONE_READ_BYTES, options.maxBytes) &&
      !response.headers.has("content-encoding")
    ? response.bytes().then(decode)
    : readPieces(response, exchange, options).then(decode);
}

/** Parses an object from an upstream's text; `undefined` where it is none. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

/** Parses an upstream's text; `undefined` where it is no JSON, or nested too deeply. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True when a text is nested deeper than {@linkcode MAX_DEPTH}. */
export function isTooDeep(text: string): boolean {
  return exceededLimit(text, { maxDepth: MAX_DEPTH }) !== undefined;
}

async function readPieces(
  response: Response,
  exchange: Exchange,
  options: { maxBytes: number },
): Promise<Uint8Array | undefined> {
  if (response.body === null) return new Uint8Array();
  if (Number(response.headers.get("content-length")) > options.maxBytes) {
    await response.body.cancel();
    return undefined;
  }
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of response.body) {
    exchange.expect();
    pieces.push(piece);
    total += piece.length;
    // Leaving the loop cancels the body.
    if (total > options.maxBytes) return undefined;
  }
  return joined(pieces, total);
}

function readAnswer(
  answer: PlainAnswer,
  exchange: Exchange,
  { maxBytes }: { maxBytes: number },
): Promise<Uint8Array | undefined> {
  if (Number(answer.headers.get("content-length")) > maxBytes) {
    answer.cancel();
    return Promise.resolve(undefined);
  }
  return new Promise((resolve, reject) => {
    answer.to(new Pieces({ answer, exchange, maxBytes, resolve, reject })).resume();
  });
}

/** Collects a body up to a limit. */
class Pieces implements ByteSink {
  readonly #to: PiecesOptions;
  readonly #pieces: Uint8Array[] = [];
  #total = 0;

  constructor(options: PiecesOptions) {
    this.#to = options;
  }

  bytes(bytes: Uint8Array): void {
    const { answer, exchange, maxBytes, resolve } = this.#to;
    exchange.expect();
    this.#total += bytes.length;
    if (this.#total <= maxBytes) return void this.#pieces.push(bytes);
    resolve(undefined);
    answer.cancel();
  }

  ended(broken?: Broken): void {
    const { resolve, reject } = this.#to;
    if (broken !== undefined) return reject(broken.error);
    const [first] = this.#pieces;
    const isWhole = first !== undefined && this.#pieces.length === 1;
    resolve(isWhole ? first : joined(this.#pieces, this.#total));
  }
}

interface PiecesOptions {
  readonly answer: PlainAnswer;
  readonly exchange: Exchange;
  readonly maxBytes: number;
  readonly resolve: (bytes: Uint8Array | undefined) => void;
  readonly reject: (error: unknown) => void;
}

function joined(pieces: readonly Uint8Array[], total: number): Uint8Array {
  const whole = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function decode(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes === undefined ? undefined : decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
