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
import { decideCorrection, operationOf } from "../../../domain/ledger/correction.ts";
import type { CorrectionCommand } from "../../../domain/ledger/correction_types.ts";
import {
  decideCredit,
  decideOpen,
  decideProgress,
  decideSettle,
  decideVoid,
} from "../../../domain/ledger/decide.ts";
import type { CreditRecord, LedgerDecision } from "../../../domain/ledger/state.ts";
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
  WalletPage,
  WalletQuery,
} from "../../../ports/ledger_store.ts";
import type { KilledRow } from "../../../ports/request_log.ts";
import type { AtOnce } from "../../../ports/at_once.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { draftOf } from "../../noted_decision.ts";
import { creditRow, creditRowKey } from "./credit_rows.ts";
import { decodeEntry } from "./journal_codec.ts";
import { InOrder } from "./in_order.ts";
import { MAX_ID_CHARS, MAX_NOTE_CHARS } from "../limits.ts";
import { NamedMutex } from "../mutex.ts";
import { readPage } from "../page.ts";
import { read } from "../read.ts";
import { readJournal } from "./read_journal.ts";
import type { PinnedRows } from "./books.ts";
import { eachWallet, readWallets } from "./read_wallets.ts";
import { readRequestEntries } from "./request_entries.ts";
import { logLine } from "../log/log_line.ts";
import type { Stage } from "./stage.ts";
import { WaitingHolds } from "./waiting_holds.ts";
import type { Writer } from "./writer.ts";

/** Texts of a command that enter the journal. */
interface Texts {
  readonly ids: readonly string[];
  readonly note?: string | undefined;
}

type Decide<T> = (
  stage: Stage,
) => {
  readonly decision: LedgerDecision<T>;
  readonly frees?: string | undefined;
  /** Entry of the audit log for its commit. */
  readonly draft?: TrailDraft | undefined;
};

