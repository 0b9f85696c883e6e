/**
 * Reads and drops the rest of a refused request's body before the answer is sent.
 *
 * Otherwise Deno 2.9 does that itself, a kilobyte at a time, and continues with the data that the
 * system has buffered when the client is gone: 128 kB of every such connection in each turn of the
 * event loop. Four clients that send 40 MB again and again have dozens of connections read in this
 * way, 8 ms in each turn, and an ordinary request waits for several turns. Here all of them share
 * one queue, and a client without an answer does not send another request meanwhile.
 *
 * @module
 */

import { afterMs } from "../system/deadlines.ts";
import { YieldQueue } from "../system/yield_to_event_loop.ts";

/**
 * Maximum number of bodies that are dropped at once, of 64 KiB of memory each; others are left to
 * the platform.
 */
export const DROPPED_AT_ONCE_MAX = 128;
/**
 * Maximum time that an answer waits for its request's body, in milliseconds; the rest is dropped
 * later.
 */
export const DROP_WAIT_MS = 1_000;

/** Maximum size of a read by the platform. It handles shorter bodies itself. */
const PIECE_BYTES = 64 * 1024;
/** Maximum size that is read of one body in one turn. */
const TURN_BYTES = 4 * PIECE_BYTES;

const line = new YieldQueue();
let dropping = 0;

/**
 * Drops the rest of a request's body, to its end or until the client disconnects. Resolves then, or
 * after `waitMs`; never rejects. Returns `undefined` where there is little or nothing to drop.
 *
 * Call it before the request is answered: afterwards Deno reads the rest itself.
 */
export function dropBody(
  request: Request,
  waitMs: number = DROP_WAIT_MS,
): Promise<void> | undefined {
  const { headers } = request;
  const isLong = headers.has("transfer-encoding") ||
    Number(headers.get("content-length")) > PIECE_BYTES;
  if (!isLong || dropping >= DROPPED_AT_ONCE_MAX) return undefined;
  const { body } = request;
  if (body === null || body.locked) return undefined;
  return new Promise((resolve) => {
    const callOff = afterMs(waitMs, resolve);
    void drop(body).then(() => {
      callOff();
      resolve();
    });
  });
}

async function drop(body: ReadableStream<Uint8Array>): Promise<void> {
  dropping++;
  try {
    // In Deno 2.9 a read into a buffer never ends where the body was read to its end before.
    const first = body.getReader();
    const { done: isEnded } = await first.read();
    if (isEnded) return;
    first.releaseLock();
    const reader = body.getReader({ mode: "byob" });
    // One buffer for the whole body.
    let buffer = new Uint8Array(PIECE_BYTES);
    for (let inTurn = 0;;) {
      const { done, value } = await reader.read(buffer);
      if (done) return;
      buffer = new Uint8Array(value.buffer);
      inTurn += value.length;
      if (inTurn < TURN_BYTES) continue;
      inTurn = 0;
      await line.next();
    }
  } catch {
    // The client has disconnected, and the rest with it.
  } finally {
    dropping--;
  }
}
