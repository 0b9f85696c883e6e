/**
 * What is left of a refused request's body, read and dropped before the answer goes out.
 *
 * Left alone, Deno 2.9 does that itself, a kilobyte at a time, and goes on with what the system has
 * taken in when the client is gone: 128 kB of every such connection in each turn of the event loop.
 * Four clients that send 40 MB again and again have dozens of connections read so, 8 ms in each turn,
 * and an ordinary request waits for several turns. Here all of them share one line, and who has not
 * had an answer does not come again meanwhile.
 *
 * @module
 */

import { afterMs } from "../system/deadlines.ts";
import { YieldQueue } from "../system/yield_to_event_loop.ts";

/** Most bodies that are dropped at once, of 64 KiB of memory each; others are left to the platform. */
export const DROPPED_AT_ONCE_MAX = 128;
/** Longest that an answer waits for its request's body, in milliseconds; the rest is dropped later. */
export const DROP_WAIT_MS = 1_000;

/** What the platform reads at once, at most. Shorter bodies are its own affair. */
const PIECE_BYTES = 64 * 1024;
/** What is read of one body in one turn. */
const TURN_BYTES = 4 * PIECE_BYTES;

const line = new YieldQueue();
let dropping = 0;

/**
 * Drops what is left of a request's body, to its end or until the client leaves. Resolves then, or
 * after {@linkcode DROP_WAIT_MS}; never rejects. `undefined` where there is little or nothing to drop.
 *
 * To be called before the request is answered: what Deno has not been asked for by then, it reads
 * itself.
 */
export function dropBody(request: Request): Promise<void> | undefined {
  const { headers } = request;
  const isLong = headers.has("transfer-encoding") ||
    Number(headers.get("content-length")) > PIECE_BYTES;
  if (!isLong || dropping >= DROPPED_AT_ONCE_MAX) return undefined;
  const { body } = request;
  if (body === null || body.locked) return undefined;
  return new Promise((resolve) => {
    const callOff = afterMs(DROP_WAIT_MS, resolve);
    void drop(body).then(() => {
      callOff();
      resolve();
    });
  });
}

async function drop(body: ReadableStream<Uint8Array>): Promise<void> {
  dropping++;
  try {
    const reader = body.getReader({ mode: "byob" });
    // One piece of memory for all of it.
    let room = new Uint8Array(PIECE_BYTES);
    for (let inTurn = 0;;) {
      const { done, value } = await reader.read(room);
      if (done) return;
      room = new Uint8Array(value.buffer);
      inTurn += value.length;
      if (inTurn < TURN_BYTES) continue;
      inTurn = 0;
      await line.next();
    }
  } catch {
    // The client has left; so has what it sent.
  } finally {
    dropping--;
  }
}
