/**
 * Payments of the operator, each repeated under its id until the service confirms it.
 *
 * @module
 */

import type { Accuse } from "./books.ts";
import { walletId } from "./founding.ts";
import type { WorldFacts } from "./world_facts.ts";

/** A payment, until the service confirms it, or refuses it because its wallet is closed. */
interface Payment {
  readonly opId: string;
  readonly wallet: number;
  readonly amount: bigint;
  state: "open" | "asked" | "done";
}

/** The operator who pays credits in. */
export class Payments {
  readonly all: Payment[] = [];
  readonly #world: WorldFacts;
  readonly #accuse: Accuse;
  readonly #life: () => number;

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
  get unpaid(): string[] {
    return this.all.filter(({ state }) => state !== "done").map(({ opId }) => opId);
  }

  /** Pays credits in. */
  pay(wallet: number, amount: bigint): void {
    const payment: Payment = { opId: `op-${this.all.length}`, wallet, amount, state: "open" };
    this.all.push(payment);
    this.#try(payment);
  }

  /** Repeats those that failed. */
  tryAgain(): void {
    for (const payment of this.all) this.#try(payment);
  }

  /** Lets a new process try what an earlier one did not answer. */
  begin(): void {
    for (const payment of this.all) if (payment.state === "asked") payment.state = "open";
  }

  #try(payment: Payment): void {
    const { service, books } = this.#world;
    if (service === undefined || payment.state !== "open") return;
    const { opId, wallet, amount } = payment;
    payment.state = "asked";
    const life = this.#life();
    service.stores.ledger.credit({
      ...{ kind: "credit", opId, walletId: walletId(wallet), amount, note: "simulated", atMs: 1 },
    }).then((applied) => {
      if (life !== this.#life()) return;
      payment.state = "done";
      if (!applied.ok && books.closed.has(walletId(wallet))) return;
      if (!applied.ok || books.credits.get(opId) !== amount) {
        this.#accuse("what is acknowledged is durable", `credit ${opId} of ${amount}`);
      }
    }, () => {
      if (life === this.#life()) payment.state = "open";
    });
  }
}
