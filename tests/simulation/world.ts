/**
 * The parts of a run: the disk, the process on it, callers, upstreams, the operator, and a second
 * set of books.
 *
 * @module
 */

import { DOUBT_MAX_MS } from "../../gateway/flows/settle/confirmed_settlement.ts";
import type { LogFields, Logger } from "../../gateway/ports/logger.ts";
import type { UpstreamCall } from "../../gateway/ports/upstream.ts";
import { beginAttempt } from "./begin_attempt.ts";
import { type Accuse, ReckonedBooks } from "./books.ts";
import { Caller } from "./caller.ts";
import { Corrections } from "./corrections.ts";
import { FOUNDED_KEYS, FUNDS, KEYS, TIERS, walletId } from "./founding.ts";
import { Random } from "./random.ts";
import {
  type Attempt,
  scriptedUpstream,
  type UpstreamStage,
  type Waiting,
} from "./scripted_upstream.ts";
import { Learned } from "./learned.ts";
import { ownerOf, rngOf, SimulatedService } from "./service.ts";
import { Disk, SimulatedKv } from "./simulated_kv.ts";
import type { CommitFailure, KeyChange, Question } from "./steps.ts";
import { judgeBegin, judgeBooks } from "./verdicts.ts";
import { settle, type VirtualTime } from "./virtual_time.ts";
import { Payments } from "./payments.ts";
import type { UsedKey, WorldFacts } from "./world_facts.ts";

/** Maximum commits for the set-up of the world. */
const FOUNDING_TURNS = 400;

/** A world with at most one running service. */
export class World implements WorldFacts {
  readonly callers: Caller[] = [];
  readonly payments: Payments;
  readonly keys: UsedKey[] = [];
  readonly books: ReckonedBooks;
  readonly learned: Learned;
  readonly corrections: Corrections;
  readonly time: VirtualTime;
  /** The process; absent while none runs. */
  service: SimulatedService | undefined;
  /** Outcomes of the next commits that fail. */
  readonly failing: { readonly how: CommitFailure; readonly reads: number }[] = [];
  /**
   * Holds whose charge was in doubt for so long that the caller was refused and the operator
   * informed.
   */
  readonly doubted = new Set<string>();
  /** Holds that could not be settled when their calls ended: the settlement is retried. */
  readonly late = new Set<string>();
  /** Requests whose row the store refused, which was logged: the next start writes it. */
  readonly notLogged = new Set<number>();
  /** True when a fault was planned for this process. */
  #isDisturbed = false;
  readonly #accuse: Accuse;
  readonly #seed: number;
  readonly #disk = new Disk();
  #kv = new SimulatedKv(this.#disk);
  #calls: Waiting[] = [];
  #starting: Promise<void> | undefined;
  #isStopping = false;
  #lives = 0;

  constructor(seed: number, options: { time: VirtualTime; accuse: Accuse }) {
    this.#seed = seed;
    this.time = options.time;
    this.#accuse = options.accuse;
    this.books = new ReckonedBooks(options.accuse);
    this.learned = new Learned(options.accuse, () => this.books.settlements.length);
    const life = () => this.#lives;
    this.corrections = new Corrections(this, { ...options, life });
    this.payments = new Payments(this, { ...options, life });
    this.#disk.onLanding = (mutations) => this.books.land(mutations);
    judgeBooks(this, options.accuse);
  }

