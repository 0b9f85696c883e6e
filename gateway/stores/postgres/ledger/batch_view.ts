/**
 * The rows that one batch decides by, with the changes of its operations on top.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type {
  EndedHold,
  Hold,
  JournalEntry,
  KeySpend,
  Wallet,
} from "../../../domain/ledger/ledger.ts";
import { operationOf } from "../../../domain/ledger/correction.ts";
import type { CreditRecord, LedgerChange, LedgerView } from "../../../domain/ledger/state.ts";
import {
  addToSum,
  type KilledRow,
  type RequestSum,
  sumOfRow,
} from "../../../domain/requests/request_sum.ts";
import type { Correction } from "../../../domain/ledger/waiting_correction.ts";
import type { StoredKey } from "../../../ports/key_store.ts";
import type { RequestRecord } from "../../../ports/request_log.ts";
import { encodeEntry } from "../../kv/journal/journal_codec.ts";
import { decodeRecord } from "../../kv/log/log_line.ts";
import { decodeCorrection } from "../../correction_json.ts";
import type { Transaction } from "../connection.ts";
import { lineOf, logRow } from "../log/log_row.ts";
import { textId } from "../text_id.ts";
import { Lines } from "./lines.ts";
import * as rows from "./rows.ts";

/** The end of the journal. */
export interface LedgerHead {
  readonly batch: number;
  readonly entries: number;
  readonly atMs: number;
  /** SHA-256 of the last batch, hexadecimal; empty before the first. */
  readonly hash: string;
  /** Number of the last row of the request log. */
  readonly logged: number;
}

/** A session of an instance that is to be ended. */
export interface EndingSession {
  readonly id: string;
  /** The beats that it stopped at; `null` ends it in any case. */
  readonly beats: string | null;
}

/** A row as read: its kind, and JSON. */
export interface ReadRow {
  readonly kind: string;
  readonly data: string;
}

interface Entry {
  readonly place: number;
  readonly wallet: string;
  readonly op: string;
  readonly at_ms: number;
  readonly log_id: string | null;
  readonly line: string;
}

