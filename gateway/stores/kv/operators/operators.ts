import type { Operator } from "../../../domain/operators/operator.ts";
import type { TrailDraft } from "../../../domain/operators/trail.ts";
import type { OperatorStore } from "../../../ports/operator_store.ts";
import type { Writer } from "../journal/writer.ts";
import { read } from "../read.ts";
import { jsonRow, keyPart, textOf } from "../rows.ts";
import type { KvTrailStore } from "./trail.ts";

const PREFIX: Deno.KvKey = ["operator"];

/** Operators in Deno KV, one row each, stored with their entries of the audit log. */
export class KvOperatorStore implements OperatorStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #trail: KvTrailStore;

  constructor(kv: Deno.Kv, { writer, trail }: { writer: Writer; trail: KvTrailStore }) {
    this.#kv = kv;
    this.#writer = writer;
    this.#trail = trail;
  }

  async all(): Promise<readonly Operator[]> {
    const rows = await read(Array.fromAsync(this.#kv.list<Uint8Array>({ prefix: PREFIX })));
    return rows.map(({ value }) => decoded(value));
  }

  async put(operator: Operator, entry: TrailDraft): Promise<boolean> {
    const key = [...PREFIX, keyPart(operator.id)];
    const placed = await this.#trail.appendWith(entry, async () => {
      const { value } = await read(this.#kv.get<Uint8Array>(key));
      const version = value === null ? 0 : decoded(value).version;
      return version === operator.version - 1 ? [jsonRow(key, operator)] : undefined;
    });
    return placed !== undefined;
  }

  /** Stores an operator without an entry. */
  async write(operator: Operator): Promise<void> {
    await this.#writer.write([jsonRow([...PREFIX, keyPart(operator.id)], operator)]);
  }
}

function decoded(value: Uint8Array): Operator {
  return JSON.parse(textOf(value)) as Operator;
}