/** The ledger in Deno KV, decided in memory and made durable by the writer. */
export class KvLedgerStore implements LedgerStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #waiting: WaitingHolds;
  readonly #crediting = new NamedMutex();
  readonly #inOrder = new InOrder();

  constructor(kv: Deno.Kv, writer: Writer) {
    this.#kv = kv;
    this.#writer = writer;
    this.#waiting = new WaitingHolds(writer);
  }

  open(command: OpenWalletCommand, { entry }: Noted<Wallet> = {}): Promise<Applied<Wallet>> {
    const { walletId, tier } = command;
    const texts = { ids: [walletId, tier] };
    return this.#withRows(
      { walletId },
      () =>
        this.#submit(texts, (stage) => {
          const decision = decideOpen(stage, command);
          return { decision, draft: draftOf(decision, { entry }) };
        }),
    );
  }

  credit(command: CreditCommand, options: Noted<Wallet> = {}): Promise<Applied<Wallet>> {
    const { opId, walletId } = command;
    // One at a time of an id, so that no credit lands between the lookup of an earlier one and the
    // decision.
    return this.#crediting.run(opId, async () => {
      const earlier = await this.operation(opId);
      if (earlier !== undefined) this.#writer.books.rememberCredit(opId, earlier);
      return await this.#withRows({ walletId }, () => this.#applyCredit(command, options));
    });
  }

  #applyCredit(command: CreditCommand, { entry }: Noted<Wallet>): Promise<Applied<Wallet>> {
    const { opId, walletId, amount, note } = command;
    return this.#submit({ ids: [opId, walletId], note }, (stage) => {
      const decision = decideCredit(stage, command);
      const draft = draftOf(decision, { entry, before: stage.wallet(walletId) });
      if (decision.ok && decision.change !== undefined) {
        stage.write(creditRow(opId, { walletId, amount }));
      }
      return { decision, frees: walletId, draft };
    });
  }

  /**
   * Applies a correction. `write` is called for one that changes the ledger, and adds rows to its
   * commit.
   */
  correct(
    command: CorrectionCommand,
    write: (stage: Stage, change: { readonly before: Wallet; readonly after: Wallet }) => void,
  ): Promise<Applied<Wallet>> {
    const { opId, walletId, note } = command;
    return this.#crediting.run(opId, async () => {
      const earlier = await this.operation(opId);
      if (earlier !== undefined) this.#writer.books.rememberCredit(opId, earlier);
      return await this.#withRows(
        { walletId },
        () =>
          this.#submit({ ids: [opId, walletId], note }, (stage) => {
            const before = stage.wallet(walletId);
            const decision = decideCorrection(stage, command);
            if (decision.ok && decision.change !== undefined && before !== undefined) {
              const operation = operationOf(decision.change.entry);
              if (operation !== undefined) stage.write(creditRow(opId, operation));
              write(stage, { before, after: decision.value });
            }
            return { decision, frees: walletId };
          }),
      );
    });
  }

  /** Returns the credit or correction that was applied under an operation id. */
  async operation(opId: string): Promise<CreditRecord | undefined> {
    return (await read(this.#kv.get<CreditRecord>(creditRowKey(opId)))).value ?? undefined;
  }

  hold(
    command: HoldCommand,
    options: { waitMs: number; signal?: AbortSignal | undefined },
  ): Promise<Applied<{ held: Micros }>> {
    const { holdId, walletId, keyId, budgetId = keyId, logId, model } = command;
    const error = tooLong({ ids: [holdId, walletId, keyId, budgetId, logId, model] });
    if (error !== undefined) return Promise.reject(error);
    return this.#withRows(
      { walletId, keyId: budgetId },
      () => this.#waiting.hold(command, options),
    );
  }

  progress(command: ProgressCommand, killedRow: () => KilledRow): Promise<Applied<Progress>> {
    const { holdId } = command;
    return this.#submitInOrder({ ids: [holdId] }, (stage) => {
      const isFirst = stage.hold(holdId)?.progress === undefined;
      const decision = decideProgress(stage, command);
      if (isFirst && decision.ok) stage.keepKilledRow(killedRow());
      return { decision };
    });
  }

  settle(command: SettleCommand, rows: SettlementRows = {}): Promise<Applied<Settled>> {
    return this.#submitInOrder({ ids: [command.holdId] }, (stage) => {
      const frees = stage.hold(command.holdId)?.walletId;
      const decision = decideSettle(stage, command);
      if (!decision.ok) return { decision, frees };
      const { row, killedRow } = rows;
      // A repeat of a durable settlement sees the rows, too; its request's own row may exist since.
      const { change } = decision;
      const isNew = change !== undefined;
      if (isNew && killedRow !== undefined) stage.keepKilledRow(killedRow, change.entry);
      if (row !== undefined && (isNew || stage.owesRow(row.id))) stage.appendLog(logLine(row));
      return { decision, frees };
    });
  }

  voidHold(command: VoidCommand): Promise<Applied<{ released: Micros }>> {
    return this.#submitInOrder({ ids: [command.holdId], note: command.reason }, (stage) => {
      const frees = stage.hold(command.holdId)?.walletId;
      return { decision: decideVoid(stage, command), frees };
    });
  }

  wallet(id: string): AtOnce<Wallet | undefined> {
    const { wallets } = this.#writer.books;
    return wallets.known(id) ?? this.#noting(wallets.get(id));
  }

  walletPage(query: WalletQuery): Promise<WalletPage> {
    return readWallets(this.#kv, this.#writer.books, query);
  }

  /** Returns the wallets in memory: those in use, and of the others those used last. */
  walletsInMemory(): readonly Wallet[] {
    return [...this.#writer.books.wallets.inMemory()].map(([, wallet]) => wallet);
  }

  walletCount(): number {
    return this.#writer.books.counts.wallets;
  }

  async *allWallets(): AsyncGenerator<Wallet> {
    yield* eachWallet(this.#kv, this.#writer.books);
  }

  keySpend(keyId: string): AtOnce<KeySpend | undefined> {
    const { spends } = this.#writer.books;
    return spends.known(keyId) ?? spends.get(keyId);
  }

  openHolds(): Promise<readonly Hold[]> {
    return Promise.resolve([...this.#writer.books.holds.values()]);
  }

  async statement(walletId: string, query: JournalQuery): Promise<JournalPage> {
    const { sinceMs = -Infinity, untilMs = Infinity, kind } = query;
    const { items, cursor } = await readPage(this.#kv, {
      chain: this.#writer.journal,
      ...query,
      needles: [`"wallet":${JSON.stringify(walletId)}`],
      decode: (line) => {
        const entry = decodeEntry(line);
        const isMatch = entry.wallet === walletId && entry.op !== "progress" &&
          (kind === undefined || entry.op === kind) &&
          entry.at >= sinceMs && entry.at <= untilMs;
        return isMatch ? entry : undefined;
      },
    });
    return { entries: items, cursor };
  }

  entriesOf(query: RequestEntriesQuery) {
    return readRequestEntries(this.#kv, this.#writer.journal, query);
  }

  async *entries(range: JournalRange = {}): AsyncIterable<JournalEntry> {
    const reading = readJournal(this.#kv, this.#writer.journal, range);
    for await (const placed of reading.entries()) {
      for (const { entry } of placed) yield entry;
    }
  }

  async journal(range: JournalRange): Promise<JournalReading> {
    return readJournal(this.#kv, await this.#writer.sealed(() => this.#writer.journal), range);
  }

  /** Refuses all waiting holds. */
  close(): void {
    this.#waiting.close();
  }

  /** Runs a change in the order of the calls, with the rows that it is decided on in memory. */
  #withRows<T>(rows: PinnedRows, change: () => Promise<T>): Promise<T> {
    const { books } = this.#writer;
    const reading = books.pin(rows);
    return this.#inOrder.run(reading && this.#noting(reading), () => {
      const changed = change();
      const release = () => books.unpin(rows);
      changed.then(release, release);
      return changed;
    });
  }

  /** Records the damage of a row that is read. */
  async #noting<T>(reading: Promise<T>): Promise<T> {
    try {
      return await reading;
    } catch (error) {
      this.#writer.onDamage(error);
      throw error;
    }
  }

  /** Submits a change of an open hold, whose rows are in memory. */
  #submitInOrder<T>(texts: Texts, decide: Decide<T>): Promise<Applied<T>> {
    return this.#inOrder.run(undefined, () => this.#submit(texts, decide));
  }

  #submit<T>(
    texts: Texts,
    decide: Decide<T>,
  ): Promise<Applied<T>> {
    const error = tooLong(texts);
    if (error !== undefined) return Promise.reject(error);
    return this.#writer.submit((stage) => {
      const { decision, frees, draft } = decide(stage);
      if (!decision.ok) return { ok: false, refusal: decision.refusal };
      if (decision.change !== undefined) {
        stage.apply(decision.change);
        if (draft !== undefined) stage.note(draft);
        if (frees !== undefined) this.#waiting.serve(stage, frees);
      }
      return { ok: true, value: decision.value };
    });
  }
}

// A line must fit into a value even after its texts are escaped.
function tooLong({ ids, note = "" }: Texts): StoreError | undefined {
  for (const { length } of ids) {
    if (length <= MAX_ID_CHARS) continue;
    return new StoreError(`Cannot write an id of ${length} characters: at most ${MAX_ID_CHARS}`);
  }
  if (note.length <= MAX_NOTE_CHARS) return undefined;
  return new StoreError(
    `Cannot write a note of ${note.length} characters: at most ${MAX_NOTE_CHARS}`,
  );
}