/** Ledger state for the operations of one batch: each sees the changes of those before it. */
export class BatchView implements LedgerView {
  readonly #head: LedgerHead;
  readonly #instance: string;
  readonly #wallets = new Map<string, rows.NumberedWallet>();
  readonly #spends = new Map<string, KeySpend>();
  readonly #holds = new Map<string, Hold>();
  readonly #ended = new Map<string, EndedHold>();
  readonly #credits = new Map<string, CreditRecord>();
  /** Sums of the owed rows, by the stored ids of the rows. */
  readonly #owed = new Map<string, RequestSum>();
  /** Owed rows that were to be read, by the ids of their requests. */
  readonly #owedRows = new Map<string, RequestRecord>();
  readonly #entries: Entry[] = [];
  readonly #changed = {
    wallets: new Set<string>(),
    spends: new Set<string>(),
    /** Open holds of this batch, with their instance. */
    holds: new Map<string, string>(),
    /** Holds that this batch ended, with the place of the entry. */
    ended: new Map<string, number>(),
    credits: new Set<string>(),
    owed: new Map<string, string>(),
    paid: new Set<string>(),
  };
  readonly #log: RequestRecord[] = [];
  readonly #corrections = new Map<string, Correction>();
  readonly #keys = new Map<string, StoredKey>();
  /** Writes of other stores that belong into the transaction of the batch. */
  readonly companions: ((tx: Transaction) => Promise<void>)[] = [];
  /** Holds that wait for credits. */
  readonly lines: Lines;
  /** Waiting holds of this batch that were answered: their instance asks for the answer. */
  readonly answered: rows.Waiting[] = [];
  /** Sessions of instances that this batch ends. */
  readonly ending: EndingSession[] = [];
  /** True when the instance of this batch was ended by another one. */
  readonly isInstanceEnded: boolean;

  constructor(
    { head, read, instance }: {
      readonly head: LedgerHead;
      readonly read: readonly ReadRow[];
      readonly instance: string;
    },
  ) {
    this.#head = head;
    this.#instance = instance;
    const waiting: rows.ReadWaiting[] = [];
    let isEnded: boolean | undefined;
    for (const { kind, data } of read) {
      if (kind === "waiting") waiting.push(rows.decodeWaiting(data));
      else if (kind === "instance") isEnded = JSON.parse(data);
      else this.#add(kind, data);
    }
    this.lines = new Lines(waiting);
    this.isInstanceEnded = isEnded !== false;
  }

  #add(kind: string, data: string): void {
    if (kind === "wallet") {
      const numbered = rows.decodeWallet(data);
      this.#wallets.set(numbered.wallet.id, numbered);
    } else if (kind === "spend") {
      const spend = rows.decodeSpend(data);
      this.#spends.set(spend.keyId, spend);
    } else if (kind === "hold") {
      const hold = rows.decodeHold(data);
      this.#holds.set(hold.id, hold);
    } else if (kind === "ended") {
      const ended = rows.decodeEnded(data);
      this.#ended.set(ended.hold.id, ended);
    } else if (kind === "credit") {
      const { id, credit } = rows.decodeCredit(data);
      this.#credits.set(id, credit);
    } else if (kind === "line") {
      const record = decodeRecord(data);
      this.#owed.set(textId(record.id), sumOfRow(record));
      this.#owedRows.set(record.id, record);
    } else if (kind === "correction") {
      this.setCorrection(decodeCorrection(data));
    } else if (kind === "key") {
      const key: StoredKey = JSON.parse(data);
      this.#keys.set(key.record.id, key);
    } else if (kind === "owed") {
      const { id, sum } = rows.decodeOwed(data);
      this.#owed.set(id, sum);
    }
  }

  wallet(id: string): Wallet | undefined {
    return this.#wallets.get(id)?.wallet;
  }

  spend(keyId: string): KeySpend | undefined {
    return this.#spends.get(keyId);
  }

  hold(id: string): Hold | undefined {
    return this.#holds.get(id);
  }

  ended(id: string): EndedHold | undefined {
    return this.#ended.get(id);
  }

  credit(opId: string): CreditRecord | undefined {
    return this.#credits.get(textId(opId));
  }

  /** Adds the change of a decision. A new hold is of `instance`. @default instance {this one} */
  apply(change: LedgerChange, instance: string = this.#instance): void {
    const { entry, wallet, spend, opened, ended } = change;
    const place = this.#head.entries + this.#entries.length + 1;
    if (wallet !== undefined) {
      const number = this.#wallets.get(wallet.id)?.number ?? place - 1;
      this.#wallets.set(wallet.id, { wallet, number });
      this.#changed.wallets.add(wallet.id);
    }
    if (spend !== undefined) {
      this.#spends.set(spend.keyId, spend);
      this.#changed.spends.add(spend.keyId);
    }
    if (opened !== undefined) {
      this.#holds.set(opened.id, opened);
      this.#changed.holds.set(opened.id, instance);
    }
    if (ended !== undefined) {
      const { id } = ended.hold;
      this.#ended.set(id, ended);
      this.#holds.delete(id);
      this.#changed.holds.delete(id);
      this.#changed.ended.set(id, place);
    }
    const operation = operationOf(entry);
    if (operation !== undefined && "id" in entry) {
      const id = textId(entry.id);
      this.#credits.set(id, operation);
      this.#changed.credits.add(id);
    }
    this.#entries.push({
      ...{ place, wallet: textId(entry.wallet), op: entry.op, at_ms: entry.at },
      log_id: "log" in entry ? textId(entry.log) : null,
      line: encodeEntry(entry),
    });
  }

  /** Returns a correction that was to be read. */
  correction(id: string): Correction | undefined {
    return this.#corrections.get(id);
  }

  /** Notes a correction as it is, or becomes with this batch. */
  setCorrection(correction: Correction): void {
    this.#corrections.set(correction.id, correction);
  }

  /** Returns a key that was to be read because it may change wallets. */
  movedKey(id: string): StoredKey | undefined {
    return this.#keys.get(id);
  }

  /** Notes the wallet that a key has with this batch. */
  setWalletOfKey(id: string, walletId: string): void {
    const key = this.#keys.get(id);
    if (key !== undefined) this.#keys.set(id, { ...key, record: { ...key.record, walletId } });
  }

  /** Appends a row to the request log; it takes the place of one that was owed. */
  appendLog(record: RequestRecord): void {
    this.#log.push(record);
    if (!this.owesRow(record.id)) return;
    const id = textId(record.id);
    this.#owed.delete(id);
    this.#changed.owed.delete(id);
    this.#changed.paid.add(id);
  }

  /** Number of the last row of the request log, with those of this batch. */
  get logged(): number {
    return this.#head.logged + this.#log.length;
  }

  /** True when the request's own log row is still to come. */
  owesRow(logId: string): boolean {
    return this.#owed.has(textId(logId));
  }

  /** Returns the row that a request is owed, if it was to be read. */
  owedRow(logId: string): RequestRecord | undefined {
    return this.owesRow(logId) ? this.#owedRows.get(logId) : undefined;
  }

  /**
   * Stores the row that a request gets if this instance dies before its own is appended. `entry`: the
   * entry that this batch adds to its sum.
   */
  keepKilledRow(row: KilledRow, entry?: JournalEntry): void {
    const id = textId(row.id);
    const sum = addToSum(this.#owed.get(id), entry);
    this.#owed.set(id, sum);
    this.#changed.paid.delete(id);
    const record = { ...row, ...sum };
    this.#owedRows.set(row.id, record);
    this.#changed.owed.set(id, lineOf(record));
  }

  /** Lets a hold of this instance wait, behind all others. */
  wait(command: rows.Waiting["command"]): void {
    this.lines.add({ instance: this.#instance, command });
  }

  /** Places of the entries of this batch: the first, and the one behind the last. */
  get places(): { readonly first: number; readonly next: number } {
    const first = this.#head.entries + 1;
    return { first, next: first + this.#entries.length };
  }

  /** True when there is nothing to write. */
  get isEmpty(): boolean {
    const { holds, owed } = this.#changed;
    const { arrived, departed } = this.lines;
    return this.#entries.length + this.#log.length + holds.size + owed.size + arrived.size +
        departed.size + this.ending.length === 0;
  }

  /** Returns the parameter of the statement that writes the batch. */
  written(id: string): string {
    const head = this.nextHead();
    const changed = this.#changed;
    const log = this.#log.map((record, at) => logRow(record, this.#head.logged + at + 1));
    return JSON.stringify({
      ...{ id, batch: head.batch, entries: head.entries, atMs: head.atMs, hash: head.hash },
      ...{ count: this.#entries.length, firstPlace: this.places.first, journal: this.#entries },
      wallets: [...changed.wallets].flatMap((key) => {
        const numbered = this.#wallets.get(key);
        return numbered === undefined ? [] : [rows.walletRow(numbered)];
      }),
      spends: [...changed.spends].flatMap((key) => {
        const spend = this.#spends.get(key);
        return spend === undefined ? [] : [rows.spendRow(spend)];
      }),
      holds: [...changed.holds].flatMap(([key, instance], at) => {
        const hold = this.#holds.get(key);
        const number = this.#head.entries + at;
        return hold === undefined ? [] : [rows.holdRow(hold, { number, instance })];
      }),
      ended: [...changed.ended].flatMap(([key, place]) => {
        const ended = this.#ended.get(key);
        if (ended === undefined) return [];
        return [{ id: textId(key), place, data: rows.encodeAmounts(ended) }];
      }),
      credits: [...changed.credits].map((key) => {
        const credit = this.#credits.get(key);
        const { walletId, amount, correction = null } = credit ?? {};
        return { id: key, wallet: JSON.stringify(walletId), amount: `${amount}`, correction };
      }),
      owed: [...changed.owed].map(([key, line]) => ({ id: key, instance: this.#instance, line })),
      paid: [...changed.paid],
      ...{ log, facets: [...new Set(log.flatMap(({ facets }) => facets))], logged: head.logged },
      notifies: this.answered.some(({ instance }) => instance !== this.#instance),
      waiting: [...this.lines.arrived.values()].map(rows.waitingRow),
      unwaiting: [...this.lines.departed],
    });
  }

  /** Returns the end of the journal after this batch. */
  nextHead(): LedgerHead {
    const entries = this.#entries;
    const hash = createHash("sha256").update(this.#head.hash);
    for (const { line } of entries) hash.update("\n").update(line);
    return {
      batch: this.#head.batch + 1,
      entries: this.#head.entries + entries.length,
      atMs: Math.max(this.#head.atMs, ...entries.map(({ at_ms }) => at_ms)),
      hash: hash.digest("hex"),
      logged: this.#head.logged + this.#log.length,
    };
  }
}
