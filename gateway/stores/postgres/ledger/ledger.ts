/**
 * The ledger in PostgreSQL, exact for any number of instances: the decisions are those of the
 * domain, and every batch of an instance sees what all others have committed.
 *
 * @module
 */

import {
  decideCredit,
  decideOpen,
  decideProgress,
  decideSettle,
  decideVoid,
} from "../../../domain/ledger/decide.ts";
import type {
  CreditCommand,
  Hold,
  HoldCommand,
  JournalEntry,
  KeySpend,
  OpenWalletCommand,
  Progress,
  ProgressCommand,
  SettleCommand,
  VoidCommand,
  Wallet,
} from "../../../domain/ledger/ledger.ts";
import type { Noted, TrailDraft } from "../../../domain/operators/trail.ts";
import type { Micros } from "../../../domain/ledger/money.ts";
import type {
  Applied,
  JournalPage,
  JournalQuery,
  JournalRange,
  JournalReading,
  LedgerStore,
  RequestEntriesQuery,
  Settled,
  SettlementRows,
  VerificationStep,
  WalletPage,
  WalletQuery,
} from "../../../ports/ledger_store.ts";
import type { KilledRow } from "../../../ports/request_log.ts";
import { draftOf } from "../../noted_decision.ts";
import type { Sql } from "../connection.ts";
import { appendTo } from "../operators/trail.ts";
import { applied } from "./applied.ts";
import type { Batches } from "./batches.ts";
import type { BatchView } from "./batch_view.ts";
import { Endings } from "./endings.ts";
import { leave } from "./line.ts";
import { LineWatch, type LineWatchOptions } from "./line_watch.ts";
import { countWallets, readHolds, readSpend, readStatement, readWallet } from "./read.ts";
import { readJournal, readRequestEntries } from "./read_journal.ts";
import { eachWallet, readWallets } from "./read_wallets.ts";
import { untilStored } from "./patience.ts";
import { assertTexts } from "./texts.ts";
import { TimelyBatches } from "./timely_batches.ts";
import { verification } from "./verify/verification.ts";
import { WaitingHolds } from "./waiting_holds.ts";

/** Operations that change the ledger, and reads of its present state. */
export class PostgresLedger implements LedgerStore {
  readonly #sql: Sql;
  readonly #batches: TimelyBatches;
  readonly #waiting: WaitingHolds;
  readonly #endings: Endings;
  #wallets = 0;
  #isClosed = false;

  /** `line` is for tests. */
  constructor(sql: Sql, batches: Batches, { line }: { line?: LineWatchOptions } = {}) {
    this.#sql = sql;
    this.#batches = new TimelyBatches(batches);
    this.#waiting = new WaitingHolds(this.#batches, new LineWatch(sql, line));
    this.#endings = new Endings(sql);
    batches.onCommitted = (view) => {
      this.#waiting.committed(view);
      this.#endings.committed(view);
    };
  }

