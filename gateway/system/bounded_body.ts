/**
 * Answers of other servers, read within limits of size and time.
 *
 * @module
 */

import { afterMs } from "./deadlines.ts";

/**
 * The body as bytes; `undefined` where it is longer: what is left of it is not read.
 *
 * Deno lets go of a response whose body alone is read, and of the signal that ends it: once that is
 * collected, the read waits for ever. An async function holds its parameters to its end, so this one
 * takes the response.
 */
export async function readBytesUpTo(
  response: Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { body, headers } = response;
  if (Number(headers.get("content-length") ?? 0) > maxBytes) {
    await body?.cancel();
    return undefined;
  }
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    // Leaving the loop cancels the body.
    if (length > maxBytes) return undefined;
    pieces.push(piece);
  }
  return await new Blob(pieces).bytes();
}

/** The body as text; `undefined` where it is longer: what is left of it is not read. */
export async function readTextUpTo(
  response: Response,
  maxBytes: number,
): Promise<string | undefined> {
  const bytes = await readBytesUpTo(response, maxBytes);
  return bytes && new TextDecoder().decode(bytes);
}

/** What came of asking a server once. */
export type Asked<T> =
  | { readonly kind: "answered"; readonly response: Response; readonly read: T }
  | { readonly kind: "late" | "unreachable" }
  /** The answer began, and broke off. */
  | { readonly kind: "cut"; readonly response: Response };

/** How long to ask, and what for. */
export interface AskOptions<T> {
  /** From the beginning to the end of the answer. */
  readonly timeoutMs: number;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Reads what is wanted of the answer; what is left then is not read. */
  read(response: Response): Promise<T>;
}

/**
 * Asks a server once. Rejects with the signal's reason where that is aborted; what the other side
 * does is a value.
 */
export async function askOnce<T>(
  send: (signal: AbortSignal) => Promise<Response>,
  { timeoutMs, signal, read }: AskOptions<T>,
): Promise<Asked<T>> {
  const exchange = new AbortController();
  const stop = () => exchange.abort();
  let isLate = false;
  const callOff = afterMs(timeoutMs, () => {
    isLate = true;
    stop();
  });
  signal.addEventListener("abort", stop);
  let response: Response | undefined;
  try {
    response = await send(exchange.signal);
    return { kind: "answered", response, read: await read(response) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error)) throw error;
    if (isLate) return { kind: "late" };
    return response === undefined ? { kind: "unreachable" } : { kind: "cut", response };
  } finally {
    callOff();
    signal.removeEventListener("abort", stop);
    // Closes what is left of an answer that was too long.
    stop();
  }
}
