/**
 * Reads responses of other servers within limits of size and time.
 *
 * @module
 */

import { afterMs } from "./deadlines.ts";

/**
 * Returns the body as bytes; `undefined` when it is longer, in which case the rest is not read.
 *
 * Deno drops a response whose body alone is referenced, together with its abort signal: once that
 * is collected, the read waits for ever. An async function holds its parameters to its end, so this
 * one takes the response.
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

/** Returns the body as text; `undefined` when it is longer, in which case the rest is not read. */
export async function readTextUpTo(
  response: Response,
  maxBytes: number,
): Promise<string | undefined> {
  const bytes = await readBytesUpTo(response, maxBytes);
  return bytes && new TextDecoder().decode(bytes);
}

/** Outcome of one request to a server. */
export type RequestOutcome<T> =
  | { readonly kind: "answered"; readonly response: Response; readonly read: T }
  | { readonly kind: "late" | "unreachable" }
  /** The response began and was cut. */
  | { readonly kind: "cut"; readonly response: Response };

/** Options of {@linkcode requestOnce}. */
export interface RequestOnceOptions<T> {
  /** Longest time from the request to the end of the response. */
  readonly timeoutMs: number;
  /** Aborts the request. */
  readonly signal: AbortSignal;
  /** Reads the wanted part of the response; the rest is not read. */
  read(response: Response): Promise<T>;
}

/**
 * Sends one request. Rejects with the signal's reason when aborted; failures of the other side are
 * values.
 */
export async function requestOnce<T>(
  send: (signal: AbortSignal) => Promise<Response>,
  { timeoutMs, signal, read }: RequestOnceOptions<T>,
): Promise<RequestOutcome<T>> {
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
    // Closes the rest of a response that was too long.
    stop();
  }
}
