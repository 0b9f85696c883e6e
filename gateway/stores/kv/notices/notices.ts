import type { Delivery } from "../../../domain/notices/delivery.ts";
import {
  conditionKey,
  type Incident,
  type Sight,
  withSight,
} from "../../../domain/notices/incident.ts";
import { type NoticeTarget, TARGETS_MAX } from "../../../domain/notices/target.ts";
import type { Noted } from "../../../domain/operators/trail.ts";
import type {
  DeliveryQuery,
  NoticePage,
  NoticePageQuery,
  NoticeStore,
} from "../../../ports/notice_store.ts";
import { eachRow } from "../each_row.ts";
import type { Writer } from "../journal/writer.ts";
import { Mutex } from "../mutex.ts";
import { read } from "../read.ts";
import { jsonRow, keyPart, type Row, textOf } from "../rows.ts";

const TARGET: Deno.KvKey = ["notice_target"];
const INCIDENT: Deno.KvKey = ["notice_incident"];
const DELIVERY: Deno.KvKey = ["notice_delivery"];
/** Incidents that are deleted with their deliveries in one commit. */
const SWEEP_BATCH = 20;

/** The rows that have work left, as they are in the store. */
interface Loaded {
  readonly targets: Map<string, NoticeTarget>;
  /** Incidents that have not ended, by the name of their condition. */
  readonly open: Map<string, Incident>;
  readonly pending: Map<string, Delivery>;
}

/**
 * Notifications in Deno KV. The store has one process, which keeps in memory what is not over yet; it
 * is read once, when it is first needed.
 */