  /** Starts the first process and creates wallets, credits and keys, without a fault. */
  async setUp(): Promise<void> {
    this.start();
    await this.#commitUntil(() => this.service !== undefined);
    const { service } = this;
    if (service === undefined) return;
    let isFounded = false;
    const founding = [this.#foundWallets(service), this.#foundKeys(service)];
    void Promise.all(founding).then(() => isFounded = true);
    await this.#commitUntil(() => {
      return isFounded && this.payments.unpaid.length === 0;
    });
  }

  /** Milliseconds since the world began. */
  get nowMs(): number {
    return this.time.clock.monotonicMs();
  }

  /** Returns everything that waits to continue, in a repeatable order. */
  waiting(): Waiting[] {
    const all: Waiting[] = [];
    if (this.#kv.waiting > 0) all.push({ what: "commit", go: () => this.#endCommit() });
    if (this.service === undefined && this.#starting === undefined && !this.#isStopping) {
      all.push({ what: "start", go: () => this.start() });
    }
    all.push(...this.#calls);
    for (const caller of this.callers) {
      if (caller.state !== "reading" || caller.busy) continue;
      const go = () => void caller.read(this.nowMs);
      all.push({ what: `read ${caller.number}`, go });
    }
    return all;
  }

  /** Lets one request continue for a number of events: what it waits for arrives and is read. */
  async follow({ number }: Caller, events: number): Promise<void> {
    const own = ["commit", `answer ${number}`, `stream ${number}`, `read ${number}`];
    for (let event = 0; event < events; event++) {
      for (const { what, go } of this.waiting()) if (own.includes(what)) go();
      await settle();
    }
  }

  /** Returns the result of work, and ends the commits that it waits for. */
  async resultOf<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    work.then(() => isOver = true, () => isOver = true);
    for (; !isOver; await settle()) if (this.#kv.waiting > 0) this.#endCommit();
    return await work;
  }

  /** Sends a request of a caller; the system refuses it if no process runs. */
  ask(question: Question): void {
    const key = this.keys[question.key % this.keys.length]!;
    const isRevoked = () => key.revoked;
    const { founded } = key;
    const tierChanges = this.corrections.confirmedTierChanges;
    const isClosed = this.#closing(key);
    const options = { nowMs: this.nowMs, founded, isRevoked, isClosed, tierChanges };
    const caller = new Caller(this.callers.length, question, options);
    this.callers.push(caller);
    if (this.service === undefined) return caller.lose();
    const rng = rngOf(new Random(question.seed), String(caller.number), (prefix, id) => {
      if (prefix === "hold") caller.holds.push(id);
    });
    caller.ask(this.service.appFor(rng), key.secret).catch((error) => {
      if (!caller.done) this.#accuse("a request is answered", String(error));
    });
  }

  /** Returns the question whether calls of a key must still be refused for its closed wallet. */
  #closing(key: UsedKey): () => boolean {
    const { closed, moved } = this.books;
    // A rotated key may have been moved before.
    const first = this.keys.indexOf(key) < KEYS ? FOUNDED_KEYS[key.founded]?.wallet : undefined;
    const walletOf = () => moved.get(key.id) ?? (first === undefined ? "" : walletId(first));
    const before = walletOf();
    return this.corrections.isConfirmed(closed.get(before))
      ? () => walletOf() === before
      : () => false;
  }

  /** Repeats failed payments, as the operator, and writes a row if the last commit failed. */
  tryAgain(): void {
    this.payments.tryAgain();
    this.corrections.tryAgain();
    const { stores } = this.service ?? {};
    if (stores?.health() === "failing") stores.settings.set("touched", "").catch(() => {});
  }

  /** Changes a key, as the operator. */
  changeKey(number: number, change: KeyChange): void {
    const key = this.keys[number % this.keys.length]!;
    const ring = this.service?.keyRing;
    if (ring === undefined) return;
    const life = this.#lives;
    const done = change === "rotate"
      ? ring.rotate(key.id).then((issued) => {
        if (life !== this.#lives || !issued.ok) return;
        const { id } = issued.record;
        this.keys.push({ id, secret: issued.key, founded: key.founded, revoked: false });
      })
      : ring[change](key.id).then(async ({ ok }) => {
        // Requests of the same commit may begin in the same turn.
        await settle();
        if (life === this.#lives && ok && change === "revoke") key.revoked = true;
      });
    // The store was unavailable: the operator received an error, and nothing was promised.
    done.catch(() => {});
  }

  /** Changes prices, as the operator. */
  changeCatalog(price: number): void {
    this.service?.applyCatalog(price).catch(() => {});
  }

  /** Takes a snapshot of the statistics, as the service does every minute. */
  takeSnapshot(): void {
    if (this.service !== undefined) this.learned.take(this.service.learning);
  }

  /** Lets the next reads of the store fail. */
  failReads(reads: number): void {
    this.#isDisturbed = true;
    this.#kv.failingReads += reads;
  }

  /** Removes all planned faults. */
  calm(): void {
    this.failing.length = 0;
    this.#kv.failingReads = 0;
  }

  /** Starts a process on the disk. */
  start(): void {
    const life = ++this.#lives;
    const kv = this.#kv = new SimulatedKv(this.#disk);
    kv.onLateCommit = () => this.#accuse("a store is closed after its last commit", "");
    this.payments.begin();
    this.corrections.begin();
    this.#isDisturbed = this.failing.length > 0;
    this.notLogged.clear();
    const stage: UpstreamStage = {
      nowMs: () => this.nowMs,
      begin: (call, drains) => this.#begin(call, drains),
      wait: (waiting) => void this.#calls.push(waiting),
      forget: (waiting) => this.#calls = this.#calls.filter((other) => other !== waiting),
    };
    this.#starting = SimulatedService.start({
      clock: this.time.clock,
      random: new Random(this.#seed + life),
      logger: this.#logger(life),
      kv,
      upstream: (config) => scriptedUpstream(config, stage),
    }).then((service) => {
      if (life !== this.#lives) return;
      this.service = service;
      this.#starting = undefined;
      this.learned.begin(service.learning);
      const { open } = this.books;
      if (open.length > 0) this.#accuse("recovery ends every hold", open.join(", "));
    }, (error) => {
      if (life !== this.#lives) return;
      this.#starting = undefined;
      if (!this.#isDisturbed) {
        this.#accuse("a service starts on the data of the one before", String(error));
      }
    });
  }

  /** Stops the process in order: it accepts nothing new and aborts calls in flight. */
  stop(): void {
    const { service } = this;
    if (service === undefined) return;
    const life = this.#lives;
    this.service = undefined;
    this.#isStopping = true;
    for (const caller of this.callers) caller.wasInterrupted = true;
    service.stop().then(() => {
      if (life === this.#lives) this.#isStopping = false;
    }, (error) => this.#accuse("a service stops", String(error)));
  }

  /**
   * Kills the process: its store stops answering, its connections break, and its memory is lost.
   */
  async kill(landed: boolean): Promise<void> {
    this.#lives++;
    this.#kv.kill(landed);
    this.service = undefined;
    this.#starting = undefined;
    this.#isStopping = false;
    for (const caller of this.callers) caller.lose();
    await settle();
    if (!await this.time.forget()) {
      this.#accuse("everything ends", "deadlines that set new ones without end");
    }
    this.#calls = [];
  }

  /** True when nothing is in progress. */
  get quiet(): boolean {
    return this.unfinished === "";
  }

  /** Describes everything that has not ended. */
  get unfinished(): string {
    const { service } = this;
    if (service === undefined) return "no service is up";
    const { inFlight, settlementRetries } = service.gateway;
    const waiting = this.callers.filter(({ done }) => !done).map(({ number }) =>
      `caller ${number}`
    );
    return [
      ...waiting,
      ...this.payments.unpaid,
      ...this.corrections.unanswered,
      ...this.books.open,
      ...service.stores.health() === "ok" ? [] : [`a store that is ${service.stores.health()}`],
      ...inFlight.count === 0 ? [] : [`${inFlight.count} requests in flight`],
      ...service.callsInFlight === 0 ? [] : [`${service.callsInFlight} leases at upstreams`],
      ...this.learned.isTaking ? ["a snapshot"] : [],
      ...settlementRetries.size === 0 ? [] : [`${settlementRetries.size} waiting settlements`],
    ].join(", ");
  }

  /** Ends the waiting commit with the next planned outcome. */
  #endCommit(): void {
    const failure = this.failing.shift();
    if (failure === undefined) return this.#kv.end("ok");
    const { how, reads } = failure;
    this.#isDisturbed = true;
    if (reads > 0) this.failReads(reads);
    this.#kv.end(how);
  }

  async #foundWallets({ stores }: SimulatedService): Promise<void> {
    const atMs = this.time.clock.nowMs();
    await Promise.all(FUNDS.map(async (amount, wallet) => {
      const tier = TIERS[wallet] ?? TIERS[0];
      await stores.ledger.open({ kind: "open", walletId: walletId(wallet), tier, atMs });
      this.payments.pay(wallet, amount);
    }));
  }

  async #foundKeys({ keyRing }: SimulatedService): Promise<void> {
    await Promise.all(FOUNDED_KEYS.map(async ({ wallet, policy }, founded) => {
      const issued = await keyRing.issue({
        name: `key-${founded}`,
        walletId: walletId(wallet),
        policy,
        key: `svc_simulated_key_${founded}`,
      });
      if (!issued.ok) throw new Error(`Cannot found key ${founded}: ${issued.refusal.code}`);
      const { record, key: secret } = issued;
      this.keys[founded] = { id: record.id, secret, founded, revoked: false };
    }));
  }

  async #commitUntil(isDone: () => boolean): Promise<void> {
    for (let turn = 0; turn < FOUNDING_TURNS; turn++) {
      await settle();
      if (isDone()) return;
      this.#endCommit();
    }
    this.#accuse(
      "a service starts on the data of the one before",
      "The founding did not come to its end",
    );
  }

  #begin(call: UpstreamCall, drains: boolean): Attempt {
    const caller = this.callers[Number(call.requestId.slice("req-".length))]!;
    // A request that has begun before may continue with another candidate.
    if (caller.attempts.length === 0 && caller.isRevoked()) {
      this.#accuse("a revoked key begins nothing", `request ${caller.number}`);
    }
    const attempt = beginAttempt(caller, call, { drains });
    judgeBegin(this, { caller, attempt }, this.#accuse);
    return attempt;
  }

  /** Only a request that has waited long enough may be refused while a charge is in doubt. */
  #doubt(holdId: string): void {
    this.doubted.add(holdId);
    const calls = this.callers[ownerOf(holdId)]?.attempts ?? [];
    const hasWaited = calls.some((call) =>
      (call.holdId ?? holdId) === holdId && this.nowMs - (call.overMs ?? Infinity) >= DOUBT_MAX_MS
    );
    if (!hasWaited) this.#accuse("an answer waits while its charge is in doubt", holdId);
  }

  #logger(life: number): Logger {
    const error = (event: string, fields: LogFields = {}) => {
      const isBug = event === "internal_error" || event === "tokens_not_counted";
      if (isBug && life === this.#lives) this.#accuse("no bug shows", String(fields.cause));
      const holdId = String(fields.holdId);
      if (event === "charge_in_doubt") this.#doubt(holdId);
      if (event === "charged_without_answer" && !this.doubted.has(holdId)) {
        this.#accuse("a charge without an answer was in doubt", holdId);
      }
      if (event === "hold_not_ended" && fields.kind === "settle") this.late.add(holdId);
      if (event === "request_not_logged") this.notLogged.add(ownerOf(String(fields.logId)));
    };
    return { info: () => {}, warn: () => {}, error };
  }
}
