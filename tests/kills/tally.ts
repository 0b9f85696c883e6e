/**
 * The figures of a run.
 *
 * @module
 */

import { assert } from "@std/assert";
import { type Evidence, orphansOf, type Verdict } from "./verdicts.ts";
import { priceOf } from "./counting_upstream.ts";

/** Kind of a kill. */
export type Kill =
  | "killed under load"
  | "killed settling"
  | "killed frozen"
  | "killed while starting"
  | "killed while recovering";

/** Figures of a run. */
export class Tally {
  readonly #kills = new Map<Kill, number>();
  readonly #recoveriesMs: number[] = [];
  #figures: Readonly<Record<string, number | string>> = {};
  #charged = 0n;

  /** Sum of all settlements. */
  get chargedMicros(): bigint {
    return this.#charged;
  }

  /** Counts a kill. */
  count(kill: Kill): void {
    this.#kills.set(kill, (this.#kills.get(kill) ?? 0) + 1);
  }

  /** Notes the duration of a complete start, in milliseconds. */
  recovered(ms: number): void {
    this.#recoveriesMs.push(Math.round(ms));
  }

  /** Counts the evidence and its verdict. */
  take(evidence: Evidence, verdict: Verdict): void {
    const { books, calls, sightings } = evidence;
    const endings = [...books.holds.values()].flatMap(({ endings }) => endings);
    const orphans = orphansOf(evidence);
    const ended = (kind: string) => endings.filter((ending) => ending.kind === kind).length;
    const seen = (ending: string) => sightings.filter((one) => one.ending === ending).length;
    this.#charged = endings.reduce((sum, { micros }) => sum + micros, 0n);
    const reached = new Set(calls.map(({ requestId }) => requestId));
    const waiting = sightings.filter(({ ending, requestId }) =>
      ending === "unanswered" && !reached.has(requestId)
    );
    const counted = calls.reduce((sum, call) => sum + priceOf(call), 0n);
    this.#figures = {
      "requests sent": sightings.length - seen("refused"),
      "answers complete": seen("complete"),
      "answers cut": seen("cut"),
      "left by the client": seen("left"),
      "refused by the gateway": seen("answered"),
      "unanswered": seen("unanswered"),
      "of these, never at the upstream": waiting.length,
      "connections refused": seen("refused"),
      "calls at the upstream": calls.length,
      "settlements": ended("settle"),
      "voided": ended("void"),
      "expired": ended("expire"),
      "orphans settled by checkpoint":
        orphans.filter(({ endings: [end] }) => end?.kind === "settle")
          .length,
      "micro-credits charged": `${this.#charged}`,
      "micro-credits by the upstream's count": `${counted}`,
      "micro-credits overspent": `${verdict.overspentMicros}`,
      "settlements lost": verdict.lost.length,
      "settlements doubled": verdict.doubled.length,
    };
  }

  /** Returns the figures on one line. */
  line(): string {
    const { "answers complete": complete, settlements, expired } = this.#figures;
    const kills = [...this.#kills.values()].reduce((sum, count) => sum + count, 0);
    const ready = this.#recoveriesMs.at(-1);
    return `${kills} kills, ${complete} complete, ${settlements} settled, ${expired} expired, ` +
      `ready after ${ready} ms`;
  }

  /** Returns all figures as a table. */
  table(): string {
    const sorted = this.#recoveriesMs.toSorted((a, b) => a - b);
    const rows = Object.entries({
      ...Object.fromEntries(this.#kills),
      ...this.#figures,
      "median time to be ready again, ms": sorted[Math.floor(sorted.length / 2)],
      "longest, ms": sorted.at(-1),
    });
    return rows.map(([name, figure]) => `${name.padEnd(40)} ${`${figure}`.padStart(12)}`).join(
      "\n",
    );
  }

  /** Fails if the run did not cover its subject; `all`: also the rarer events. */
  assertShown({ all }: { readonly all: boolean }): void {
    const always = ["answers complete", "unanswered", "settlements", "expired"];
    const rarely = [
      "answers cut",
      "left by the client",
      "refused by the gateway",
      "voided",
      "orphans settled by checkpoint",
    ];
    for (const name of all ? [...always, ...rarely] : always) {
      assert(Number(this.#figures[name]) > 0, `No ${name}:\n${this.table()}`);
    }
  }
}