  async open(
    command: OpenWalletCommand,
    { entry }: Noted<Wallet> = {},
  ): Promise<Applied<Wallet>> {
    const { walletId, tier } = command;
    assertTexts({ ids: [walletId, tier] });
    const needs = { wallets: [walletId] };
    let isNew = false;
    const opened = await this.#batches.submit(needs, (view) => {
      const decision = decideOpen(view, command);
      isNew = decision.ok && decision.change !== undefined;
      noteWith(view, draftOf(decision, { entry }));
      return applied(view, decision);
    });
    if (isNew) this.#wallets++;
    return opened;
  }

  async credit(
    command: CreditCommand,
    { entry }: Noted<Wallet> = {},
  ): Promise<Applied<Wallet>> {
    const { opId, walletId, note } = command;
    assertTexts({ ids: [opId, walletId], note });
    const needs = { wallets: [walletId], credits: [opId] };
    return await this.#batches.submit(needs, (view) => {
      const decision = decideCredit(view, command);
      noteWith(view, draftOf(decision, { entry, before: view.wallet(walletId) }));
      return applied(view, decision, walletId);
    });
  }

  async hold(
    command: HoldCommand,
    options: { waitMs: number; signal?: AbortSignal | undefined },
  ): Promise<Applied<{ held: Micros }>> {
    const { holdId, walletId, keyId, budgetId = keyId, logId, model } = command;
    assertTexts({ ids: [holdId, walletId, keyId, budgetId, logId, model] });
    return await this.#waiting.hold(command, options);
  }

  async progress(
    command: ProgressCommand,
    killedRow: () => KilledRow,
  ): Promise<Applied<Progress>> {
    const { holdId } = command;
    assertTexts({ ids: [holdId] });
    return await this.#batches.submit({ holds: [holdId], logsOf: [holdId] }, (view) => {
      const isFirst = view.hold(holdId)?.progress === undefined;
      const decision = decideProgress(view, command);
      if (isFirst && decision.ok) view.keepKilledRow(killedRow());
      return applied(view, decision);
    });
  }

  async settle(command: SettleCommand, rows: SettlementRows = {}): Promise<Applied<Settled>> {
    const { holdId } = command;
    assertTexts({ ids: [holdId] });
    const { row, killedRow } = rows;
    const logs = [row, killedRow].flatMap((each) => each?.id ?? []);
    const settle = (waitMs: number) =>
      this.#batches.submit({ holds: [holdId], logs }, (view) => {
        const frees = view.hold(holdId)?.walletId;
        const decision = decideSettle(view, command);
        if (decision.ok) writeRows(view, rows, decision.change?.entry);
        return applied(view, decision, frees);
      }, { waitMs });
    // Its answer was made: it waits for a database that is away, where other operations fail.
    return await untilStored(settle, () => this.#isClosed);
  }

  async voidHold(command: VoidCommand): Promise<Applied<{ released: Micros }>> {
    const { holdId, reason } = command;
    assertTexts({ ids: [holdId], note: reason });
    return await this.#batches.submit({ holds: [holdId] }, (view) => {
      const frees = view.hold(holdId)?.walletId;
      const decision = decideVoid(view, command);
      // Its caller may have gone while it was in the line.
      if (!decision.ok && decision.refusal === "hold_not_found") leave(view, holdId);
      return applied(view, decision, frees);
    });
  }

  wallet(id: string): Promise<Wallet | undefined> {
    return readWallet(this.#sql, id);
  }

  walletPage(search: WalletQuery): Promise<WalletPage> {
    return readWallets(this.#sql, search);
  }

  /** Returns the wallets of the last count, and those that this instance has opened since. */
  walletCount(): number {
    return this.#wallets;
  }

  /** Counts the wallets, for {@linkcode walletCount}. */
  async count(): Promise<void> {
    this.#wallets = await countWallets(this.#sql);
  }

  allWallets(): AsyncIterable<Wallet> {
    return eachWallet(this.#sql);
  }

  keySpend(keyId: string): Promise<KeySpend | undefined> {
    return readSpend(this.#sql, keyId);
  }

  openHolds(): Promise<readonly Hold[]> {
    return readHolds(this.#sql);
  }

  entriesOf(search: RequestEntriesQuery) {
    return readRequestEntries(this.#sql, search);
  }

  async *entries(range: JournalRange = {}): AsyncIterable<JournalEntry> {
    const reading = await this.journal(range);
    for await (const placed of reading.entries()) for (const { entry } of placed) yield entry;
  }

  journal(range: JournalRange): Promise<JournalReading> {
    return readJournal(this.#sql, range);
  }

  /** Recomputes the ledger from the journal and compares, while all instances go on. */
  verification(): AsyncGenerator<VerificationStep, void> {
    return verification(this.#sql);
  }

  statement(walletId: string, query: JournalQuery): Promise<JournalPage> {
    return readStatement(this.#sql, walletId, query);
  }

  /** Refuses all waiting holds of this instance. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#waiting.close();
    await this.#endings.close();
  }
}

/** Appends an entry to the audit log in the transaction of the batch. */
function noteWith(view: BatchView, draft: TrailDraft | undefined): void {
  if (draft !== undefined) view.companions.push(async (tx) => void await appendTo(tx, draft));
}

/** A repeat of a durable settlement sees the rows, too; its request's own row may exist since. */
function writeRows(view: BatchView, rows: SettlementRows, entry: JournalEntry | undefined): void {
  const { row, killedRow } = rows;
  const isNew = entry !== undefined;
  if (isNew && killedRow !== undefined) view.keepKilledRow(killedRow, entry);
  if (row !== undefined && (isNew || view.owesRow(row.id))) view.appendLog(row);
}
