/**
 * Learning from the gateway's own traffic: collects outcomes between two snapshots, takes the
 * next snapshot, and gives every decision the snapshot in force.
 *
 * @module
 */

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
import type { AuditRecord } from "../../domain/learning/statistics.ts";
import { runInSteps } from "../../system/yield_to_event_loop.ts";
import { sourcesOf } from "../../domain/routing/auto.ts";
import { KeyedHash } from "../../system/keyed_hash.ts";
import { AnswerChecks, type AnswerNote } from "./answer_checks.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { SnapshotStore } from "../../ports/snapshot_store.ts";
import type { Vote, VoteStore } from "../../ports/vote_store.ts";

/** Longest time between two snapshots while there is something to add, in milliseconds. */
export const SNAPSHOT_INTERVAL_MS = 60_000;
/** Stored snapshots beside the frozen one. */
const SNAPSHOTS_KEPT = 60;
/** Age at which votes are deleted, in milliseconds: 30 days. */
export const VOTE_AGE_MS = 30 * 86_400_000;
/** Time between two deletions of old votes, in milliseconds. */
const VOTE_SWEEP_MS = 3_600_000;
/** Votes that are read at once, and the most that one snapshot adds; the next adds the rest. */
const VOTES_READ = 1_000;
const VOTES_ADDED_MAX = 50_000;

/** Parts of the service that learning uses. */
export interface LearningDeps {
  readonly snapshots: SnapshotStore;
  readonly votes: Pick<VoteStore, "since" | "sweep">;
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
  readonly #hash: KeyedHash;
  #newest: RoutingSnapshot = EMPTY_SNAPSHOT;
  /** The frozen snapshot; absent while routing follows the newest. */
  #frozen: RoutingSnapshot | undefined;
  #additions = new Additions();
  #taking: Promise<void> = Promise.resolve();
  /** The snapshot whose write failed and may have landed, with what it includes. */
  #inDoubt: { readonly next: RoutingSnapshot; readonly collected: Additions } | undefined;
  #sweptAtMs = -Infinity;
  readonly #checks = new AnswerChecks({
    note: (outcome) => this.noteOutcome(outcome),
    digest: (text) => this.#digest(`request\n${text}`).toString("hex"),
  });

  constructor(deps: LearningDeps) {
    this.#deps = deps;
    this.#hash = new KeyedHash(deps.secret);
  }

  /** Reads the stored snapshots, and takes the next one for votes that none includes yet. */
  async open(): Promise<void> {
    const { snapshots } = this.#deps;
    this.#newest = await snapshots.latest() ?? EMPTY_SNAPSHOT;
    await this.#readFrozen();
    await this.take();
  }

  snapshot(): RoutingSnapshot {
    return this.#frozen ?? this.#newest;
  }

  /** Returns the newest snapshot, also while an older one is frozen. */
  newest(): RoutingSnapshot {
    return this.#newest;
  }

  taskOf(walletId: string, endpoint: string, taskText: string): string {
    return this.#digest(`task\n${walletId}\n${endpoint}\n${taskText}`).toString("hex");
  }

  seedOf(logId: string): number {
    return this.#digest(`seed\n${logId}`).readUIntBE(0, 6) / 2 ** 48;
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
   * snapshot of that number, on which the next attempt builds.
   */
  take(): Promise<void> {
    return this.#afterTaking(() => this.#take());
  }

  /** Freezes routing at a stored snapshot, or follows the newest again. Returns false if it is gone. */
  freeze(number: number | undefined): Promise<boolean> {
    return this.#afterTaking(async () => {
      const { snapshots } = this.#deps;
      if (number !== undefined && await snapshots.get(number) === undefined) return false;
      await snapshots.freeze(number);
      await this.#readFrozen();
      return true;
    });
  }

  /**
   * Removes statistics; resolves once the next snapshot, which lacks them, is durable. What was
   * collected of them until then is removed too. Earlier snapshots stay as they are, so a frozen one
   * keeps them in force. Returns the counts of what the newest snapshot has lost.
   */
  forget(scope: ForgetScope): Promise<Forgotten> {
    return this.#afterTaking(async () => {
      await this.#takeAll();
      const forgotten = forget(this.#newest, scope, this.#context());
      if (forgotten.wallets.length > 0) {
        const { number } = forgotten.snapshot;
        if (!await this.#deps.snapshots.put(forgotten.snapshot, forgotten.wallets)) {
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
    for (;;) {
      const { votes: cursor } = this.#newest;
      await this.#take();
      const { votes } = this.#newest;
      const isWhole = (await this.#deps.votes.since(votes, 1)).votes.length === 0;
      if (isWhole) return;
      if (votes === cursor) {
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
    this.#frozen = number === undefined ? undefined : await this.#deps.snapshots.get(number);
  }

  async #take(): Promise<void> {
    await this.#checks.idle();
    const collected = this.#additions;
    this.#additions = new Additions();
    try {
      await this.#takeWith(collected);
      await this.#sweepVotes();
    } catch (error) {
      this.#deps.logger.error("routing_snapshot_not_stored", { cause: String(error) });
    }
  }

  async #takeWith(added: Additions): Promise<void> {
    const { snapshots } = this.#deps;
    let collected = added;
    try {
      collected = await this.#withoutDoubt(added);
      const { additions, votes } = await this.#withVotes(collected);
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

  /**
   * Returns the additions with the votes that no snapshot includes yet. Votes are counted from the
   * store only, and the snapshot names the last one: so a kill loses none and counts none twice.
   */
  async #withVotes(
    collected: Additions,
  ): Promise<{ additions: Additions; votes: string | undefined }> {
    let cursor = this.#newest.votes;
    let additions = collected;
    for (let added = 0; added < VOTES_ADDED_MAX;) {
      const page = await this.#deps.votes.since(cursor, VOTES_READ);
      if (page.votes.length === 0) break;
      if (additions === collected) {
        // The votes must not be among the additions that are collected again after a failure.
        additions = new Additions();
        additions.append(collected);
      }
      for (const vote of page.votes) additions.noteOutcome(outcomeOf(vote));
      added += page.votes.length;
      cursor = page.cursor;
    }
    return { additions, votes: cursor };
  }

  async #sweepVotes(): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    if (nowMs - this.#sweptAtMs < VOTE_SWEEP_MS) return;
    this.#sweptAtMs = nowMs;
    await this.#deps.votes.sweep(nowMs - VOTE_AGE_MS);
  }

  #digest(text: string) {
    return this.#hash.digest(text).subarray(0, 8);
  }
}

function outcomeOf({ walletId, task, model, atMs, score, load }: Vote): OutcomeNote {
  return { walletId, task, model, atMs, score, load, source: "feedback", weight: 1 };
}