export class KvNoticeStore implements NoticeStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  /** Everything that changes runs one after another. */
  readonly #mutex = new Mutex();
  #loaded: Promise<Loaded> | undefined;

  constructor(kv: Deno.Kv, writer: Writer) {
    this.#kv = kv;
    this.#writer = writer;
  }

  async targets(): Promise<readonly NoticeTarget[]> {
    const { targets } = await this.#load();
    return [...targets.values()].sort((one, other) => one.id < other.id ? -1 : 1);
  }

  putTarget(target: NoticeTarget, { entry }: Noted<NoticeTarget> = {}): Promise<boolean> {
    return this.#changing(async ({ targets }) => {
      if (!targets.has(target.id) && targets.size >= TARGETS_MAX) return false;
      const draft = entry?.({ before: targets.get(target.id), after: target });
      await this.#writer.write([jsonRow([...TARGET, keyPart(target.id)], target)], draft);
      targets.set(target.id, target);
      return true;
    });
  }

  removeTarget(id: string, { entry }: Noted<NoticeTarget> = {}): Promise<boolean> {
    return this.#changing(async ({ targets, pending }) => {
      const before = targets.get(id);
      if (before === undefined) return false;
      // First the target: deliveries that a crash leaves have no target, and are swept one day.
      await this.#writer.write([{ key: [...TARGET, keyPart(id)], bytes: 0 }], entry?.({ before }));
      targets.delete(id);
      for await (const { key, value } of eachRow<Uint8Array>(this.#kv, { prefix: DELIVERY })) {
        const delivery = parsed<Delivery>(value);
        if (delivery.target !== id) continue;
        await this.#writer.write([{ key, bytes: 0 }]);
        pending.delete(delivery.id);
      }
      return true;
    });
  }

  begin(incident: Incident, deliveries: readonly Delivery[]): Promise<boolean> {
    return this.#changing(async ({ open, pending }) => {
      const name = conditionKey(incident);
      if (open.has(name)) return false;
      await this.#writer.write([incidentRow(incident), ...deliveries.map(deliveryRow)]);
      open.set(name, incident);
      for (const delivery of deliveries) pending.set(delivery.id, delivery);
      return true;
    });
  }

  end(incident: Incident, deliveries: readonly Delivery[]): Promise<boolean> {
    return this.#changing(async ({ open, pending }) => {
      const name = conditionKey(incident);
      if (open.get(name)?.id !== incident.id) return false;
      await this.#writer.write([incidentRow(incident), ...deliveries.map(deliveryRow)]);
      open.delete(name);
      for (const delivery of deliveries) pending.set(delivery.id, delivery);
      return true;
    });
  }

  see(id: string, sight: Sight): Promise<void> {
    return this.#changing(async ({ open }) => {
      for (const [name, incident] of open) {
        if (incident.id !== id) continue;
        const seen = withSight(incident, sight);
        await this.#writer.write([incidentRow(seen)]);
        open.set(name, seen);
      }
    });
  }

  async open(): Promise<readonly Incident[]> {
    const { open } = await this.#load();
    return [...open.values()].sort((one, other) => one.id < other.id ? -1 : 1);
  }

  async due(
    { target, nowMs, limit }: { target: string; nowMs: number; limit: number },
  ): Promise<readonly Delivery[]> {
    const { pending } = await this.#load();
    return [...pending.values()]
      .filter((delivery) => delivery.target === target && delivery.nextAtMs <= nowMs)
      .sort((one, other) => one.nextAtMs - other.nextAtMs || (one.id < other.id ? -1 : 1))
      .slice(0, limit);
  }

  async delivery(id: string): Promise<Delivery | undefined> {
    const { value } = await read(this.#kv.get<Uint8Array>([...DELIVERY, keyPart(id)]));
    return value === null ? undefined : parsed<Delivery>(value);
  }

  record(delivery: Delivery): Promise<void> {
    return this.#changing(async ({ targets, pending }) => {
      if (!targets.has(delivery.target)) return;
      await this.#writer.write([deliveryRow(delivery)]);
      if (delivery.state === "pending") pending.set(delivery.id, delivery);
      else pending.delete(delivery.id);
    });
  }

  revive(delivery: Delivery, { entry }: Noted<Delivery> = {}): Promise<boolean> {
    return this.#changing(async ({ targets, pending }) => {
      const before = await this.delivery(delivery.id);
      if (before?.state !== "dead" || !targets.has(delivery.target)) return false;
      await this.#writer.write([deliveryRow(delivery)], entry?.({ before, after: delivery }));
      if (delivery.state === "pending") pending.set(delivery.id, delivery);
      return true;
    });
  }

  incidents(query: NoticePageQuery): Promise<NoticePage<Incident>> {
    return this.#page<Incident>(INCIDENT, query, () => true);
  }

  deliveries({ state, ...query }: DeliveryQuery): Promise<NoticePage<Delivery>> {
    return this.#page<Delivery>(
      DELIVERY,
      query,
      (delivery) => state === undefined || delivery.state === state,
    );
  }

  sweep(beforeMs: number): Promise<number> {
    return this.#changing(async () => {
      const old: Incident[] = [];
      for await (const { value } of eachRow<Uint8Array>(this.#kv, { prefix: INCIDENT })) {
        const incident = parsed<Incident>(value);
        if (incident.endedAtMs !== undefined && incident.endedAtMs < beforeMs) old.push(incident);
      }
      let swept = 0;
      for (let at = 0; at < old.length; at += SWEEP_BATCH) {
        swept += await this.#delete(old.slice(at, at + SWEEP_BATCH));
      }
      return swept;
    });
  }

  /** The store has one process, which is the sender. */
  lead(): Promise<boolean> {
    return Promise.resolve(true);
  }

  #changing<T>(change: (loaded: Loaded) => Promise<T>): Promise<T> {
    return this.#mutex.run(async () => {
      try {
        return await change(await this.#load());
      } catch (error) {
        // The rows may have landed all the same: they are read again.
        this.#loaded = undefined;
        throw error;
      }
    });
  }

  #load(): Promise<Loaded> {
    if (this.#loaded !== undefined) return this.#loaded;
    const loading = this.#readAll();
    this.#loaded = loading;
    loading.catch(() => {
      if (this.#loaded === loading) this.#loaded = undefined;
    });
    return loading;
  }

  async #readAll(): Promise<Loaded> {
    const loaded: Loaded = { targets: new Map(), open: new Map(), pending: new Map() };
    for await (const { value } of eachRow<Uint8Array>(this.#kv, { prefix: TARGET })) {
      const target = parsed<NoticeTarget>(value);
      loaded.targets.set(target.id, target);
    }
    for await (const { value } of eachRow<Uint8Array>(this.#kv, { prefix: INCIDENT })) {
      const incident = parsed<Incident>(value);
      if (incident.endedAtMs === undefined) loaded.open.set(conditionKey(incident), incident);
    }
    for await (const { value } of eachRow<Uint8Array>(this.#kv, { prefix: DELIVERY })) {
      const delivery = parsed<Delivery>(value);
      if (delivery.state === "pending") loaded.pending.set(delivery.id, delivery);
    }
    return loaded;
  }

  async #page<Value extends { readonly id: string }>(
    prefix: Deno.KvKey,
    { limit, cursor }: NoticePageQuery,
    accepts: (value: Value) => boolean,
  ): Promise<NoticePage<Value>> {
    const end = cursor === undefined ? {} : { end: [...prefix, keyPart(cursor)] };
    const rows: Value[] = [];
    const all = eachRow<Uint8Array>(this.#kv, { prefix, ...end }, { reverse: true });
    for await (const { value } of all) {
      const row = parsed<Value>(value);
      if (!accepts(row)) continue;
      if (rows.length === limit) return { rows, cursor: rows.at(-1)?.id };
      rows.push(row);
    }
    return { rows };
  }

  /** Deletes incidents none of whose deliveries is pending. */
  async #delete(incidents: readonly Incident[]): Promise<number> {
    const rows: Row[] = [];
    let deleted = 0;
    for (const { id } of incidents) {
      const prefix = { start: [...DELIVERY, `${id}_`], end: [...DELIVERY, `${id}\``] };
      const deliveries = await read(Array.fromAsync(this.#kv.list<Uint8Array>(prefix)));
      const isOver = deliveries.every(({ value }) => parsed<Delivery>(value).state !== "pending");
      if (!isOver) continue;
      rows.push(...deliveries.map(({ key }) => ({ key, bytes: 0 })));
      rows.push({ key: [...INCIDENT, keyPart(id)], bytes: 0 });
      deleted++;
    }
    if (rows.length > 0) await this.#writer.write(rows);
    return deleted;
  }
}

function incidentRow(incident: Incident): Row {
  return jsonRow([...INCIDENT, keyPart(incident.id)], incident);
}

function deliveryRow(delivery: Delivery): Row {
  return jsonRow([...DELIVERY, keyPart(delivery.id)], delivery);
}

function parsed<Value>(value: Uint8Array): Value {
  return JSON.parse(textOf(value)) as Value;
}
