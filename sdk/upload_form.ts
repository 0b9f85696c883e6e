import type { BodyInitOfCall, CallBody } from "./call_body.ts";
import { ConfigurationError, ServiceConnectionError } from "./errors.ts";

/**
 * A file whose content is read while it is sent, so that it is never in memory as a whole.
 *
 * @example
 * ```ts
 * import type { FileUpload } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const handbook: FileUpload = {
 *   name: "handbook.md",
 *   // Of a file: async () => (await Deno.open(path)).readable, or () => createReadStream(path).
 *   open: () => new Blob(["# Refunds"]).stream(),
 * };
 * assertEquals(handbook.name, "handbook.md");
 * ```
 */
export interface FileUpload {
  /** File name; its ending states how the text is read. */
  readonly name: string;
  /**
   * Returns the bytes, from the first one on. It is called for each attempt of the call, and the
   * iterator's `return` ends an attempt that needs no more bytes.
   */
  readonly open: () => ContentSource | Promise<ContentSource>;
}

/** Bytes in pieces, as web streams, Node's streams and generators have them. */
export type ContentSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

type Pieces = AsyncIterator<unknown> | Iterator<unknown>;

const encoder = new TextEncoder();
const LINE = "\r\n";

/** A form with one file, as `multipart/form-data`. */
export class UploadForm implements CallBody {
  readonly contentType: string;
  readonly #file: File | FileUpload;
  readonly #head: Uint8Array<ArrayBuffer>;
  readonly #tail: Uint8Array<ArrayBuffer>;
  #pieces: Pieces | undefined;
  #failure: ServiceConnectionError | undefined;
  #isClosed = false;

  /** Creates a form: the fields, and last the file as `file`. */
  constructor(file: File | FileUpload, fields: Readonly<Record<string, string>>) {
    const boundary = `svc-form-${crypto.randomUUID()}`;
    const begin = `--${boundary}${LINE}content-disposition: form-data; name=`;
    const texts = Object.entries(fields).map(([name, text]) =>
      `${begin}"${name}"${LINE}${LINE}${text}${LINE}`
    );
    const type = `content-type: application/octet-stream${LINE}${LINE}`;
    const head = `${begin}"file"; filename="${quoted(file.name)}"${LINE}${type}`;
    this.contentType = `multipart/form-data; boundary=${boundary}`;
    this.#file = file;
    this.#head = encoder.encode(`${texts.join("")}${head}`);
    this.#tail = encoder.encode(`${LINE}--${boundary}--${LINE}`);
  }

  get failure(): ServiceConnectionError | undefined {
    return this.#failure;
  }

  /**
   * Returns the body of an attempt.
   *
   * @throws {ConfigurationError} The file cannot be opened.
   */
  async open(): Promise<BodyInitOfCall> {
    this.#end();
    // A blob refers to the file's bytes and copies none of them.
    if (this.#file instanceof Blob) return { body: new Blob([this.#head, this.#file, this.#tail]) };
    this.#pieces = piecesOf(await opened(this.#file));
    if (this.#isClosed) this.#end();
    return { body: this.#stream(this.#pieces), duplex: "half" };
  }

  close(): void {
    this.#isClosed = true;
    this.#end();
  }

  #stream(pieces: Pieces): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream({
      start: (controller) => controller.enqueue(this.#head),
      pull: async (controller) => {
        const piece = await this.#next(pieces);
        controller.enqueue(piece ?? this.#tail);
        if (piece === undefined) controller.close();
      },
      cancel: () => this.#end(),
    });
  }

  /** Returns the next piece; `undefined` at the end of the file. */
  async #next(pieces: Pieces): Promise<Uint8Array<ArrayBuffer> | undefined> {
    let piece: Uint8Array<ArrayBuffer> | undefined;
    try {
      piece = await pieceOf(pieces);
    } catch (cause) {
      const message = "The upload broke off: the file cannot be read to its end";
      this.#failure = new ServiceConnectionError(message, { cause });
      throw this.#failure;
    }
    // The form of an attempt that was ended must not look complete.
    if (this.#pieces !== pieces) throw new DOMException("The attempt is over", "AbortError");
    return piece;
  }

  #end(): void {
    const pieces = this.#pieces;
    this.#pieces = undefined;
    // Not awaited: it waits for a read that may never end.
    void (async () => await pieces?.return?.())().catch(() => {});
  }
}

/** Returns the next piece that has bytes: an empty one would end a body that is sent in chunks. */
async function pieceOf(pieces: Pieces): Promise<Uint8Array<ArrayBuffer> | undefined> {
  for (;;) {
    const { done, value } = await pieces.next();
    if (done === true) return undefined;
    if (!(value instanceof Uint8Array)) throw new TypeError("A piece is no Uint8Array");
    if (value.byteLength > 0) return value as Uint8Array<ArrayBuffer>;
  }
}

async function opened(file: FileUpload): Promise<ContentSource> {
  try {
    return await file.open();
  } catch (cause) {
    throw new ConfigurationError("Cannot send the file: it cannot be opened", { cause });
  }
}

function piecesOf(source: ContentSource): Pieces {
  const object = Object(source);
  const pieces = object[Symbol.asyncIterator]?.() ?? object[Symbol.iterator]?.();
  if (typeof source === "object" && typeof pieces?.next === "function") return pieces;
  throw new ConfigurationError("Cannot send the file: open returned no stream of bytes");
}

/** Returns a file name as browsers write it. */
function quoted(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
