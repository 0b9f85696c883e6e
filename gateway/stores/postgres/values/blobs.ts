import type { BlobStore, StoredBlob } from "../../../ports/blob_store.ts";
import { MAX_BLOBS_BYTES } from "../../kv/limits.ts";
import type { Sql } from "../connection.ts";
import { type StoredValue, StoredValues } from "./stored_values.ts";

/** Files of no owner. */
const OWNER = "";

/** Files behind signed links, in PostgreSQL. */
export class PostgresBlobs implements BlobStore {
  readonly #values: StoredValues;

  /** `maxBytes`: maximum size of all files together. @default maxBytes {268435456} */
  constructor(sql: Sql, options: { nowMs: () => number; maxBytes?: number | undefined }) {
    const { nowMs, maxBytes = MAX_BLOBS_BYTES } = options;
    this.#values = new StoredValues(sql, { kind: "file", maxBytes, nowMs });
  }

  put({ id, bytes, mediaType, expiresAtMs }: StoredBlob): Promise<boolean> {
    const value = { content: bytes, about: mediaType, expiresAtMs, aliases: [] };
    return this.#values.put(OWNER, id, value);
  }

  async get(id: string): Promise<StoredBlob | undefined> {
    const value = await this.#values.get(OWNER, id);
    return value && blobOf(id, value);
  }

  /** Yields all files that have not expired. */
  async *all(): AsyncGenerator<StoredBlob> {
    for await (const value of this.#values.all()) yield blobOf(value.id, value);
  }

  sweep(): Promise<number> {
    return this.#values.sweep();
  }
}

function blobOf(id: string, { content, about, expiresAtMs }: StoredValue): StoredBlob {
  return { id, mediaType: String(about), bytes: new Uint8Array(content), expiresAtMs };
}
