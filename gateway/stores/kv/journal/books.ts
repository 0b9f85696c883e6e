import type { EndedHold, Hold, KeySpend, Wallet } from "../../../domain/ledger/ledger.ts";
import { EMPTY_TRAIL, type TrailHead } from "../../../domain/operators/trail.ts";
import { budgetOwner, type CreditRecord, type LedgerView } from "../../../domain/ledger/state.ts";
import type { RequestSum } from "../../../domain/requests/request_sum.ts";
import { IDLE_ROWS, MAX_REMEMBERED_ENDINGS } from "../limits.ts";
import { BoundedMap } from "../../../system/bounded_map.ts";
import { LoadedRows } from "./loaded_rows.ts";

/** Reads rows of the ledger from the store. */
export interface LedgerRows {
  wallet(id: string): Promise<Wallet | undefined>;
  spend(keyId: string): Promise<KeySpend | undefined>;
}

/** A wallet, and the key whose spend is decided on, if any. */
export interface PinnedRows {
  readonly walletId: string;
  readonly keyId?: string | undefined;
}

/** Ids of changed wallets, and of keys whose spend changed. */
export interface ChangedIds {
  readonly wallets: Iterable<string>;
  readonly spends: Iterable<string>;
}

/** Number of rows that only ever grow in number, so that a list has a total without a count. */
export interface RowCounts {
  readonly wallets: number;
  readonly keys: number;
}

/**
 * The durable state of the ledger, in memory: all open holds, and wallets and spends while they are
 * used or their rows are out of date. Contains only what a commit has made durable.
 */
export class Books implements LedgerView {
  readonly wallets: LoadedRows<Wallet>;
  readonly spends: LoadedRows<KeySpend>;
  counts: RowCounts;
  /** End of the audit log. */
  trail: TrailHead;
  readonly #holds = new Map<string, Hold>();
  /** Sums of the log rows stored for the case that the gateway dies, by the ids of the rows. */
  readonly killedRows: Map<string, RequestSum> = new Map();
  readonly #ended = new BoundedMap<string, EndedHold>(MAX_REMEMBERED_ENDINGS);
  readonly #credits = new BoundedMap<string, CreditRecord>(MAX_REMEMBERED_ENDINGS);

  /** `idleRows` wallets, and spends, stay in memory besides those in use. */
  constructor(
    rows: LedgerRows,
    { counts = { wallets: 0, keys: 0 }, trail = EMPTY_TRAIL, idleRows = IDLE_ROWS }: {
      readonly counts?: RowCounts | undefined;
      readonly trail?: TrailHead | undefined;
      readonly idleRows?: number | undefined;
    } = {},
  ) {
    this.wallets = new LoadedRows("Wallet", { read: rows.wallet, idleMax: idleRows });
    this.spends = new LoadedRows("Spend", { read: rows.spend, idleMax: idleRows });
    this.counts = counts;
    this.trail = trail;
  }

  /** Open holds, oldest first. */
  get holds(): ReadonlyMap<string, Hold> {
    return this.#holds;
  }

  /**
   * Keeps a wallet, and the spend of a key, in memory until {@linkcode Books.unpin}. Returns
   * `undefined` if they are there already, else a promise; if that rejects, neither is kept.
   */
  pin({ walletId, keyId }: PinnedRows): Promise<void> | undefined {
    const wallet = this.wallets.pin(walletId);
    const spend = keyId === undefined ? undefined : this.spends.pin(keyId);
    if (wallet === undefined && spend === undefined) return undefined;
    return this.#pinned({ walletId, keyId }, [wallet, spend]);
  }

  /** Ends a call of {@linkcode Books.pin}. */
  unpin({ walletId, keyId }: PinnedRows): void {
    this.wallets.unpin(walletId);
    if (keyId !== undefined) this.spends.unpin(keyId);
  }

  /**
   * Keeps wallets and spends that are in memory there until {@linkcode Books.release}: those that a
   * commit changes, until it is known to have landed, and then until their rows are up to date.
   */
  keep({ wallets, spends }: ChangedIds): void {
    for (const id of wallets) this.wallets.keep(id);
    for (const id of spends) this.spends.keep(id);
  }

  /** Ends a call of {@linkcode Books.keep}. */
  release({ wallets, spends }: ChangedIds): void {
    for (const id of wallets) this.wallets.unpin(id);
    for (const id of spends) this.spends.unpin(id);
  }

  async #pinned(
    { walletId, keyId }: PinnedRows,
    [wallet, spend]: readonly (Promise<void> | undefined)[],
  ): Promise<void> {
    const [first, second] = await Promise.allSettled([wallet, spend]);
    if (first?.status !== "rejected" && second?.status !== "rejected") return;
    if (first?.status === "fulfilled") this.wallets.unpin(walletId);
    if (second?.status === "fulfilled" && keyId !== undefined) this.spends.unpin(keyId);
    throw first?.status === "rejected" ? first.reason : Object(second).reason;
  }

  wallet(id: string): Wallet | undefined {
    return this.wallets.inUse(id);
  }

  spend(keyId: string): KeySpend | undefined {
    return this.spends.inUse(keyId);
  }

  hold(id: string): Hold | undefined {
    return this.#holds.get(id);
  }

  /** Adds an open hold, or replaces it by one with a later checkpoint. Its wallet is in memory. */
  open(hold: Hold): void {
    if (!this.#holds.has(hold.id)) void this.pin(rowsOf(hold));
    this.#holds.set(hold.id, hold);
  }

  ended(id: string): EndedHold | undefined {
    return this.#ended.get(id);
  }

  credit(opId: string): CreditRecord | undefined {
    return this.#credits.get(opId);
  }

  /** Ends a hold and remembers the outcome for a while. */
  end(ended: EndedHold): void {
    if (this.#holds.delete(ended.hold.id)) this.unpin(rowsOf(ended.hold));
    this.#ended.set(ended.hold.id, ended);
  }

  /** Remembers a credit for a while. */
  rememberCredit(opId: string, credit: CreditRecord): void {
    this.#credits.set(opId, credit);
  }
}

/** Returns the rows that ending a hold changes. */
export function rowsOf(hold: Hold): PinnedRows {
  return { walletId: hold.walletId, keyId: budgetOwner(hold) };
}
