import type { Wallet } from "../domain/ledger/ledger.ts";
import { isLow, type LowMark } from "../domain/ledger/low_balance.ts";
import type { LedgerStore } from "../ports/ledger_store.ts";

/** Wallets whose marks are read together. */
const WALLETS_AT_ONCE = 500;
/** Longest count that every reader of the metrics waits for, in milliseconds. */
const SHORT_COUNT_MS = 50;
/** A longer count is repeated after this many times its duration: it takes 1 % of the time. */
const PAUSES_PER_COUNT = 99;

/** Sums over all wallets. */
export interface WalletSums {
  readonly availableMicros: bigint;
  readonly low: number;
}

/** The sources of the sums. */
export interface WalletSources {
  readonly ledger: Pick<LedgerStore, "allWallets">;
  readonly lowBalances: {
    marksOf(wallets: readonly Wallet[]): Promise<readonly LowMark[]>;
  };
  /** Returns a time that only grows, in milliseconds. @default {performance.now} */
  readonly monotonicMs?: (() => number) | undefined;
}

/**
 * Sums over all wallets. Few wallets are counted whenever the sums are read. A count that takes long
 * is repeated beside the readers, so seldom that it takes 1 % of the time; readers receive the last
 * one.
 */
export class WalletTotals {
  readonly #sources: WalletSources;
  readonly #nowMs: () => number;
  #last: { readonly sums: WalletSums; readonly tookMs: number; readonly atMs: number } | undefined;
  #counting: Promise<WalletSums> | undefined;

  constructor(sources: WalletSources) {
    this.#sources = sources;
    this.#nowMs = sources.monotonicMs ?? (() => performance.now());
  }

  /** Returns the sums, as they are or as they were counted last. */
  async read(): Promise<WalletSums> {
    const last = this.#last;
    if (last === undefined || last.tookMs <= SHORT_COUNT_MS) return await this.#count();
    if (this.#nowMs() - last.atMs >= PAUSES_PER_COUNT * last.tookMs) {
      // The store reports its failures itself; the next read tries again.
      this.#count().catch(() => {});
    }
    return last.sums;
  }

  #count(): Promise<WalletSums> {
    return this.#counting ??= this.#sum().finally(() => this.#counting = undefined);
  }

  async #sum(): Promise<WalletSums> {
    const startMs = this.#nowMs();
    let availableMicros = 0n;
    let low = 0;
    let some: Wallet[] = [];
    for await (const wallet of this.#sources.ledger.allWallets()) {
      availableMicros += wallet.available;
      if (some.push(wallet) < WALLETS_AT_ONCE) continue;
      low += await this.#lowAmong(some);
      some = [];
    }
    low += await this.#lowAmong(some);
    const atMs = this.#nowMs();
    const sums = { availableMicros, low };
    this.#last = { sums, tookMs: atMs - startMs, atMs };
    return sums;
  }

  async #lowAmong(wallets: readonly Wallet[]): Promise<number> {
    const marks = await this.#sources.lowBalances.marksOf(wallets);
    return wallets.filter((wallet, at) => {
      const mark = marks[at];
      return mark !== undefined && isLow(wallet, mark);
    }).length;
  }
}
