/**
 * Corrections of the operator, each repeated under its id until the service confirms or refuses it.
 *
 * @module
 */

import type { CorrectionCommand } from "../../gateway/domain/ledger/correction_types.ts";
import { refundId } from "../../gateway/domain/ledger/correction.ts";
import type { Accuse } from "./books.ts";
import { TIERS, walletId, WALLETS } from "./founding.ts";
import type { DrawnCorrection } from "./steps.ts";
import type { WorldFacts } from "./world_facts.ts";

interface Attempt {
  readonly command: CorrectionCommand;
  state: "open" | "asked" | "done";
  life: number;
  /** True once it was applied. */
  isApplied: boolean;
}

/** The operator who corrects. */
export class Corrections {
  readonly #world: WorldFacts;
  readonly #accuse: Accuse;
  readonly #life: () => number;
  readonly #all: Attempt[] = [];
  /** Read by a process at its start. */
  readonly #read = new Set<string>();

  /** `life` is the number of the present or last process. */
  constructor(
    world: WorldFacts,
    { accuse, life }: { readonly accuse: Accuse; readonly life: () => number },
  ) {
    this.#world = world;
    this.#accuse = accuse;
    this.#life = life;
  }

  /** Ids of those that the service has not answered. */
  get unanswered(): string[] {
    return this.#all.filter(({ state }) => state !== "done").map(({ command }) => command.opId);
  }

  /** True for a correction that is known to the process, and not only landed. */
  isConfirmed(opId: string | undefined): boolean {
    if (opId === undefined) return false;
    return this.#read.has(opId) ||
      this.#all.some(({ command, isApplied }) => isApplied && command.opId === opId);
  }

  /** Number of changes of tiers before the first that is not known to the process. */
  get confirmedTierChanges(): number {
    const { tierChanges } = this.#world.books;
    const first = tierChanges.findIndex(({ id }) => !this.isConfirmed(id));
    return first < 0 ? tierChanges.length : first;
  }

  /** A new process reads all that has landed. */
  begin(): void {
    for (const opId of this.#world.books.corrections.keys()) this.#read.add(opId);
  }

  /** Makes a correction. */
  make(drawn: DrawnCorrection): void {
    if (drawn.what === "again") return this.#repeat(drawn);
    const command = this.#commandOf(drawn);
    if (command === undefined) return;
    const attempt: Attempt = { command, state: "open", life: 0, isApplied: false };
    this.#all.push(attempt);
    this.#try(attempt);
  }

  /** Sends one again, as an operator does who has lost the answer, or never looked at it. */
  #repeat({ pick }: DrawnCorrection): void {
    const attempt = this.#all[Math.floor(pick * this.#all.length)];
    if (attempt !== undefined) this.#try(attempt);
  }

  /** Repeats those that failed, or that an earlier process did not answer. */
  tryAgain(): void {
    for (const attempt of this.#all) {
      const isLost = attempt.state === "asked" && attempt.life !== this.#life();
      if (attempt.state === "open" || isLost) this.#try(attempt);
    }
  }

  #commandOf(drawn: DrawnCorrection): CorrectionCommand | undefined {
    const { what, number, amount } = drawn;
    const { books, keys } = this.#world;
    const wallet = walletId(number % WALLETS);
    const micros = BigInt(amount);
    const common = {
      ...{ opId: `cor-${this.#all.length}`, walletId: wallet, note: "simulated", atMs: 1 },
    };
    const { credits = 0n, spent = 0n } = books.wallets.get(wallet) ?? {};
    const expected = credits - spent;
    switch (what) {
      case "debit":
        return { kind: "debit", ...common, amount: micros };
      case "adjust":
        return { kind: "adjust", ...common, expected, counted: expected + micros / 2n };
      case "tier":
        return { kind: "tier", ...common, tier: TIERS[amount % 2] ?? TIERS[0] };
      case "close":
        return { kind: "close", ...common, expected };
      case "move": {
        const keyId = keys[number % keys.length]?.id;
        const to = walletId(amount % WALLETS);
        return keyId === undefined
          ? undefined
          : { kind: "move", ...common, keyId, walletId: to, from: "" };
      }
      default:
        return this.#refundOf(drawn, common);
    }
  }

  #refundOf(
    { pick }: DrawnCorrection,
    common: Pick<CorrectionCommand, "note" | "atMs">,
  ): CorrectionCommand | undefined {
    const { books } = this.#world;
    const paid = books.settlements[Math.floor(pick * books.settlements.length)];
    if (paid === undefined || paid.charged === 0n) return undefined;
    const { holdId: logId, charged } = paid;
    // The second refund of a call has another amount, and is refused.
    const part = books.corrections.has(refundId(logId)) ? 1n : charged;
    const refund = { kind: "refund", walletId: paid.wallet, logId, charged, amount: part } as const;
    return { ...common, ...refund, opId: refundId(logId) };
  }

  #try(attempt: Attempt): void {
    const life = this.#life();
    if (this.#world.service === undefined) return;
    attempt.state = "asked";
    attempt.life = life;
    this.#apply(attempt).then((refusal) => {
      if (attempt.life !== life || life !== this.#life()) return;
      attempt.state = "done";
      const { opId } = attempt.command;
      if (refusal === undefined && !this.#world.books.corrections.has(opId)) {
        this.#accuse("what is acknowledged is durable", `correction ${opId}`);
      }
      // A key may have moved on while the repeat looked for it.
      if (refusal !== undefined && refusal !== "overtaken" && attempt.isApplied) {
        this.#accuse("a repeated correction is answered as the first", `${opId}: ${refusal}`);
      }
      attempt.isApplied ||= refusal === undefined;
    }, () => {
      if (attempt.life === life) attempt.state = "open";
    });
  }

  /** Applies a correction; returns its refusal, if any. */
  async #apply({ command }: Attempt): Promise<string | undefined> {
    const { stores } = this.#world.service ?? {};
    if (stores === undefined) return undefined;
    const key = command.kind === "move" ? await stores.keys.get(command.keyId) : undefined;
    const located = command.kind === "move" ? { ...command, from: key?.walletId ?? "" } : command;
    const author = { kind: "nobody", id: "", name: "", address: null, requestId: "" } as const;
    const entry = () => ({
      ...{ atMs: 1, author, action: "correct", stage: "done", subject: command.opId } as const,
    });
    const applied = await stores.corrections.apply(located, { entry });
    return applied.ok ? undefined : applied.refusal;
  }
}
