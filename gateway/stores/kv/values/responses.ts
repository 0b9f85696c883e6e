import { invariant } from "../../../domain/invariant.ts";
import type { Admit, ResponseStore, StoredResponse } from "../../../ports/response_store.ts";
import { type ExpiringValue, ExpiringValues } from "./expiring_values.ts";
import { MAX_RESPONSES_BYTES, RESPONSE_AGE_MS } from "../limits.ts";
import { bytesOf, textOf } from "../rows.ts";
import type { Writer } from "../journal/writer.ts";

/** Retention of stored responses. */
export interface ResponseRetention {
  /**
   * Maximum size of all responses together, in bytes; one owner may use as much as is still free,
   * so alone half of it. @default {1073741824}
   */
  readonly maxBytes?: number | undefined;
  /** Age at which responses are deleted, in milliseconds. @default {2592000000} */
  readonly ageMs?: number | undefined;
}

/** Header before the resource and the items. */
interface Head {
  readonly id: string;
  readonly ownerId: string;
  readonly previousId?: string | undefined;
  readonly upstreamId?: string | undefined;
  /** Search memory, under its stored name. */
  readonly ["found"]?: Readonly<Record<string, string>> | undefined;
}

/**
 * The record separator of RFC 7464: never part of JSON text, where control characters are escaped.
 */
const SEPARATOR = "\x1e";

/**
 * Stored responses in Deno KV, by owner and id. An upstream may use an id twice: the later response
 * then replaces the earlier one completely, in one commit.
 */
export class KvResponseStore implements ResponseStore {
  /** Retention of a response in milliseconds, added to the time to give `expiresAtMs`. */
  readonly retentionMs: number;
  readonly #values: ExpiringValues;

  private constructor(values: ExpiringValues, retentionMs: number) {
    this.#values = values;
    this.retentionMs = retentionMs;
  }

  /** Opens the store and sums up the stored bytes. */
  static async open(
    kv: Deno.Kv,
    writer: Writer,
    options: { nowMs: () => number; retention?: ResponseRetention | undefined },
  ): Promise<KvResponseStore> {
    const { nowMs, retention } = options;
    const maxBytes = retention?.maxBytes ?? MAX_RESPONSES_BYTES;
    const values = await ExpiringValues.open(kv, writer, {
      prefix: "response",
      maxBytes,
      hasOwners: true,
      nowMs,
    });
    return new KvResponseStore(values, retention?.ageMs ?? RESPONSE_AGE_MS);
  }

  put(response: StoredResponse): Promise<boolean> {
    const { ownerId, id, expiresAtMs, itemIds, upstreamId } = response;
    return this.#values.put([ownerId, id], {
      content: encodeResponse(response),
      expiresAtMs,
      about: "",
      aliases: itemIds,
      // The gateway's own ids are unique and need no lookup.
      isNew: upstreamId === undefined,
    });
  }

  async get(ownerId: string, id: string, admit?: Admit): Promise<StoredResponse | undefined> {
    return decodeResponse(await this.#values.get([ownerId, id], admit));
  }

  async withItem(ownerId: string, itemId: string): Promise<StoredResponse | undefined> {
    return decodeResponse(await this.#values.withAlias([ownerId], itemId));
  }

  delete(ownerId: string, id: string): Promise<boolean> {
    return this.#values.delete([ownerId, id]);
  }

  /** Yields all responses that have not expired, in the order of their expiry. */
  async *all(): AsyncGenerator<StoredResponse> {
    for await (const value of this.#values.all()) {
      const response = decodeResponse(value);
      if (response !== undefined) yield response;
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

function encodeResponse(response: StoredResponse): Uint8Array {
  const { id, ownerId, previousId, upstreamId, found: searchMemory, resource, input } = response;
  const head: Head = { id, ownerId, previousId, upstreamId, found: searchMemory };
  const parts = [JSON.stringify(head), resource, ...input];
  for (const part of parts) {
    invariant(!part.includes(SEPARATOR), `Cannot store response "${id}": its parts are no JSON`);
  }
  return bytesOf(parts.join(SEPARATOR));
}

function decodeResponse(value: ExpiringValue | undefined): StoredResponse | undefined {
  if (value === undefined) return undefined;
  const { expiresAtMs, aliases: itemIds } = value;
  const [head = "", resource = "", ...input] = textOf(value.content).split(SEPARATOR);
  return { ...JSON.parse(head) as Head, expiresAtMs, resource, input, itemIds };
}
