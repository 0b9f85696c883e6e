/**
 * Reads the form of an upload piece by piece: the bytes of its file go on as they arrive, so that a
 * file is never in memory.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { ServiceFault } from "../domain/fault.ts";
import { CallerDisconnected } from "../flows/request/caller_disconnected.ts";
import { afterMs } from "../system/deadlines.ts";
import { YieldQueue } from "../system/yield_to_event_loop.ts";

/** The fields of an upload, with what is known of its file. */
export interface UploadForm {
  readonly fields: ReadonlyMap<string, string>;
  /** Name of the file as the caller sent it; `undefined` if the form has no file. */
  readonly filename: string | undefined;
}

/** Options of {@linkcode readUpload}. */
export interface UploadOptions {
  /** Maximum size of the whole body, in bytes. */
  readonly maxBytes: number;
  /** Receives the bytes of the file, in order. */
  readonly onFile: (bytes: Uint8Array) => Promise<void>;
  /** Maximum time without any byte, in milliseconds. @default {30000} */
  readonly patienceMs?: number | undefined;
  /**
   * Maximum time of the whole upload, in milliseconds; less than the time after which uploads that
   * were never finished are deleted. @default {1800000}
   */
  readonly maxMs?: number | undefined;
}

const BOUNDARY = /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s";,]{1,70}))\s*(?:;|$)/i;
const MULTIPART = /^multipart\/form-data\s*;/i;
const MAX_HEADER_BYTES = 8 * 1024;
const MAX_FIELD_BYTES = 8 * 1024;
const MAX_PARTS = 64;
const PATIENCE_MS = 30_000;
const MAX_MS = 30 * 60 * 1_000;
/** Bytes after which other requests have their turn. */
const TURN_BYTES = 1024 * 1024;

const line = new YieldQueue();

/**
 * Reads a multipart form with one file in the field `file`.
 *
 * @throws {ServiceFault} When the form is not one, too large, or too slow.
 * @throws {CallerDisconnected} When the client closed the connection before the end.
 */
export async function readUpload(request: Request, options: UploadOptions): Promise<UploadForm> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > options.maxBytes) throw tooLarge(options.maxBytes);
  const type = request.headers.get("content-type") ?? "";
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (!MULTIPART.test(type) || boundary === undefined) {
    throw new ServiceFault("unsupported_media_type", {
      message: 'Send the file as "multipart/form-data"',
    });
  }
  const coding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (coding !== "" && coding !== "identity") {
    throw new ServiceFault("unsupported_media_type", { message: "Send the body uncompressed" });
  }
  const body = new BodyPieces(request, options);
  try {
    return await new FormReader(body, boundary, options.onFile).read();
  } finally {
    body.release();
  }
}

/** The body of a request: what has arrived and is not used yet. */
class BodyPieces {
  readonly #request: Request;
  readonly #options: UploadOptions;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #callOffEnd: () => void;
  held: Buffer = Buffer.alloc(0);
  #isLate = false;
  #bytes = 0;
  #turnEnd = TURN_BYTES;

  constructor(request: Request, options: UploadOptions) {
    this.#request = request;
    this.#options = options;
    this.#reader = request.body?.getReader();
    this.#callOffEnd = afterMs(options.maxMs ?? MAX_MS, () => this.#giveUp());
  }

