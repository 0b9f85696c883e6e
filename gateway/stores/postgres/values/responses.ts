import type { Admit, ResponseStore, StoredResponse } from "../../../ports/response_store.ts";
import { MAX_RESPONSES_BYTES, RESPONSE_AGE_MS } from "../../kv/limits.ts";
import type { Sql } from "../connection.ts";
import { type StoredValue, StoredValues } from "./stored_values.ts";

/** Retention of responses. */
export interface ResponseRetention {
  /** Maximum size of all responses together, in bytes. @default {1073741824} */
  readonly maxBytes?: number | undefined;
  /** Age at which responses are deleted, in milliseconds. @default {2592000000} */
  readonly ageMs?: number | undefined;
}

/** Stored responses in PostgreSQL, by owner and id. */
export class PostgresResponses implements ResponseStore {
  /** Retention of a response in milliseconds, added to the time to give `expiresAtMs`. */
  readonly retentionMs: number;
  readonly #values: StoredValues;

  constructor(
    sql: Sql,
    { nowMs, retention = {} }: {
      nowMs: () => number;
      retention?: ResponseRetention | undefined;
    },
  ) {
    const { maxBytes = MAX_RESPONSES_BYTES, ageMs = RESPONSE_AGE_MS } = retention;
    this.retentionMs = ageMs;
    this.#values = new StoredValues(sql, { kind: "response", maxBytes, hasOwners: true, nowMs });
  }

  put(response: StoredResponse): Promise<boolean> {
    const { ownerId, id, expiresAtMs, itemIds: aliases, resource, input, ...about } = response;
    const content = new TextEncoder().encode(JSON.stringify([resource, input]));
    const head = { ...about, ownerId, id, itemIds: aliases };
    return this.#values.put(ownerId, id, { content, expiresAtMs, about: head, aliases });
  }

  async get(ownerId: string, id: string, admit?: Admit): Promise<StoredResponse | undefined> {
    return responseOf(await this.#values.get(ownerId, id, admit));
  }

  async withItem(ownerId: string, itemId: string): Promise<StoredResponse | undefined> {
    return responseOf(await this.#values.withAlias(ownerId, itemId));
  }

  delete(ownerId: string, id: string): Promise<boolean> {
    return this.#values.delete(ownerId, id);
  }

  /** Yields all responses that have not expired, in the order of their storing. */
  async *all(): AsyncGenerator<StoredResponse> {
    for await (const value of this.#values.all()) {
      const response = responseOf(value);
      if (response !== undefined) yield response;
    }
  }

  sweep(): Promise<number> {
    return this.#values.sweep();
  }
}

function responseOf(value: StoredValue | undefined): StoredResponse | undefined {
  if (value === undefined) return undefined;
  const [resource, input] = JSON.parse(new TextDecoder().decode(value.content));
  const about = value.about as Omit<StoredResponse, "resource" | "input" | "expiresAtMs">;
  return { ...about, expiresAtMs: value.expiresAtMs, resource, input };
}
