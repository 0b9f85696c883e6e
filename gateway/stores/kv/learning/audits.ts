import { type Micros, minMicros } from "../../../domain/ledger/money.ts";
import type { AuditCost, AuditStore } from "../../../ports/audit_store.ts";
import { eachRow } from "../each_row.ts";
import type { Writer } from "../journal/writer.ts";
import { Mutex } from "../mutex.ts";
import { read } from "../read.ts";
import { jsonRow, keyPart, textOf } from "../rows.ts";

const PREFIX: Deno.KvKey = ["routing_audit"];
/** Maximum rows of earlier days that are deleted with a reservation. */
const DELETED_MAX = 100;

/** The audits of one day, as stored. */
interface Day {
  readonly name: string;
  /** Cost or reservation, by id of the audit in its stored form. */
  readonly costs: Map<string, Micros>;
  sum: Micros;
}

/** Costs of audits in Deno KV, one row for each audit; the rows of earlier days are deleted. */
export class KvAuditStore implements AuditStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  /** Everything runs one after another, so that the sum in memory is that of the rows. */
  readonly #mutex = new Mutex();
  /** The day that was read last. */
  #day: Day | undefined;

  constructor(kv: Deno.Kv, writer: Writer) {
    this.#kv = kv;
    this.#writer = writer;
  }

  spentOn(day: string): Promise<Micros> {
    return this.#mutex.run(async () => (await this.#load(day)).sum);
  }

  reserve(
    { id, day: name, amount, budget }: AuditCost & {
      readonly amount: Micros;
      readonly budget: Micros;
    },
  ): Promise<Micros> {
    return this.#mutex.run(async () => {
      const day = await this.#load(name);
      const known = day.costs.get(keyPart(id));
      if (known !== undefined) return known;
      const reserved = minMicros(amount, budget - day.sum);
      if (reserved <= 0n) return 0n;
      await this.#set(day, id, reserved);
      await this.#deleteBefore(name);
      return reserved;
    });
  }

  settle({ id, day: name, cost }: AuditCost & { readonly cost: Micros }): Promise<void> {
    return this.#mutex.run(async () => {
      const day = await this.#load(name);
      const known = day.costs.get(keyPart(id));
      if (known !== undefined && known !== cost) await this.#set(day, id, cost);
    });
  }

  /** Yields all costs under the stored ids of their audits. */
  async *all(): AsyncGenerator<AuditCost & { readonly cost: Micros }> {
    for await (const { key, value } of eachRow<Uint8Array>(this.#kv, { prefix: PREFIX })) {
      const cost = BigInt(JSON.parse(textOf(value)) as string);
      yield { day: String(key[1]), id: String(key[2]), cost };
    }
  }

  async #set(day: Day, id: string, cost: Micros): Promise<void> {
    const part = keyPart(id);
    try {
      await this.#writer.write([jsonRow([...PREFIX, day.name, part], String(cost))]);
    } catch (error) {
      // The row may have landed all the same: it is read again.
      this.#day = undefined;
      throw error;
    }
    day.sum += cost - (day.costs.get(part) ?? 0n);
    day.costs.set(part, cost);
  }

  async #load(name: string): Promise<Day> {
    if (this.#day?.name === name) return this.#day;
    const day: Day = { name, costs: new Map(), sum: 0n };
    const rows = this.#kv.list<Uint8Array>({ prefix: [...PREFIX, name] });
    for (const { key, value } of await read(Array.fromAsync(rows))) {
      const cost = BigInt(JSON.parse(textOf(value)) as string);
      day.costs.set(String(key.at(-1)), cost);
      day.sum += cost;
    }
    return this.#day = day;
  }

  async #deleteBefore(name: string): Promise<void> {
    const range = { start: PREFIX, end: [...PREFIX, name] };
    const rows = await read(Array.fromAsync(this.#kv.list(range, { limit: DELETED_MAX })));
    if (rows.length === 0) return;
    await this.#writer.write(rows.map(({ key }) => ({ key, bytes: 0 })));
  }
}
