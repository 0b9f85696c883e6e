/**
 * Learning from the gateway's own traffic: collects outcomes between two snapshots, takes the
 * next snapshot, and gives every decision the snapshot in force.
 *
 * @module
 */

import { createHmac } from "node:crypto";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import { Additions, type OutcomeNote, type ServedNote } from "../../domain/learning/additions.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { forget, type ForgetScope, type Forgotten } from "../../domain/learning/forget.ts";
import {
  EMPTY_SNAPSHOT,
  nextSnapshotSteps,
  type RoutingSnapshot,
  type SnapshotContext,
} from "../../domain/learning/snapshot.ts";
import type { Noted } from "../../domain/operators/trail.ts";
import type { AuditRecord } from "../../domain/learning/statistics.ts";
import { runInSteps } from "../../system/yield_to_event_loop.ts";
import { sourcesOf } from "../../domain/routing/auto.ts";
import { BoundedMap } from "../../system/bounded_map.ts";
import { nameOf, type SeedKey, seedKeyOf, seedOf } from "../../domain/learning/seed.ts";
import { AnswerChecks, type AnswerNote } from "./answer_checks.ts";
import { withVotes } from "./with_votes.ts";
import { SharedAdditions } from "./shared_additions.ts";
import type { AdditionStore } from "../../ports/addition_store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { SnapshotStore } from "../../ports/snapshot_store.ts";
import type { VoteStore } from "../../ports/vote_store.ts";

/** Longest time between two snapshots while there is something to add, in milliseconds. */
export const SNAPSHOT_INTERVAL_MS = 60_000;
/**
 * Time between two writes of what one of several instances has collected, in milliseconds. It keeps
 * the lease with each, so this is less than a third of the lease.
 */
export const SHARE_INTERVAL_MS = 1_500;
/** Stored snapshots beside the frozen one. */
const SNAPSHOTS_KEPT = 60;
/** Age at which votes are deleted, in milliseconds: 30 days. */
export const VOTE_AGE_MS = 30 * 86_400_000;
/** Time between two deletions of old votes, in milliseconds. */
const VOTE_SWEEP_MS = 3_600_000;

/** Bytes of the fingerprint of a task. */
const FINGERPRINT_BYTES = 8;
/** Tasks whose fingerprints are remembered: applications have a few. */
const TASKS_KNOWN = 1_000;

/** Parts of the service that learning uses. */
export interface LearningDeps {
  readonly snapshots: SnapshotStore;
  readonly votes: Pick<VoteStore, "since" | "sweep">;
  /** Statistics that several instances have collected. @default {one instance} */
  readonly additions?: AdditionStore | undefined;
  readonly catalogs: { current(): Catalog };
  readonly clock: Pick<Clock, "nowMs">;
  readonly logger: Logger;
  /** Secret of the fingerprints of tasks and of the seeds of decisions. */
  readonly secret: string;
}

/** The part that decisions use. */
export interface RoutingKnowledge {
  /** Returns the snapshot in force. */
  snapshot(): RoutingSnapshot;
  /** Returns the fingerprint of a task: 64 bits as 16 hexadecimal digits. */
  taskOf(walletId: string, endpoint: string, taskText: string): string;
  /** Returns the seed of a decision, uniform in [0, 1), from the gateway's own id of the call. */
  seedOf(logId: string): number;
}

