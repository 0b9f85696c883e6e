import type { BlobStore, StoredBlob } from "../../../ports/blob_store.ts";
import { ExpiringValues } from "./expiring_values.ts";
import { MAX_BLOBS_BYTES } from "../limits.ts";
import type { Writer } from "../journal/writer.ts";

/** Retention of files. */
export interface BlobRetention {
  /** Maximum size of all files together, in bytes. @default {268435456} */
  readonly maxBytes?: number | undefined;
}

/** Files behind signed links, in Deno KV. */
export class KvBlobStore implements BlobStore {
  readonly #values: ExpiringValues;

  private constructor(values: ExpiringValues) {
    this.#values = values;
  }

  /** Opens the store and sums up the stored bytes. */
  static async open(
    kv: Deno.Kv,
    writer: Writer,
    options: { nowMs: () => number; retention?: BlobRetention | undefined },
  ): Promise<KvBlobStore> {
    const { nowMs, retention } = options;
    const maxBytes = retention?.maxBytes ?? MAX_BLOBS_BYTES;
    return new KvBlobStore(
      await ExpiringValues.open(kv, writer, { prefix: "blob", maxBytes, nowMs }),
    );
  }

  put({ id, bytes, mediaType, expiresAtMs }: StoredBlob): Promise<boolean> {
    const value = { content: bytes, about: mediaType, expiresAtMs, aliases: [], isNew: true };
    return this.#values.put([id], value);
  }

  async get(id: string): Promise<StoredBlob | undefined> {
    const value = await this.#values.get([id]);
    if (value === undefined) return undefined;
    const { content, about, expiresAtMs } = value;
    return { id, mediaType: about, bytes: content, expiresAtMs };
  }

  /** Yields all files that have not expired. */
  async *all(): AsyncGenerator<StoredBlob> {
    for await (const { name, content, about, expiresAtMs } of this.#values.all()) {
      yield { id: String(name[0]), mediaType: about, bytes: content, expiresAtMs };
    }
  }

  sweep(): Promise<number> {
    return this.#values.sweep();
  }

  /** Starts a sweep from time to time. */
  tick(): void {
    this.#values.tick();
  }

  /** Resolves when no sweep is in progress. */
  close(): Promise<void> {
    return this.#values.close();
  }
}
