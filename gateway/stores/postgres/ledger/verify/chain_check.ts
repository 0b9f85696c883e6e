import { createHash, type Hash } from "node:crypto";
import type { ProblemList } from "../../../../domain/ledger/replay.ts";
import type { BatchRow, EntryRow } from "./journal_rows.ts";

const RESTORE = "restore the store from a backup made before";

/** The end of the journal, as the row of the ledger's head states it. */
export interface HeadRow {
  readonly batch: bigint;
  readonly entries: bigint;
  readonly at_ms: bigint;
  readonly hash: string;
  readonly logged: bigint;
}

/** Verifies the chain of batches, and that the places of entries have no gap. */
export class ChainCheck {
  readonly #problems: ProblemList;
  #batch = 0n;
  /** Hash of the last batch; `undefined` when unknown. */
  #hash: string | undefined = "";
  /** Digest of the present batch; `undefined` when the hash before it is unknown. */
  #digest: Hash | undefined;
  /** First place of the present batch. */
  #first = 1n;
  /** Last place of the last batch; `undefined` when unknown. */
  #end: bigint | undefined = 0n;
  #place = 0n;
  #atMs = 0n;

  constructor(problems: ProblemList) {
    this.#problems = problems;
  }

  /** Begins a batch: its entries follow. */
  begin({ batch, entries, first_place: first }: BatchRow): void {
    if (batch < 1n) {
      this.#problems.push(`The journal has a batch ${batch} that is none: ${RESTORE}`);
      this.#forget();
    } else this.#passTo(batch);
    if (this.#end !== undefined && first !== this.#end + 1n) {
      this.#problems.push(
        `Journal batch ${batch} says that it begins with entry ${first}, it begins with entry ` +
          `${this.#end + 1n}: ${RESTORE}`,
      );
    }
    this.#first = first;
    this.#end = first + entries - 1n;
    const hash = this.#hash;
    this.#digest = hash === undefined ? undefined : createHash("sha256").update(hash);
  }

  /** Takes the next entries, which are of the present batch. */
  take(rows: readonly EntryRow[]): void {
    for (const { place, batch, at_ms: atMs, line } of rows) {
      this.#passToPlace(place);
      if (batch !== this.#batch) {
        this.#problems.push(
          `Journal entry ${place} says that it is of batch ${batch}, it is of batch ` +
            `${this.#batch}: ${RESTORE}`,
        );
      }
      if (atMs > this.#atMs) this.#atMs = atMs;
      // Entries before are of a batch whose row is missing.
      if (place >= this.#first) this.#digest?.update("\n").update(line);
    }
  }

  /** Ends the present batch: all of its entries were taken. */
  end({ batch, hash, at_ms: atMs }: BatchRow): void {
    const digest = this.#digest?.digest("hex");
    if (digest !== undefined && digest !== hash) {
      this.#problems.push(`Journal batch ${batch} was changed after it was written: ${RESTORE}`);
    } else if (atMs !== this.#atMs) {
      this.#problems.push(
        `Journal batch ${batch} says that its latest time is ${atMs}, it is ${this.#atMs}: ` +
          RESTORE,
      );
    }
    this.#digest = undefined;
    this.#hash = hash;
  }

  /** Takes entries behind the last batch. */
  takeStray(rows: readonly EntryRow[]): void {
    for (const { place } of rows) {
      this.#passToPlace(place);
      this.#problems.push(`Journal entry ${place} is of no batch: ${RESTORE}`);
    }
  }

  /** Compares the end of the chain with the ledger's head. */
  finish({ batch, entries, hash, at_ms: atMs }: HeadRow): void {
    if (this.#batch > batch) {
      this.#problems.push(
        `The journal has batches up to ${this.#batch}, the ledger's head says ${batch}: ${RESTORE}`,
      );
    } else this.#passTo(batch + 1n);
    if (this.#place > entries) {
      this.#problems.push(
        `The journal has entries up to ${this.#place}, the ledger's head says ${entries}: ` +
          RESTORE,
      );
    } else this.#passToPlace(entries + 1n);
    if (this.#hash !== undefined && this.#hash !== hash) {
      this.#problems.push(
        `Journal batch ${batch} was changed after it was written, the ledger's head names ` +
          `another hash: ${RESTORE}`,
      );
    }
    if (atMs !== this.#atMs) {
      this.#problems.push(
        `The ledger's head says that the latest time is ${atMs}, it is ${this.#atMs}: ${RESTORE}`,
      );
    }
  }

  /** Reports the batches missing before this one. */
  #passTo(batch: bigint): void {
    const from = this.#batch + 1n;
    this.#batch = batch;
    if (batch === from) return;
    this.#problems.push(`Journal ${rangeOf("batch", from, batch - 1n)} missing: ${RESTORE}`);
    this.#forget();
  }

  /** Reports the entries missing before this place. */
  #passToPlace(place: bigint): void {
    const from = this.#place + 1n;
    if (place < 1n) {
      this.#problems.push(`The journal has an entry ${place} that is none: ${RESTORE}`);
      return;
    }
    this.#place = place;
    if (place === from) return;
    this.#problems.push(`Journal ${rangeOf("entry", from, place - 1n)} missing: ${RESTORE}`);
  }

  #forget(): void {
    this.#hash = undefined;
    this.#end = undefined;
  }
}

const PLURALS = { batch: "batches", entry: "entries" };

function rangeOf(what: "batch" | "entry", from: bigint, to: bigint): string {
  return from === to ? `${what} ${from} is` : `${PLURALS[what]} ${from} to ${to} are`;
}
