import { yieldToEventLoop } from "./yield_to_event_loop.ts";

/** Bytes decompressed at once: they are counted before more are produced. */
const STEP_BYTES = 64 * 1024;
/** Bytes after which the event loop gets a turn. */
const TURN_BYTES = 1024 * 1024;

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

const CODINGS = ["gzip", "x-gzip", "br", "deflate"];

/**
 * Returns the response with its body decompressed step by step, so that a reader who counts stops a
 * decompression bomb at its limit. A response without compression, or with an unknown one, is
 * returned unchanged.
 */
export function decompressBody(response: Response): Response {
  const coding = response.headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  const reader = CODINGS.includes(coding) ? response.body?.getReader() : undefined;
  if (reader === undefined) return response;
  const headers = new Headers(response.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  const { status, statusText } = response;
  const body = new ReadableStream(new Unpacking(response, reader, coding));
  return new Response(body, { status, statusText, headers });
}

/** Holds the response: the platform drops the abort signal of an unreferenced one. */
class Unpacking implements UnderlyingByteSource {
  readonly type = "bytes";
  readonly response: Response;
  readonly #reader: Reader;
  readonly #coding: string;
  #steps: AsyncGenerator<Uint8Array<ArrayBuffer>> | undefined;
  #inTurn = 0;

  constructor(response: Response, reader: Reader, coding: string) {
    this.response = response;
    this.#reader = reader;
    this.#coding = coding;
  }

  async pull(controller: ReadableByteStreamController): Promise<void> {
    this.#steps ??= unpack(this.#reader, this.#coding);
    const { done, value } = await this.#steps.next();
    if (done) {
      controller.close();
      controller.byobRequest?.respond(0);
      return;
    }
    this.#inTurn += value.length;
    if (this.#inTurn >= TURN_BYTES) {
      this.#inTurn = 0;
      await yieldToEventLoop();
    }
    controller.enqueue(value);
  }

  async cancel(reason: unknown): Promise<void> {
    // First: it ends the read that the steps may wait for.
    await this.#reader.cancel(reason);
    await this.#steps?.return(undefined);
  }
}

/** Loaded with the first compressed response: servers are asked for none. */
async function* unpack(reader: Reader, coding: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const [zlib, { pipeline, Readable }] = await Promise.all([
    import("node:zlib"),
    import("node:stream"),
  ]);
  const options = { chunkSize: STEP_BYTES };
  const unpacker = coding === "br"
    ? zlib.createBrotliDecompress(options)
    : coding === "deflate"
    ? zlib.createInflate(options)
    : zlib.createGunzip(options);
  // An error of either reaches the reader below.
  pipeline(Readable.from(pieces(reader), { objectMode: false }), unpacker, () => {});
  for await (const piece of unpacker) yield new Uint8Array(piece);
}

async function* pieces(reader: Reader): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