/** Collects outcomes, and holds the snapshot in force. */
export class Learning implements RoutingKnowledge {
  readonly #deps: LearningDeps;
  readonly #seedKey: SeedKey;
  /** Fingerprints by the text that they are made of. */
  readonly #tasks = new BoundedMap<string, string>(TASKS_KNOWN);
  #newest: RoutingSnapshot = EMPTY_SNAPSHOT;
  /** The frozen snapshot; absent while routing follows the newest. */
  #frozen: RoutingSnapshot | undefined;
  #additions = new Additions();
  readonly #shared: SharedAdditions | undefined;
  /** Time of the last attempt to take a snapshot of several instances. */
  #sharedAtMs = -Infinity;
  #isFailing = false;
  #taking: Promise<void> = Promise.resolve();
  /** The snapshot whose write failed and may have landed, with what it includes. */
  #inDoubt: { readonly next: RoutingSnapshot; readonly collected: Additions } | undefined;
  #sweptAtMs = -Infinity;
  readonly #checks = new AnswerChecks({
    note: (outcome) => this.noteOutcome(outcome),
    nameOf: (text) => nameOf(text, this.#seedKey),
  });

  constructor(deps: LearningDeps) {
    this.#deps = deps;
    this.#seedKey = seedKeyOf(deps.secret);
    this.#shared = deps.additions && new SharedAdditions(deps.additions);
  }

  /** Reads the stored snapshots, and takes the next one for votes that none includes yet. */
  async open(): Promise<void> {
    const { snapshots } = this.#deps;
    await this.#reload();
    snapshots.watch?.(() => this.#afterTaking(() => this.#reload()));
    await this.take();
  }

  /** Time between two calls of {@linkcode tick}, in milliseconds. */
  get tickMs(): number {
    return this.#shared === undefined ? SNAPSHOT_INTERVAL_MS : SHARE_INTERVAL_MS;
  }

  /**
   * Takes the next snapshot when it is time. One of several instances stores what it has collected;
   * the one with the lease takes the snapshot of all.
   */
  tick(): Promise<void> {
    const shared = this.#shared;
    if (shared === undefined) return this.take();
    return this.#afterTaking(() =>
      this.#logged(async () => {
        await this.#send(shared);
        const isLeading = await shared.lead();
        const sinceMs = this.#deps.clock.nowMs() - this.#sharedAtMs;
        if (isLeading && sinceMs >= SNAPSHOT_INTERVAL_MS) await this.#takeShared(shared);
      })
    );
  }

  snapshot(): RoutingSnapshot {
    return this.#frozen ?? this.#newest;
  }

  /** Returns the newest snapshot, also while an older one is frozen. */
  newest(): RoutingSnapshot {
    return this.#newest;
  }

  taskOf(walletId: string, endpoint: string, taskText: string): string {
    const text = `task\n${walletId}\n${endpoint}\n${taskText}`;
    const known = this.#tasks.get(text);
    if (known !== undefined) return known;
    const digest = createHmac("sha256", this.#deps.secret).update(text).digest();
    const task = digest.subarray(0, FINGERPRINT_BYTES).toString("hex");
    this.#tasks.set(text, task);
    return task;
  }

  seedOf(logId: string): number {
    return seedOf(logId, this.#seedKey);
  }

  /** Notes a request that a model answered. */
  noteServed(note: ServedNote): void {
    this.#additions.noteServed(note);
  }

  /** Notes the outcome of an answer. */
  noteOutcome(note: OutcomeNote): void {
    this.#additions.noteOutcome(note);
  }

  /** Notes a complete answer, to be checked for implicit outcomes, unless these do not count. */
  noteAnswer(note: AnswerNote): void {
    const { catalogs } = this.#deps;
    if (sourcesOf(catalogs.current().auto).includes("implicit")) this.#checks.add(note);
  }

  /** Notes an audit of a request of a wallet. */
  noteAudit(walletId: string, audit: AuditRecord, atMs: number): void {
    this.#additions.noteAudit(walletId, audit, atMs);
  }

  /** Returns the collected statistics that no snapshot includes yet. */
  pending(): Additions {
    return this.#additions;
  }

  /**
   * Takes the next snapshot if anything was collected since the last one; resolves once it is
   * durable. What was collected stays if it cannot be stored, or if another instance has taken a
   * snapshot of that number, on which the next attempt builds. One of several instances stores what
   * it has collected, and takes the snapshot of all if it has the lease.
   */
  take(): Promise<void> {
    return this.#afterTaking(() => this.#take());
  }

  /** Takes a snapshot of everything that any instance has stored, with the lease or without. */
  takeAll(): Promise<void> {
    return this.#afterTaking(() => this.#takeAll());
  }

  /** Freezes routing at a stored snapshot, or follows the newest again. Returns false if it is gone. */
  freeze(number: number | undefined, options: Noted<number> = {}): Promise<boolean> {
    return this.#afterTaking(async () => {
      const { snapshots } = this.#deps;
      if (number !== undefined && await snapshots.get(number) === undefined) return false;
      await snapshots.freeze(number, options);
      await this.#readFrozen();
      return true;
    });
  }

  /**
   * Removes statistics; resolves once the next snapshot, which lacks them, is durable. What was
   * collected of them until then is removed too. Earlier snapshots stay as they are, so a frozen one
   * keeps them in force. Returns the counts of what the newest snapshot has lost.
   */
  forget(scope: ForgetScope, { entry }: Noted<RoutingSnapshot> = {}): Promise<Forgotten> {
    return this.#afterTaking(async () => {
      await this.#takeAll();
      const forgotten = forget(this.#newest, scope, this.#context());
      if (forgotten.wallets.length > 0) {
        const { number } = forgotten.snapshot;
        const states = { before: this.#newest, after: forgotten.snapshot };
        const noted = { entry: entry && (() => entry(states)) };
        if (!await this.#deps.snapshots.put(forgotten.snapshot, forgotten.wallets, noted)) {
          this.#newest = await this.#deps.snapshots.latest() ?? this.#newest;
          const message = `Another instance took the snapshot ${number} first; repeat the reset`;
          throw new ServiceFault("conflict", { message });
        }
        this.#newest = forgotten.snapshot;
      }
      this.#additions.remove(scope);
      this.#inDoubt?.collected.remove(scope);
      return forgotten;
    });
  }

  /** Adds every vote that the store holds: one left over would come back after a reset. */
  async #takeAll(): Promise<void> {
    const shared = this.#shared;
    for (;;) {
      const { number } = this.#newest;
      if (shared === undefined) await this.#take();
      else {
        await this.#send(shared);
        await this.#takeShared(shared);
      }
      const { votes } = this.#newest;
      const isWhole = (await this.#deps.votes.since(votes, 1)).votes.length === 0 &&
        await shared?.isEmpty() !== false;
      if (isWhole) return;
      if (this.#newest.number === number) {
        const message = "Cannot count the votes up to now; repeat the reset";
        throw new ServiceFault("store_unavailable", { message });
      }
    }
  }

  /** Runs work when no snapshot is being taken; the next one waits for it. */
  #afterTaking<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#taking.then(work);
    this.#taking = result.then(() => {}, () => {});
    return result;
  }

  #context(): SnapshotContext {
    const { catalogs, clock } = this.#deps;
    const catalog = catalogs.current();
    const qualities = new Map(catalog.models.map(({ id, quality }) => [id, quality]));
    return {
      nowMs: clock.nowMs(),
      qualityOf: (model) => qualities.get(model),
      sources: sourcesOf(catalog.auto),
    };
  }

  async #readFrozen(): Promise<void> {
    const number = await this.#deps.snapshots.frozen();
    if (number !== undefined && this.#frozen?.number === number) return;
    this.#frozen = number === undefined ? undefined : await this.#deps.snapshots.get(number);
  }

  /** Reads what another instance may have stored. */
  async #reload(): Promise<void> {
    const { snapshots } = this.#deps;
    const [newest] = await snapshots.list(1);
    if (newest?.number !== this.#newest.number || newest.takenAtMs !== this.#newest.takenAtMs) {
      this.#newest = await snapshots.latest(this.#newest) ?? EMPTY_SNAPSHOT;
    }
    await this.#readFrozen();
  }

  async #take(): Promise<void> {
    await this.#logged(async () => {
      const shared = this.#shared;
      if (shared === undefined) {
        await this.#checks.idle();
        await this.#takeWith(this.#collected());
        await this.#sweepVotes();
        return;
      }
      await this.#send(shared);
      if (await shared.lead()) await this.#takeShared(shared);
    });
  }

  async #logged(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#isFailing = false;
    } catch (error) {
      // One of several instances tries every second or two.
      if (!this.#isFailing || this.#shared === undefined) {
        this.#deps.logger.error("routing_snapshot_not_stored", { cause: String(error) });
      }
      this.#isFailing = true;
    }
  }

  #collected(): Additions {
    const collected = this.#additions;
    this.#additions = new Additions();
    return collected;
  }

  /** Stores what this instance has collected for the one that takes the next snapshot. */
  async #send(shared: SharedAdditions): Promise<void> {
    await this.#checks.idle();
    await shared.send(() => this.#collected());
  }

  /**
   * Takes the snapshot of all instances. What it includes stays stored until it is durable, so that a
   * failure loses nothing, and is marked with it, so that none counts twice.
   */
  async #takeShared(shared: SharedAdditions): Promise<void> {
    const { snapshots, clock } = this.#deps;
    this.#sharedAtMs = clock.nowMs();
    await this.#reload();
    const { collected, ids } = await shared.waiting();
    const { additions, votes } = await withVotes(this.#deps.votes, this.#newest.votes, collected);
    if (!additions.isEmpty) {
      const changed = additions.byWallet();
      const steps = nextSnapshotSteps(this.#newest, changed, { ...this.#context(), votes });
      const next = await runInSteps(steps);
      if (await snapshots.put(next, [...changed.keys()], { additions: ids })) this.#newest = next;
      else await this.#reload();
      await snapshots.sweep(SNAPSHOTS_KEPT);
    }
    await this.#sweepVotes();
  }

  async #takeWith(added: Additions): Promise<void> {
    const { snapshots } = this.#deps;
    let collected = added;
    try {
      collected = await this.#withoutDoubt(added);
      const { additions, votes } = await withVotes(this.#deps.votes, this.#newest.votes, collected);
      if (additions.isEmpty) return;
      const changed = additions.byWallet();
      const steps = nextSnapshotSteps(this.#newest, changed, { ...this.#context(), votes });
      const next = await runInSteps(steps);
      this.#inDoubt = { next, collected };
      collected = new Additions();
      const isStored = await snapshots.put(next, [...changed.keys()]);
      if (!isStored) collected = this.#inDoubt.collected;
      this.#inDoubt = undefined;
      this.#newest = isStored ? next : await snapshots.latest() ?? this.#newest;
      if (!isStored) throw new Error(`Snapshot ${next.number} exists already`);
    } catch (error) {
      collected.append(this.#additions);
      this.#additions = collected;
      throw error;
    }
    await snapshots.sweep(SNAPSHOTS_KEPT);
  }

  /**
   * Finds out whether a snapshot in doubt was stored, and returns what no snapshot includes: a failed
   * write may have landed without an answer.
   */
  async #withoutDoubt(added: Additions): Promise<Additions> {
    const doubt = this.#inDoubt;
    if (doubt === undefined) return added;
    const newest = await this.#deps.snapshots.latest();
    this.#inDoubt = undefined;
    if (newest?.number === doubt.next.number && newest.takenAtMs === doubt.next.takenAtMs) {
      this.#newest = doubt.next;
      return added;
    }
    doubt.collected.append(added);
    return doubt.collected;
  }

  async #sweepVotes(): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    if (nowMs - this.#sweptAtMs < VOTE_SWEEP_MS) return;
    this.#sweptAtMs = nowMs;
    await this.#deps.votes.sweep(nowMs - VOTE_AGE_MS);
  }
}
