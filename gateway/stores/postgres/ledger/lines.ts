/**
 * The lines of waiting holds that one batch sees: of each wallet its length, and of each key and
 * its names the first holds. A batch that has served all that it sees of these leaves the rest to
 * another one.
 *
 * @module
 */

import type { HoldCommand } from "../../../domain/ledger/ledger.ts";
import type { ShortBudgets } from "../../../domain/ledger/budgets.ts";
import { textId } from "../text_id.ts";
import type { ReadWaiting, Waiting } from "./rows.ts";

/** A hold in a line. One that arrives with this batch has no number, and is behind all others. */
type Placed = Waiting & { readonly number?: number };

/** The last hold that a batch sees of a key and its names, which may have more behind it. */
interface End {
  readonly command: HoldCommand;
  readonly number: number;
}

/** Waiting holds, with the arrivals and departures of this batch. */
export class Lines {
  #waiting: readonly Placed[];
  readonly #lengths = new Map<string, number>();
  readonly #ends = new Map<string, readonly End[]>();
  readonly #shortened = new Set<string>();
  /** Holds that enter the line with this batch. */
  readonly arrived = new Map<string, Waiting>();
  /** Stored ids of holds that leave the line with this batch. */
  readonly departed = new Set<string>();
  /** Wallets whose lines are to be served by another batch. */
  readonly unserved = new Set<string>();

  constructor(read: readonly ReadWaiting[]) {
    this.#waiting = read.toSorted((one, other) => one.number - other.number);
    for (const { command, number, isLast, length } of read) {
      const { walletId } = command;
      this.#lengths.set(walletId, length);
      if (!isLast) continue;
      const end = { command, number };
      this.#ends.set(walletId, [...this.#ends.get(walletId) ?? [], end]);
    }
  }

  /** Returns the holds that wait for a wallet, in the order of their arrival at any instance. */
  of(walletId: string): readonly Placed[] {
    return this.#waiting.filter(({ command }) => command.walletId === walletId);
  }

  /** Number of holds that wait for a wallet. */
  length(walletId: string): number {
    return this.#lengths.get(walletId) ?? 0;
  }

  /**
   * True where a wallet's line may have holds before a number that this batch does not see, except
   * for those that count against a budget in `passed`.
   *
   * @default before {the end of the line}
   */
  hasUnseen(walletId: string, passed: Pick<ShortBudgets, "has">, before = Infinity): boolean {
    const ends = this.#ends.get(walletId) ?? [];
    return ends.some(({ command, number }) => number < before && !passed.has(command));
  }

  /** Lets a hold wait, behind all others. */
  add(waiting: Waiting): void {
    const { holdId, walletId } = waiting.command;
    this.#waiting = [...this.#waiting, waiting];
    this.#lengths.set(walletId, this.length(walletId) + 1);
    this.arrived.set(holdId, waiting);
  }

  /** Leaves the rest of a line to another batch, if this one has taken some out of it. */
  leaveRest(walletId: string): void {
    if (this.#shortened.has(walletId)) this.unserved.add(walletId);
  }

  /** Takes a hold out of the line. Returns its command, if it was there. */
  remove(holdId: string): HoldCommand | undefined {
    const command = this.#waiting.find((other) => other.command.holdId === holdId)?.command;
    if (!this.arrived.delete(holdId)) this.departed.add(textId(holdId));
    if (command === undefined) return undefined;
    this.#waiting = this.#waiting.filter((other) => other.command.holdId !== holdId);
    this.#lengths.set(command.walletId, this.length(command.walletId) - 1);
    this.#shortened.add(command.walletId);
    return command;
  }
}
