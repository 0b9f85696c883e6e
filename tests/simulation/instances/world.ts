/**
 * A modelled database with several instances of the ledger, and callers at each.
 *
 * @module
 */

import { CORRECTION_KINDS } from "../../../gateway/domain/ledger/correction_types.ts";
import type { HoldCommand } from "../../../gateway/domain/ledger/ledger.ts";
import type { StoredTrailEntry } from "../../../gateway/domain/operators/trail.ts";
import { StoreError } from "../../../gateway/ports/store_error.ts";
import { entryOf } from "../../../gateway/stores/trail_chain.ts";
import { Batches } from "../../../gateway/stores/postgres/ledger/batches.ts";
import { PostgresLedger } from "../../../gateway/stores/postgres/ledger/ledger.ts";
import { decodeAmounts, decodeHold } from "../../../gateway/stores/postgres/ledger/rows.ts";
import { type Accuse, nameOf, ReckonedBooks } from "../books.ts";
import { settle, type VirtualTime } from "../virtual_time.ts";
import { Call, NAME_BUDGET, walletId } from "./call.ts";
import { BrokenConnection, ModelledDatabase } from "./database.ts";
import { ModelledPool } from "./sql.ts";
import { type Course, type DrawnCorrection, INSTANCES, WALLETS } from "./steps.ts";
import { PostgresCorrections } from "../../../gateway/stores/postgres/operators/corrections.ts";
import { Corrections } from "./corrections.ts";
import { RefusedStatement, type Written } from "./tables.ts";

/** Credits of a wallet at the beginning, and of a payment, in micros. */
const FUNDS = 300n;

/** Waiting holds that a batch reads of each key in a line: fewer than wait at times. */
const WAITING_READ = 2;

/** A process of the gateway, as far as the ledger goes. */
interface Instance {
  readonly id: string;
  readonly pool: ModelledPool;
  readonly batches: Batches;
  readonly ledger: PostgresLedger;
  readonly corrections: PostgresCorrections;
  /** True once another instance has ended it. */
  isFenced: boolean;
  readonly calls: Call[];
}

/** A payment, which is repeated until it is answered. */
interface Payment {
  readonly opId: string;
  isPaid: boolean;
  /** True when its wallet was closed. */
  isRefused: boolean;
}

/** Everything in a run. */
export class World {
  readonly time: VirtualTime;
  readonly database: ModelledDatabase;
  readonly books: ReckonedBooks;
  readonly calls: Call[] = [];
  readonly payments: Payment[] = [];
  readonly corrections: Corrections;
  /** Instances that were ended, by the id of their session. */
  readonly ended = new Set<string>();
  readonly #accuse: Accuse;
  #instances: Instance[] = [];
  #lives = 0;
  #gates: { readonly life: string; readonly go: () => void }[] = [];
  readonly #reaping = new Set<string>();
  /** Called when an instance was replaced. */
  readonly #watches = new Set<() => void>();

  constructor(time: VirtualTime, accuse: Accuse) {
    this.time = time;
    this.#accuse = accuse;
    this.database = new ModelledDatabase(() => time.clock.monotonicMs());
    this.books = new ReckonedBooks(accuse);
    this.database.onCommit = (written, audit) => this.#land(written, audit);
    this.corrections = new Corrections({
      ...{ books: this.books, accuse, rows: () => this.database.side },
      tried: (number, work) => this.#tried(number, work),
    });
    this.books.onHold = (holdId, { owner, names }) => {
      for (const name of names) {
        const used = this.books.owners.get(nameOf(owner, name)) ?? 0n;
        if (used > NAME_BUDGET) accuse("a name stays within its budget", `${holdId}: ${used}`);
      }
    };
    this.database.onUnknown = (text) => accuse("the model knows every statement", text);
  }

  /** Starts the instances, and founds the wallets. */
  async setUp(): Promise<void> {
    this.#instances = Array.from({ length: INSTANCES }, () => this.#start());
    this.corrections.storeKeys();
    const { ledger } = this.instance(0);
    const atMs = this.time.clock.nowMs();
    for (let wallet = 0; wallet < WALLETS; wallet++) {
      void ledger.open({ kind: "open", walletId: walletId(wallet), tier: "standard", atMs });
      this.pay(0, wallet);
    }
    while (this.payments.some(({ isPaid }) => !isPaid)) {
      await settle();
      for (const session of this.database.ready) this.database.serve(session);
    }
  }

