/**
 * Notifications over a store in memory, with a clock and receivers that tests control.
 *
 * @module
 */

import { assert } from "@std/assert";
import type { Wallet } from "../domain/ledger/ledger.ts";
import type { Attempted, NoticeMessage } from "../domain/notices/delivery.ts";
import type { IncidentKind } from "../domain/notices/incident.ts";
import type { NoticeTarget } from "../domain/notices/target.ts";
import type { KeyRecord } from "../domain/policy/key.ts";
import type { NoticeStore } from "../ports/notice_store.ts";
import { openKvStores } from "../stores/kv/open.ts";
import type { RequestRecord } from "../ports/request_log.ts";
import { Notifier } from "./notifier.ts";

/** Start of the tests' clock. */
export const START_MS = Date.UTC(2026, 10, 21, 12);

/** A message that a receiver got. */
export interface Received {
  readonly target: string;
  readonly message: NoticeMessage;
  readonly atMs: number;
}

/** The world of the notifications, which tests change. */
export class NoticeWorld {
  nowMs = START_MS;
  /** Time between two rounds, in seconds. */
  stepSeconds = 1;
  readonly wallets = new Map<string, Wallet>();
  readonly keys = new Map<string, KeyRecord>();
  readonly upstreams = new Set(["lab"]);
  readonly received: Received[] = [];
  readonly lines: string[] = [];
  /** Answers of receivers, by name of the target. @default {each accepts} */
  readonly answers = new Map<string, (message: NoticeMessage) => Promise<Attempted> | Attempted>();
  /** Spent amounts by key. */
  readonly spent = new Map<string, bigint>();
  /** Spent amounts by the name of a budget, of every key. */
  readonly named = new Map<string, bigint>();
  #ids = 0;

  /** Returns the notifications of an instance. */
  notifier(store: NoticeStore, instance = "only"): Notifier {
    const log = (event: string, fields = {}) =>
      void this.lines.push(`${event} ${JSON.stringify(fields)}`);
    return new Notifier({
      ...{ store, instance, policy: { trustedHosts: ["127.0.0.1"] } },
      clock: { nowMs: () => this.nowMs, monotonicMs: () => this.nowMs },
      rng: { next: () => 0.5, id: (prefix) => `${prefix}_${String(++this.#ids).padStart(6, "0")}` },
      logger: { info: log, warn: log, error: log },
      send: (target, message) => this.#send(target, message),
      sources: {
        ledger: {
          wallet: (id) => Promise.resolve(this.wallets.get(id)),
          allWallets: () => each(this.wallets.values()),
          keySpend: (keyId) => Promise.resolve(this.#spendOf(keyId)),
        },
        keys: {
          get: (id) => Promise.resolve(this.keys.get(id)),
          all: () => each([...this.keys.values()].map((record) => ({ record, digest: "" }))),
          copiesOf: (id) =>
            each([...this.keys.values()].filter((record) => record.rotatedFrom === id)),
        },
        marksOf: (wallets) => Promise.resolve(wallets.map(() => ({ below: 10n, isSet: true }))),
        upstreams: () => this.upstreams,
      },
    });
  }

  /** Passes time in steps, with a round of each notifier in each. */
  async pass(seconds: number, ...notifiers: readonly Notifier[]): Promise<void> {
    for (let passed = 0; passed < seconds; passed += this.stepSeconds) {
      this.nowMs += this.stepSeconds * 1_000;
      for (const notifier of notifiers) {
        await notifier.tick();
        await notifier.idle();
      }
    }
  }

  /** Sets the balance of a wallet in micros, out of 1 000 that were paid in. */
  setBalance(id: string, available: bigint): void {
    const [credits, createdAtMs] = [1_000n, START_MS];
    const spent = credits - available;
    this.wallets.set(id, {
      id,
      tier: "basic",
      credits,
      available,
      held: 0n,
      spent,
      writtenOff: 0n,
      createdAtMs,
    });
  }

  /** Closes a wallet that has spent a part of what was paid in. */
  close(id: string): void {
    this.setBalance(id, 0n);
    const wallet = this.wallets.get(id);
    if (wallet !== undefined) this.wallets.set(id, { ...wallet, closedAtMs: this.nowMs });
  }

  /** Returns a key that exists. */
  key(id: string): KeyRecord {
    const record = this.keys.get(id);
    assert(record !== undefined);
    return record;
  }

  /** The numbers of the messages that a target got, by incident, in the order of their arrival. */
  arrivedAt(target: string): ReadonlyMap<string, readonly number[]> {
    const arrived = new Map<string, number[]>();
    for (const { target: to, message } of this.received) {
      if (to !== target) continue;
      const numbers = arrived.get(message.incident) ?? [];
      numbers.push(message.number);
      arrived.set(message.incident, numbers);
    }
    return arrived;
  }

  async #send({ id, name }: NoticeTarget, message: NoticeMessage): Promise<Attempted> {
    const attempted = await this.answers.get(name)?.(message) ?? { ok: true };
    if (attempted.ok) this.received.push({ target: id, message, atMs: this.nowMs });
    return attempted;
  }

