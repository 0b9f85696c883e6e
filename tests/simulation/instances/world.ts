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
import { decodeAmounts } from "../../../gateway/stores/postgres/ledger/rows.ts";
import { type Accuse, nameOf, ReckonedBooks } from "../books.ts";
import { settle, type VirtualTime } from "../virtual_time.ts";
import { Call, NAME_BUDGET, walletId } from "./call.ts";
import { BrokenConnection, ModelledDatabase } from "./database.ts";
import { Process } from "./process.ts";
import { ModelledClient } from "./sql.ts";
import { type Course, type DrawnCorrection, INSTANCES, WALLETS } from "./steps.ts";
import { Corrections } from "./corrections.ts";
import { RefusedStatement, type Written } from "./tables.ts";

/** Credits of a wallet at the beginning, and of a payment, in micros. */
const FUNDS = 300n;

/** Silence after which a session is over, in milliseconds: the same on all instances. */
const LEASE_MS = 6_000;
/** Time between two moments in which the database serves everything, in milliseconds. */
const LIVE_MS = 250;
/** Rounds in which it does so. */
const LIVE_ROUNDS = 8;

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
  #processes: (Process | undefined)[] = [];
  readonly #clients: ModelledClient[] = [];
  #lives = 0;
  #gates: { readonly life: string; readonly go: () => void }[] = [];
  /** Called when a process was killed. */
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
    this.database.onEnd = (id, silentMs) => this.#noteEnd(id, silentMs);
    this.database.onUnknown = (text) => accuse("the model knows every statement", text);
  }

  /** Starts the instances, and founds the wallets. */
  async setUp(): Promise<void> {
    for (let number = 0; number < INSTANCES; number++) this.#watched(this.#start(number));
    this.corrections.storeKeys();
    await this.#serveUntil(() => this.#processes.every((process) => process !== undefined));
    const atMs = this.time.clock.nowMs();
    for (let wallet = 0; wallet < WALLETS; wallet++) {
      const open = { kind: "open", walletId: walletId(wallet), tier: "standard", atMs } as const;
      void this.#processes[0]?.ledger.open(open);
      this.pay(0, wallet);
    }
    await this.#serveUntil(() => this.payments.every(({ isPaid }) => isPaid));
  }

  async #serveUntil(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      await settle();
      for (const session of this.database.ready) this.database.serve(session);
    }
  }

  /** Number of sessions that were lost by processes that live. */
  get returned(): number {
    return this.#processes.reduce((sum, process) => sum + (process?.lost ?? 0), 0);
  }

  /** Number of calls and payments that wait for the simulation. */
  get waiting(): readonly { go(): void }[] {
    const paused = this.#clients.filter(({ isPaused }) => isPaused).map(({ name }) => name);
    return this.#gates.filter(({ life }) => !paused.includes(life));
  }

  /** Begins a call. */
  ask(course: Course): void {
    const process = this.#processes[course.instance];
    // One that starts does not listen, and one that stands still reads no request.
    if (process === undefined || process.client.isPaused) return;
    const { ledger, client } = process;
    const call = new Call(this.calls.length, course, {
      ...{ ledger, nowMs: () => this.time.clock.nowMs(), accuse: this.#accuse },
      next: () => this.#gate(client.name),
      onCut: (cut) => this.#judgeCut(cut),
    });
    this.calls.push(call);
    process.calls.push(call);
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
    const client = this.#clients[number];
    if (client === undefined) return;
    client.kill(kept);
    for (const call of this.#processes[number]?.calls ?? []) call.lose();
    this.#gates = this.#gates.filter(({ life }) => life !== client.name);
    this.#watched(this.#start(number));
    for (const watch of this.#watches) watch();
  }

  /** Stops a process: others end its session if that takes too long. */
  pause(number: number): void {
    this.#clients[number]?.pause();
  }

  /** Lets a process go on. */
  resume(number: number): void {
    this.#clients[number]?.resume();
  }

  /** Lets time pass in which the database serves everything, and no call goes on. */
  async live(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += LIVE_MS) {
      await this.time.pass(LIVE_MS);
      this.database.endSilent();
      for (let round = 0; round < LIVE_ROUNDS && this.database.ready.length > 0; round++) {
        for (const session of this.database.ready) this.database.serve(session);
        await settle(2);
      }
    }
  }

  /** Lets calls go on and the database serve what is ready. Returns false if there was nothing. */
  advance(): boolean {
    const gates = this.waiting;
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
      ...this.#processes.flatMap((process, number) => process ? [] : [`the start of ${number}`]),
    ].join(", ");
  }

  #watched(work: Promise<void>): void {
    work.catch((error) => this.#accuse("no bug shows", String(error?.stack ?? error)));
  }

  /** Starts a process, again until it has a session. */
  async #start(number: number): Promise<void> {
    this.#processes[number] = undefined;
    const name = `process-${this.#lives++}`;
    const client = new ModelledClient(name, { database: this.database, accuse: this.#accuse });
    this.#clients[number] = client;
    while (!client.isDead) {
      try {
        this.#processes[number] = await Process.start(client, () => this.time.clock.nowMs());
        return;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        await this.#gate(name);
      }
    }
  }

  /** Marks the calls of an instance whose session was ended: their holds may end without them. */
  #noteEnd(id: string, silentMs: number): void {
    this.ended.add(id);
    if (silentMs < LEASE_MS) {
      this.#accuse("an instance is silent for its lease before it is ended", `${silentMs} ms`);
    }
    const process = this.#processes.find((one) => one?.instance.id === id);
    for (const call of process?.calls ?? []) if (!call.isDone) call.wasFenced = true;
  }

  async #pay(
    payment: Payment,
    { number, wallet, atMs }: { number: number; wallet: number; atMs: number },
  ): Promise<void> {
    const { opId } = payment;
    const credit = { opId, walletId: walletId(wallet), amount: FUNDS, note: "", atMs };
    const answer = await this.#tried(number, ({ ledger }) => {
      return ledger.credit({ kind: "credit", ...credit });
    });
    payment.isPaid = true;
    payment.isRefused = !answer.ok && this.books.closed.has(walletId(wallet));
    if (!answer.ok && !payment.isRefused) {
      this.#accuse("a payment is taken", `${opId}: ${answer.refusal}`);
    }
  }

  /** Repeats work at whichever process has the number, until one answers. */
  async #tried<T>(number: number, work: (process: Process) => Promise<T>): Promise<T> {
    for (;;) {
      const process = this.#processes[number];
      if (process === undefined) {
        await this.#gate("");
        continue;
      }
      const { promise: gone, resolve } = Promise.withResolvers<"gone">();
      const watch = () => this.#processes[number] !== process ? resolve("gone") : undefined;
      this.#watches.add(watch);
      try {
        const result = await Promise.race([work(process), gone]);
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

  /** A call is cut only if its hold has ended: otherwise its charge would be lost. */
  #judgeCut({ holdId }: Call): void {
    const end = this.books.holds.get(holdId)?.end;
    if (end === "open" || end === undefined) {
      this.#accuse("a call that is cut off has ended in the books", `${holdId}: ${end}`);
    }
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
      if (this.database.tables.instances.isEnded(instance) === true) {
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
