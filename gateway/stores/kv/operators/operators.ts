import type { Operator } from "../../../domain/operators/operator.ts";
import type { TrailDraft } from "../../../domain/operators/trail.ts";
import type { OperatorStore } from "../../../ports/operator_store.ts";
import type { Writer } from "../journal/writer.ts";
import { Mutex } from "../mutex.ts";
import { read } from "../read.ts";
import { jsonRow, keyPart, textOf } from "../rows.ts";

const PREFIX: Deno.KvKey = ["operator"];

/** Operators in Deno KV, one row each, stored with their entries of the audit log. */
export class KvOperatorStore implements OperatorStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #changing = new Mutex();

  constructor(kv: Deno.Kv, writer: Writer) {
    this.#kv = kv;
    this.#writer = writer;
  }

  async all(): Promise<readonly Operator[]> {
    const rows = await read(Array.fromAsync(this.#kv.list<Uint8Array>({ prefix: PREFIX })));
    return rows.map(({ value }) => decoded(value));
  }

  put(operator: Operator, entry: TrailDraft): Promise<boolean> {
    const key = [...PREFIX, keyPart(operator.id)];
    return this.#changing.run(async () => {
      const { value } = await read(this.#kv.get<Uint8Array>(key));
      const version = value === null ? 0 : decoded(value).version;
      if (version !== operator.version - 1) return false;
      await this.#writer.write([jsonRow(key, operator)], entry);
      return true;
    });
  }

  /** Stores an operator without an entry. */
  async write(operator: Operator): Promise<void> {
    await this.#writer.write([jsonRow([...PREFIX, keyPart(operator.id)], operator)]);
  }
}

function decoded(value: Uint8Array): Operator {
  return JSON.parse(textOf(value)) as Operator;
}