  /** Returns the instance that has a number now. */
  instance(number: number): Instance {
    const instance = this.#instances[number];
    if (instance === undefined) throw new Error(`There is no instance ${number}`);
    return instance;
  }

  /** Number of calls and payments that wait for the simulation. */
  get waiting(): readonly { go(): void }[] {
    return this.#gates;
  }

  /** Begins a call. */
  ask(course: Course): void {
    const instance = this.instance(course.instance);
    const { ledger, id } = instance;
    const call = new Call(this.calls.length, course, {
      ...{ ledger, nowMs: () => this.time.clock.nowMs(), accuse: this.#accuse },
      next: () => this.#gate(id),
    });
    this.calls.push(call);
    instance.calls.push(call);
    this.#watched(call.run());
  }

  /** Pays credits into a wallet, until they are there. */
  pay(number: number, wallet: number): void {
    const payment = { opId: `payment-${this.payments.length}`, isPaid: false, isRefused: false };
    this.payments.push(payment);
    this.#watched(this.#pay(payment, { number, wallet, atMs: this.time.clock.nowMs() }));
  }

  /** Makes a correction. */
  correct(drawn: DrawnCorrection): void {
    this.#watched(this.corrections.make(drawn));
  }

  /** Kills a process, and starts another in its place. */
  kill(number: number, kept: number): void {
    const { id, pool, calls } = this.instance(number);
    pool.kill(() => kept);
    for (const call of calls) call.lose();
    this.#gates = this.#gates.filter(({ life }) => life !== id);
    this.#instances[number] = this.#start();
    this.#watched(this.#reap(id));
  }

  /** Ends an instance that lives: a new session takes its place. */
  fence(number: number): void {
    const instance = this.instance(number);
    instance.isFenced = true;
    for (const call of instance.calls) call.wasFenced = true;
    const { id } = instance;
    this.#instances[number] = this.#start();
    this.#watched(this.#reap(id));
  }

  /** Lets calls go on and the database serve what is ready. Returns false if there was nothing. */
  advance(): boolean {
    const gates = this.#gates;
    const { ready } = this.database;
    for (const { go } of [...gates]) go();
    for (const session of ready) this.database.serve(session);
    return gates.length + ready.length > 0;
  }

  /** Describes everything that has not ended. */
  get unfinished(): string {
    const { holds, waiting } = this.database.tables;
    return [
      ...this.calls.filter(({ isDone }) => !isDone).map(({ number }) => `call ${number}`),
      ...this.payments.filter(({ isPaid }) => !isPaid).map(({ opId }) => opId),
      ...this.corrections.unanswered,
      ...[...holds.keys()].map((id) => `open ${id}`),
      ...[...waiting.keys()].map((id) => `${id} in the line`),
      ...[...this.#reaping].map((id) => `the end of ${id}`),
    ].join(", ");
  }

  #watched(work: Promise<void>): void {
    work.catch((error) => this.#accuse("no bug shows", String(error?.stack ?? error)));
  }

  #start(): Instance {
    const id = `instance-${this.#lives++}`;
    this.database.tables.instances.set(id, false);
    const pool = new ModelledPool(this.database, this.#accuse);
    const batches = new Batches(pool.sql, { id }, { waitingRead: WAITING_READ });
    const ledger = new PostgresLedger(pool.sql, batches, { line: { listens: false } });
    const corrections = new PostgresCorrections(pool.sql, { batches, keys: { forget: () => {} } });
    return { id, pool, batches, ledger, corrections, isFenced: false, calls: [] };
  }

  async #pay(
    payment: Payment,
    { number, wallet, atMs }: { number: number; wallet: number; atMs: number },
  ): Promise<void> {
    const { opId } = payment;
    const credit = { opId, walletId: walletId(wallet), amount: FUNDS, note: "", atMs };
    const answer = await this.#repeated(number, (ledger) => {
      return ledger.credit({ kind: "credit", ...credit });
    });
    payment.isPaid = true;
    payment.isRefused = !answer.ok && this.books.closed.has(walletId(wallet));
    if (!answer.ok && !payment.isRefused) {
      this.#accuse("a payment is taken", `${opId}: ${answer.refusal}`);
    }
  }

  /** Ends an instance, and its holds, by those that live. */
  async #reap(id: string): Promise<void> {
    this.#reaping.add(id);
    const atMs = this.time.clock.nowMs();
    await this.#tried(
      0,
      ({ batches }) => batches.submit({}, (view) => void view.ending.push({ id, beats: null })),
    );
    this.ended.add(id);
    for (const { data } of this.#holdsOf(id)) {
      const { id: holdId, progress } = decodeHold(data);
      await this.#repeated(1, async (ledger): Promise<void> => {
        const ends = { estimated: true, recovered: true, atMs };
        await (progress === undefined
          ? ledger.voidHold({ kind: "expire", holdId, reason: "instance lost", atMs })
          : ledger.settle({ ...progress, kind: "settle", holdId, ...ends }));
      });
    }
    this.#reaping.delete(id);
  }

  #holdsOf(id: string) {
    return [...this.database.tables.holds.values()].filter(({ instance }) => instance === id);
  }

  #repeated<T>(number: number, work: (ledger: PostgresLedger) => Promise<T>): Promise<T> {
    return this.#tried(number, ({ ledger }) => work(ledger));
  }

  /** Repeats work at whichever process has the number, until one answers. */
  async #tried<T>(number: number, work: (instance: Instance) => Promise<T>): Promise<T> {
    for (;;) {
      const instance = this.instance(number);
      const { promise: gone, resolve } = Promise.withResolvers<"gone">();
      const watch = () => this.instance(number) !== instance ? resolve("gone") : undefined;
      this.#watches.add(watch);
      try {
        const result = await Promise.race([work(instance), gone]);
        if (result !== "gone") return result;
      } catch (error) {
        const isFailure = error instanceof StoreError || error instanceof BrokenConnection ||
          error instanceof RefusedStatement;
        if (!isFailure) throw error;
      } finally {
        this.#watches.delete(watch);
      }
      await this.#gate("");
    }
  }

  /** Tells those who wait for a process that it is gone. */
  noteGone(): void {
    for (const watch of this.#watches) watch();
  }

  #gate(life: string): Promise<void> {
    return new Promise((resolve) => {
      const gate = {
        life,
        go: () => {
          this.#gates = this.#gates.filter((other) => other !== gate);
          resolve();
        },
      };
      this.#gates.push(gate);
    });
  }

  /** No caller is refused at the head of a line for want of credits that the wallet had before. */
  #judgeDeparted({ holds }: Written): void {
    const { departed, waiting } = this.database.tables;
    for (const { id, wallet, number, data, available } of departed) {
      const command = decodeAmounts<HoldCommand>(data);
      const isOther = (row: { readonly id: string }) => row.id !== id;
      const isServed = !holds.every(isOther);
      const isFirst = ![...waiting.values(), ...departed].some((row) =>
        isOther(row) && row.wallet === wallet && row.number < number
      );
      const hasLeft = this.calls.some(({ holdId, isLeaving }) => holdId === id && isLeaving);
      // It may wait for a budget instead.
      const hasBudget = command.budget.day !== undefined || (command.named ?? []).length > 0;
      if (isServed || !isFirst || hasLeft || hasBudget) continue;
      if (BigInt(available) < command.minimum) continue;
      this.#accuse("the first in a line gets what the wallet has", id);
    }
  }

  #land(written: Written, audit: readonly StoredTrailEntry[]): void {
    this.#judgeDeparted(written);
    const corrected = written.journal.map(({ line }) => JSON.parse(line))
      .filter(({ op }) => CORRECTION_KINDS.includes(op)).map(({ id }) => id);
    const noted = audit.map((entry) => entryOf(entry).subject);
    if (noted.join() !== corrected.join()) {
      this.#accuse("a correction lands with its audit entry", `${corrected}; noted: ${noted}`);
    }
    const { journal, wallets, firstPlace, batch, holds } = written;
    for (const { instance } of holds) {
      if (this.ended.has(instance) || this.database.tables.instances.get(instance) === true) {
        this.#accuse("an instance that was ended holds nothing new", `${instance}, batch ${batch}`);
      }
    }
    for (const [at, { place }] of journal.entries()) {
      if (place !== firstPlace + at) this.#accuse("places have no gap", `${place}`);
    }
    this.books.append(journal.map(({ line }) => line));
    for (const row of wallets) {
      const [credits, available, held, spent] = [row.credits, row.available, row.held, row.spent]
        .map(BigInt);
      this.books.compare({
        ...{ id: row.id, tier: row.tier, closedAtMs: row.closed_at_ms ?? undefined },
        ...{ credits: credits ?? 0n, available: available ?? 0n, held: held ?? 0n },
        ...{ spent: spent ?? 0n, writtenOff: BigInt(row.written_off) },
      });
    }
  }
}
