/**
 * Keeps paced streams open and measures how long each chunk was under way: one {@linkcode PacedOrder}
 * a line. Prints `open` once each stream has begun, takes a line with seconds, measures for so long,
 * prints a {@linkcode PacedDelays}, then closes every connection.
 *
 * @module
 */

import { TextLineStream } from "@std/streams";
import { type LoadRequest, percentile, requestBytes } from "../load.ts";

/** The streams to open. */
export interface PacedOrder {
  readonly request: LoadRequest;
  /** Pause between two chunks of a stream, in milliseconds. */
  readonly everyMs: number;
  readonly streams: number;
}

/** Times from the upstream's write of a chunk to its arrival here. */
export interface PacedDelays {
  readonly chunks: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Part of the streams that is being opened at once: each waits for its first chunk. */
const OPENING_PART = 0.05;
/** The upstream's time of a chunk, as the text of its delta. */
const SENT_AT = /"content":"at ([\d.]+)"/g;
const latin1 = new TextDecoder("latin1");

class PacedStreams {
  readonly #conns: Deno.TcpConn[] = [];
  readonly #ended: Promise<void>[] = [];
  #delays: number[] | undefined;
  #isClosing = false;

  async open({ request, everyMs, streams }: PacedOrder): Promise<void> {
    const bytes = requestBytes(request);
    const { hostname, port } = new URL(request.url);
    let begun = 0;
    const lines = Math.ceil(streams * OPENING_PART);
    await Promise.all(Array.from({ length: lines }, async (_, line) => {
      // Streams that began together would send all their chunks at the same moment.
      await new Promise((resolve) => setTimeout(resolve, line * everyMs / lines));
      while (begun < streams) {
        begun++;
        const conn = await Deno.connect({ hostname, port: Number(port) });
        this.#conns.push(conn);
        for (let sent = 0; sent < bytes.length;) sent += await conn.write(bytes.subarray(sent));
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        this.#ended.push(this.#follow(conn, resolve).catch(reject));
        await promise;
      }
    }));
  }

  async measure(seconds: number): Promise<PacedDelays> {
    const delays: number[] = this.#delays = [];
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    this.#delays = undefined;
    return {
      chunks: delays.length,
      p50Ms: percentile(delays, 0.5),
      p99Ms: percentile(delays, 0.99),
    };
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    for (const conn of this.#conns) conn.close();
    await Promise.all(this.#ended);
  }

  /** A chunk that is cut by a read counts with the next one's time, which is as late. */
  async #follow(conn: Deno.TcpConn, onBegun: () => void): Promise<void> {
    const buffer = new Uint8Array(16 * 1_024);
    let isBegun = false;
    try {
      for (;;) {
        const read = await conn.read(buffer);
        if (read === null) throw new Error("A paced stream has ended");
        const text = latin1.decode(buffer.subarray(0, read));
        const atMs = performance.timeOrigin + performance.now();
        for (const [, sentMs] of text.matchAll(SENT_AT)) {
          this.#delays?.push(atMs - Number(sentMs));
          if (!isBegun) onBegun();
          isBegun = true;
        }
        if (!isBegun && !text.startsWith("HTTP/1.1 200") && text.startsWith("HTTP/1.1")) {
          throw new Error(`A paced stream was refused: ${text}`);
        }
      }
    } catch (error) {
      if (!this.#isClosing) throw error;
    }
  }
}

if (import.meta.main) {
  const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream()).values();
  console.log("ready");
  for (;;) {
    const { value: order, done } = await lines.next();
    if (done) break;
    const streams = new PacedStreams();
    await streams.open(JSON.parse(order) as PacedOrder);
    console.log("open");
    const { value: seconds } = await lines.next();
    console.log(JSON.stringify(await streams.measure(Number(seconds))));
    await streams.close();
    console.log("closed");
  }
}
