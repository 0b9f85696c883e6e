/**
 * The statistics that a process has acknowledged: later processes must have it, and count nothing
 * that was not served.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import type { RoutingSnapshot } from "../../gateway/domain/learning/snapshot.ts";
import type { Learning } from "../../gateway/flows/learn/learning.ts";
import type { Accuse } from "./books.ts";

/** The acknowledged snapshots of a world. */
export class Learned {
  readonly #accuse: Accuse;
  /** Number and content of the newest snapshot that a process had in force. */
  #newest: { readonly number: number; readonly text: string } = { number: 0, text: "" };
  /** Number of acknowledged snapshots. */
  taken = 0;
  /** True while the process takes one. */
  isTaking = false;
  readonly #settlements: () => number;
  /** Statistics of the present process. */
  #learning: Learning | undefined;

  /** `settlements` returns the number of calls that were charged so far. */
  constructor(accuse: Accuse, settlements: () => number) {
    this.#accuse = accuse;
    this.#settlements = settlements;
  }

  /** Checks the snapshot that a new process has in force. */
  begin(learning: Learning): void {
    this.#learning = learning;
    this.isTaking = false;
    this.#note(learning.newest());
  }

  /** Takes a snapshot, and checks it if the process is still there. */
  take(learning: Learning): void {
    this.isTaking = true;
    void learning.take().then(() => {
      if (learning !== this.#learning) return;
      this.isTaking = false;
      this.#note(learning.newest());
    });
  }

  #note(snapshot: RoutingSnapshot): void {
    const settlements = this.#settlements();
    const text = textOf(snapshot);
    const { number } = snapshot;
    if (number < this.#newest.number) {
      this.#accuse("an acknowledged snapshot is durable", `${number} after ${this.#newest.number}`);
    }
    if (number === this.#newest.number && number > 0 && text !== this.#newest.text) {
      this.#accuse("a snapshot never changes", `${number}: ${text}; was ${this.#newest.text}`);
    }
    const served = servedIn(snapshot);
    if (served > settlements) {
      this.#accuse("nothing is learned twice", `${served} served, ${settlements} settled`);
    }
    if (number > this.#newest.number) {
      this.taken++;
      this.#newest = { number, text };
    }
  }
}

function servedIn({ wallets }: RoutingSnapshot): number {
  return [...wallets.values()].flatMap(({ totals }) => Object.values(totals))
    .reduce((sum, { served }) => sum + served, 0);
}

/** Returns the content of a snapshot, whatever the order of its members. */
function textOf(snapshot: RoutingSnapshot): string {
  return JSON.stringify({ ...snapshot, wallets: [...snapshot.wallets] }, (_, value) => {
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
  });
}
