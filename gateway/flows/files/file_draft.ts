import { ServiceFault } from "../../domain/fault.ts";
import type { FileQuota } from "../../domain/policy/file_quota.ts";
import { type CallerFile, type CallerFileStore, PART_BYTES } from "../../ports/file_store.ts";

/** The part of a file that its caller says. */
export type FileDescription = Pick<CallerFile, "filename" | "mediaType" | "purpose"> & {
  /** Seconds after its creation. @default {never} */
  readonly expiresAfterSeconds?: number | undefined;
};

/** The beginning of an upload. */
export interface DraftOptions {
  readonly upload: Pick<CallerFile, "id" | "ownerId" | "createdAtMs">;
  readonly quota: FileQuota;
  /** Bytes of the wallet's files so far. */
  readonly used: number;
  readonly maxBytes: number;
  /** Called once when the upload is over. */
  readonly ended: () => void;
}

/** A file that is being uploaded: at most two parts of it are in memory. */
export class FileDraft {
  readonly #store: CallerFileStore;
  readonly #options: DraftOptions;
  #part = new Uint8Array(PART_BYTES);
  #filled = 0;
  #parts = 0;
  #bytes = 0;
  #isOver = false;

  constructor(store: CallerFileStore, options: DraftOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Appends bytes. Throws a {@linkcode ServiceFault} if the file becomes too large. */
  async write(bytes: Uint8Array): Promise<void> {
    const { maxBytes, quota, used } = this.#options;
    this.#bytes += bytes.length;
    if (this.#bytes > maxBytes) {
      throw new ServiceFault("body_too_large", {
        message: `The file is larger than ${maxBytes} bytes`,
        param: "file",
      });
    }
    if (used + this.#bytes > quota.bytes) throw noRoom(quota.bytes);
    for (let from = 0; from < bytes.length;) {
      const some = bytes.subarray(from, from + PART_BYTES - this.#filled);
      this.#part.set(some, this.#filled);
      this.#filled += some.length;
      from += some.length;
      if (this.#filled === PART_BYTES) await this.#flush();
    }
  }

  /** Stores the file. Throws a {@linkcode ServiceFault} if there is no room for it. */
  async finish(description: FileDescription): Promise<CallerFile> {
    const { quota, upload } = this.#options;
    await this.#flush();
    if (this.#parts === 0) await this.#store.begin(upload.id, upload.createdAtMs);
    const { expiresAfterSeconds, ...described } = description;
    const file: CallerFile = {
      ...upload,
      ...described,
      bytes: this.#bytes,
      ...(expiresAfterSeconds === undefined
        ? {}
        : { expiresAtMs: upload.createdAtMs + expiresAfterSeconds * 1_000 }),
    };
    const room = { maxBytes: quota.bytes, maxFiles: quota.files };
    const finished = await this.#store.finish(file, room);
    if (finished === "too_many") {
      throw new ServiceFault("policy_denied", {
        message:
          `The wallet has as many files as the key's policy allows, ${quota.files}; delete some`,
      });
    }
    if (finished === "too_large") throw noRoom(quota.bytes);
    if (finished === "full") {
      throw new ServiceFault("store_unavailable", {
        message: "The room for all files of the service is used up",
      });
    }
    if (finished === "gone") {
      throw new ServiceFault("invalid_request", {
        message: "The upload took too long and was dropped; send the file again",
      });
    }
    this.#end();
    return file;
  }

  /** Drops what was written; does nothing once the file is stored. */
  async discard(): Promise<void> {
    if (this.#isOver) return;
    this.#end();
    if (this.#parts > 0) await this.#store.discard(this.#options.upload.id);
  }

  async #flush(): Promise<void> {
    if (this.#filled === 0) return;
    const { id, createdAtMs } = this.#options.upload;
    if (this.#parts === 0) await this.#store.begin(id, createdAtMs);
    await this.#store.writePart(id, this.#parts++, this.#part.slice(0, this.#filled));
    this.#filled = 0;
  }

  #end(): void {
    this.#isOver = true;
    this.#options.ended();
  }
}

function noRoom(maxBytes: number): ServiceFault {
  return new ServiceFault("policy_denied", {
    message:
      `The wallet's files would have more than the ${maxBytes} bytes that the key's policy ` +
      "allows; delete some",
  });
}