  #spendOf(keyId: string) {
    const spent = this.spent.get(keyId);
    if (spent === undefined) return undefined;
    const day = new Date(this.nowMs).toISOString().slice(0, 10);
    const sumsOf = (micros: bigint) => ({
      ...{ held: 0n, daySpent: micros, monthSpent: micros, totalSpent: micros },
    });
    const named = [...this.named].map(([name, micros]) => [name, sumsOf(micros)] as const);
    const dates = { day, month: day.slice(0, 7) };
    return { keyId, ...dates, ...sumsOf(spent), named: Object.fromEntries(named) };
  }
}

/** Runs a test on a world and a store in memory. */
export async function withNotices(
  run: (world: NoticeWorld, store: NoticeStore) => Promise<void>,
): Promise<void> {
  const stores = await openKvStores(":memory:", { nowMs: () => START_MS });
  try {
    await run(new NoticeWorld(), stores.noticeStore);
  } finally {
    await stores.close();
  }
}

/** A key with a policy, a year old unless `fields` say otherwise. */
export function keyOf(
  id: string,
  policy: Partial<KeyRecord["policy"]>,
  fields: Partial<KeyRecord> = {},
): KeyRecord {
  return {
    ...{ id, name: `Name of ${id}`, walletId: "team", status: "active", hint: "svc_live_a" },
    ...{ policy: policy as KeyRecord["policy"], createdAtMs: START_MS - 365 * 86_400_000 },
    ...fields,
  };
}

/** Adds a target that receives everything, or some kinds; returns its id. */
export async function addTarget(
  notifier: Notifier,
  name: string,
  kinds?: readonly IncidentKind[],
): Promise<string> {
  const place = { kind: "webhook", url: "http://127.0.0.1:9/" } as const;
  const added = await notifier.add({ name, place, kinds });
  assert(added.ok);
  return added.target.id;
}

/** The messages that arrived, each as its phase, type and subject. */
export function texts({ received }: NoticeWorld): string[] {
  return received.map(({ message: { phase, type, subject } }) => `${phase} ${type} ${subject}`);
}

/** A request that has ended, as far as notifications read it. */
export function requestOf(
  fields: Pick<RequestRecord, "walletId" | "keyId"> & Partial<RequestRecord>,
): RequestRecord {
  return {
    ...{ id: "log_1", requestId: "req_1", atMs: START_MS, endpoint: "chat", stream: false },
    ...{ status: 200, outcome: "ok", durationMs: 1, holdIds: [], charged: "0.000000" },
    ...{ inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, estimated: false },
    ...fields,
  };
}

async function* each<Row>(rows: Iterable<Row>): AsyncGenerator<Row, void> {
  yield* rows;
}