  /** Reads one more piece; false at the end. */
  async more(): Promise<boolean> {
    const piece = await this.#read();
    if (piece === undefined) return false;
    this.#bytes += piece.length;
    if (this.#bytes > this.#options.maxBytes) throw tooLarge(this.#options.maxBytes);
    this.held = this.held.length === 0 ? Buffer.from(piece) : Buffer.concat([this.held, piece]);
    if (this.#bytes >= this.#turnEnd) {
      this.#turnEnd = this.#bytes + TURN_BYTES;
      await line.next();
    }
    return true;
  }

  /** Removes and returns the first bytes. */
  take(length: number): Buffer {
    const taken = this.held.subarray(0, length);
    this.held = this.held.subarray(length);
    return taken;
  }

  release(): void {
    this.#callOffEnd();
    this.#reader?.releaseLock();
  }

  async #read(): Promise<Uint8Array | undefined> {
    const { patienceMs = PATIENCE_MS } = this.#options;
    const callOff = afterMs(patienceMs, () => this.#giveUp());
    try {
      const next = await this.#reader?.read();
      if (this.#isLate) throw new ServiceFault("invalid_request", TOO_SLOW);
      return next?.value;
    } catch (error) {
      if (error instanceof ServiceFault) throw error;
      // Deno ends a body with its connection.
      const message = "The caller disconnected before the whole upload arrived";
      if (!this.#request.signal.aborted && !(error instanceof Error)) throw error;
      throw new CallerDisconnected(message, { cause: error });
    } finally {
      callOff();
    }
  }

  /** Ends the body: the read in progress, or the next one, finds that it is late. */
  #giveUp(): void {
    this.#isLate = true;
    this.#reader?.cancel().catch(() => {});
  }
}

const TOO_SLOW = {
  message: "The body did not arrive in time",
  headers: { connection: "close" },
};

/** Name of a part, and of its file. */
interface PartHead {
  readonly name: string;
  readonly filename: string | undefined;
}

class FormReader {
  readonly #body: BodyPieces;
  readonly #delimiter: Buffer;
  readonly #onFile: (bytes: Uint8Array) => Promise<void>;

  constructor(body: BodyPieces, boundary: string, onFile: UploadOptions["onFile"]) {
    this.#body = body;
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
    this.#onFile = onFile;
  }

  async read(): Promise<UploadForm> {
    const fields = new Map<string, string>();
    let filename: string | undefined;
    // The first delimiter may begin the body.
    this.#body.held = Buffer.concat([Buffer.from("\r\n"), this.#body.held]);
    await this.#until(this.#delimiter, MAX_HEADER_BYTES);
    for (let parts = 0; !await this.#isLast(); parts++) {
      if (parts >= MAX_PARTS) throw invalid(`The form has more than ${MAX_PARTS} parts`);
      const head = headOf(await this.#until(Buffer.from("\r\n\r\n"), MAX_HEADER_BYTES));
      if (head.filename === undefined) {
        if (fields.has(head.name)) {
          throw invalid(`The form has the field "${head.name}" more than once`, head.name);
        }
        const value = await this.#until(this.#delimiter, MAX_FIELD_BYTES);
        fields.set(head.name, value.toString("utf8"));
        continue;
      }
      if (head.name !== "file") {
        throw invalid(`Cannot accept "${head.name}": send the file as "file"`, head.name);
      }
      if (filename !== undefined) throw invalid("Send one file", "file");
      filename = head.filename;
      await this.#file();
    }
    await this.#rest();
    return { fields, filename };
  }

  /** Reads what follows the form, which means nothing, so that the connection can be used again. */
  async #rest(): Promise<void> {
    do {
      this.#body.take(this.#body.held.length);
    } while (await this.#body.more());
  }

  /** True when the delimiter just read was the last one. */
  async #isLast(): Promise<boolean> {
    const end = await this.#taken(2);
    if (end === "--") return true;
    if (end !== "\r\n") throw invalid(NO_FORM);
    // A part without headers has its blank line at once.
    this.#body.held = Buffer.concat([Buffer.from("\r\n"), this.#body.held]);
    return false;
  }

  async #taken(length: number): Promise<string> {
    while (this.#body.held.length < length) if (!await this.#body.more()) throw invalid(NO_FORM);
    return this.#body.take(length).toString("latin1");
  }

  /** Returns the bytes before a mark, and drops the mark. */
  async #until(mark: Buffer, maxBytes: number): Promise<Buffer> {
    for (;;) {
      const at = this.#body.held.indexOf(mark);
      const known = at >= 0 ? at : this.#body.held.length - mark.length;
      if (known > maxBytes) throw invalid(`A field of the form is longer than ${maxBytes} bytes`);
      if (at >= 0) {
        const bytes = this.#body.take(at);
        this.#body.take(mark.length);
        return bytes;
      }
      if (!await this.#body.more()) throw invalid(NO_FORM);
    }
  }

  async #file(): Promise<void> {
    for (;;) {
      const at = this.#body.held.indexOf(this.#delimiter);
      // The rest may be the beginning of the delimiter.
      const sure = at >= 0 ? at : this.#body.held.length - this.#delimiter.length + 1;
      if (sure > 0) await this.#onFile(this.#body.take(sure));
      if (at >= 0) {
        this.#body.take(this.#delimiter.length);
        return;
      }
      if (!await this.#body.more()) throw invalid(NO_FORM);
    }
  }
}

const NO_FORM = "The body is not a valid multipart form, or ends early";
const DISPOSITION = /^content-disposition:\s*form-data\s*;(.*)$/im;

function headOf(bytes: Buffer): PartHead {
  const [, parameters] = DISPOSITION.exec(bytes.toString("utf8")) ?? [];
  const name = parameterOf(parameters, "name");
  if (name === undefined) throw invalid("A part of the form has no name");
  return { name: name.slice(0, 80), filename: parameterOf(parameters, "filename") };
}

function parameterOf(parameters = "", name: "name" | "filename"): string | undefined {
  const pattern = new RegExp(`(?:^|;)\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, "i");
  const [, quoted, plain] = pattern.exec(parameters) ?? [];
  // Browsers, and the clients that follow them, write these three in place of the characters.
  const text = quoted?.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n")
    .replaceAll(/\\(["\\])/g, "$1");
  if (text !== undefined) return text;
  if (plain !== undefined) return plain;
  return name === "filename" ? extended(parameters) : undefined;
}

/** Returns the file's name of `filename*=UTF-8''…`, which clients send for other alphabets. */
function extended(parameters: string): string | undefined {
  const [, text] = /(?:^|;)\s*filename\*=utf-8''([^\s;"]+)/i.exec(parameters) ?? [];
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function tooLarge(maxBytes: number): ServiceFault {
  return new ServiceFault("body_too_large", {
    message: `The request body is larger than ${maxBytes} bytes`,
  });
}

function invalid(message: string, param?: string): ServiceFault {
  return new ServiceFault("invalid_request", { message, param });
}
