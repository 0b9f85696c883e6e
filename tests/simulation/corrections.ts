/**
 * Corrections of the operator, each repeated under its id until the service confirms or refuses it.
 *
 * @module
 */

import type { CorrectionCommand } from "../../gateway/domain/ledger/correction_types.ts";
import { refundId } from "../../gateway/domain/ledger/correction.ts";
import type { Accuse } from "./books.ts";
import { walletId, WALLETS } from "./founding.ts";
import type { DrawnCorrection } from "./steps.ts";
import type { WorldFacts } from "./world_facts.ts";

interface Attempt {
  readonly command: CorrectionCommand;
  state: "open" | "asked" | "done";
  life: number;
}

/** The operator who corrects. */
export class Corrections {
  readonly #world: WorldFacts;
  readonly #accuse: Accuse;
  readonly #life: () => number;
  readonly #all: Attempt[] = [];

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

  /** Makes a correction. */
  make(drawn: DrawnCorrection): void {
    const command = this.#commandOf(drawn);
    if (command === undefined) return;
    const attempt: Attempt = { command, state: "open", life: 0 };
    this.#all.push(attempt);
    this.#try(attempt);
  }

  /** Repeats those that failed, or that an earlier process did not answer. */
  tryAgain(): void {
    for (const attempt of this.#all) {
      const isLost = attempt.state === "asked" && attempt.life !== this.#life();
      if (attempt.state === "open" || isLost) this.#try(attempt);
    }
  }

  #commandOf({ what, number, amount, pick }: DrawnCorrection): CorrectionCommand | undefined {
    const { books, keys } = this.#world;
    const wallet = walletId(number % WALLETS);
    const micros = BigInt(amount);
    const common = { opId: `cor-${this.#all.length}`, note: "simulated", atMs: 1 };
    if (what === "debit") return { kind: "debit", walletId: wallet, amount: micros, ...common };
    if (what === "adjust") {
      const { credits = 0n, spent = 0n } = books.wallets.get(wallet) ?? {};
      const expected = credits - spent;
      const adjust = { kind: "adjust", walletId: wallet, expected } as const;
      return { ...adjust, counted: expected + micros / 2n, ...common };
    }
    if (what === "move") {
      const key = keys[number % keys.length];
      // Those of the first wallet keep it: it has another tier.
      if (key === undefined || key.founded === 0) return undefined;
      const to = walletId(1 + amount % (WALLETS - 1));
      return { kind: "move", keyId: key.id, walletId: to, from: "", ...common };
    }
    const paid = books.settlements[Math.floor(pick * books.settlements.length)];
    if (paid === undefined || paid.charged === 0n) return undefined;
    const { holdId: logId, charged } = paid;
    // The second refund of a call has another amount, and is refused.
    const part = books.corrections.has(refundId(logId)) ? 1n : charged;
    const refund = { kind: "refund", walletId: paid.wallet, logId, charged, amount: part } as const;
    return { ...refund, ...common, opId: refundId(logId) };
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
