/**
 * Reads request bodies with limits on their size and their time.
 *
 * @module
 */

import { ServiceFault } from "../domain/fault.ts";
import { CallerDisconnected } from "../flows/request/caller_disconnected.ts";
import type { BodyHold } from "../ports/body_hold.ts";
import type { HeaderLookUp } from "./request_headers.ts";
import { afterMs } from "../system/deadlines.ts";
import { TURN_CHARS, YieldQueue, yieldToEventLoop } from "../system/yield_to_event_loop.ts";

/** Time for a body to arrive, in milliseconds, besides the time that its size allows. */
export const BODY_PATIENCE_MS = 30_000;
/** Minimum rate once that time is over, in bytes per millisecond. */
const SLOWEST_RATE = 64;
// Up to this size one read for the whole body is cheaper and as safe as reading in pieces.
const ONE_READ_BYTES = 64 * 1024;
/** Maximum size of a body that is read beside others; longer ones are read one at a time. */
const LONG_BYTES = 1024 * 1024;

const line = new YieldQueue();

/** Limits of reading a body. */
export interface ReadOptions {
  readonly maxBytes: number;
  /** Counts the bytes before they are read. @default {not counted} */
  readonly hold?: BodyHold | undefined;
  /** @default {those of the request} */
  readonly headers?: HeaderLookUp | undefined;
  /** Time for the body to arrive, in milliseconds. @default {BODY_PATIENCE_MS} */
  readonly patienceMs?: number | undefined;
}

/**
 * Reads a body of at most `maxBytes`. A longer one is refused, before any byte is read where its
 * length says so. Each 64 bytes that have arrived add a millisecond to `patienceMs`.
 *
 * @throws {ServiceFault} When the body is compressed, too long, too slow or unreadable.
 * @throws {CallerDisconnected} When the client closed the connection before the end.
 */
export async function readBytes(
  request: Request,
  { maxBytes, hold, headers = request.headers, patienceMs = BODY_PATIENCE_MS }: ReadOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (coding !== "" && coding !== "identity") {
    const fault = { message: "Send the body uncompressed" };
    throw new ServiceFault("unsupported_media_type", fault);
  }
  const header = headers.get("content-length");
  const declared = header === null ? undefined : Number(header);
  if (declared === undefined) return await readPieces(request, { maxBytes, patienceMs, hold });
  if (declared > maxBytes) throw tooLarge(maxBytes);
  const reserved = hold?.take(declared);
  if (reserved !== undefined) await reserved;
  return declared <= ONE_READ_BYTES
    ? await readWhole(request, patienceMs)
    : await readPieces(request, { maxBytes, patienceMs });
}

function readWhole(request: Request, patienceMs: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    // The read itself cannot be cancelled; it ends with the connection, and its result is dropped.
    const callOff = afterMs(patienceMs, () => reject(tooSlow()));
    request.bytes().then(resolve, (error) => reject(readFailure(request, error))).then(callOff);
  });
}

async function readPieces(
  request: Request,
  { maxBytes, patienceMs, hold }: ReadOptions & { readonly patienceMs: number },
): Promise<Uint8Array<ArrayBuffer>> {
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  let turnEnd = LONG_BYTES;
  let late = false;
  const startMs = performance.now();
  const expect = () =>
    afterMs(startMs + patienceMs + length / SLOWEST_RATE - performance.now(), () => {
      late = true;
      // Ends the pending read. If the connection is closed already, the read reports that itself.
      reader.cancel().catch(() => {});
    });
  try {
    for (;;) {
      const callOff = expect();
      const { done, value } = await reader.read().finally(callOff);
      if (late) throw tooSlow();
      if (done) break;
      length += value.byteLength;
      // The rest is not cancelled: the answer drops it.
      if (length > maxBytes) throw tooLarge(maxBytes);
      const reserved = hold?.take(value.byteLength);
      if (reserved !== undefined) await reserved;
      pieces.push(value);
      if (length < turnEnd) continue;
      turnEnd = length + TURN_CHARS;
      await line.next();
    }
  } catch (error) {
    throw readFailure(request, error);
  } finally {
    reader.releaseLock();
  }
  return await joined(pieces, length);
}

async function joined(
  pieces: readonly Uint8Array[],
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(length);
  let at = 0;
  let turnEnd = LONG_BYTES;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
    if (at < turnEnd) continue;
    turnEnd = at + LONG_BYTES;
    await yieldToEventLoop();
  }
  return whole;
}

/** Deno closes a request's body with its connection, and reports this by this error alone. */
function readFailure(request: Request, error: unknown): Error {
  if (error instanceof ServiceFault || error instanceof CallerDisconnected) return error;
  const isDisconnected = request.signal.aborted || error instanceof Deno.errors.BadResource ||
    error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.Interrupted;
  if (isDisconnected) {
    return new CallerDisconnected("The caller disconnected before the whole body arrived", {
      cause: error,
    });
  }
  return new ServiceFault("invalid_request", {
    message: "The body could not be read; send it again",
    headers: { connection: "close" },
    cause: error,
  });
}

function tooSlow(): ServiceFault {
  return new ServiceFault("invalid_request", {
    message: "The body did not arrive in time",
    headers: { connection: "close" },
  });
}

function tooLarge(maxBytes: number): ServiceFault {
  return new ServiceFault("body_too_large", {
    message: `The request body is larger than ${maxBytes} bytes`,
  });
}
