import type { Micros } from "../../../domain/ledger/money.ts";
import type { AuditStore } from "../../../ports/audit_store.ts";
import type { Writer } from "../journal/writer.ts";
import { Mutex } from "../mutex.ts";
import { read } from "../read.ts";
import { jsonRow, keyPart, textOf } from "../rows.ts";

const PREFIX: Deno.KvKey = ["routing_audit"];

/** Costs of audits in Deno KV, one row for each audit; the rows of earlier days are deleted. */
export class KvAuditStore implements AuditStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #adding = new Mutex();
  /** The day that was asked for last, with its sum and the ids of its audits. */
  #day: { readonly name: string; sum: Micros; readonly ids: Set<string> } | undefined;

  constructor(kv: Deno.Kv, writer: Writer) {
    this.#kv = kv;
    this.#writer = writer;
  }

  async spentOn(day: string): Promise<Micros> {
    return (await this.#load(day)).sum;
  }

  add({ id, day, cost }: { id: string; day: string; cost: Micros }): Promise<void> {
    return this.#adding.run(async () => {
      const known = await this.#load(day);
      if (known.ids.has(id)) return;
      await this.#writer.write([jsonRow([...PREFIX, day, keyPart(id)], String(cost))]);
      known.ids.add(id);
      known.sum += cost;
      await this.#dropBefore(day);
    });
  }

  async #load(day: string) {
    if (this.#day?.name === day) return this.#day;
    const loaded = { name: day, sum: 0n, ids: new Set<string>() };
    const rows = this.#kv.list<Uint8Array>({ prefix: [...PREFIX, day] });
    for (const { key, value } of await read(Array.fromAsync(rows))) {
      loaded.sum += BigInt(JSON.parse(textOf(value)) as string);
      loaded.ids.add(String(key.at(-1)));
    }
    return this.#day = loaded;
  }

  async #dropBefore(day: string): Promise<void> {
    const rows = this.#kv.list({ start: PREFIX, end: [...PREFIX, day] }, { limit: 100 });
    for (const { key } of await read(Array.fromAsync(rows))) {
      await this.#writer.write([{ key, bytes: 0 }]);
    }
  }
}
