import type { ProblemList } from "../../../domain/ledger/replay.ts";
import { MAX_PROBLEM_CHARS, MAX_PROBLEMS } from "../limits.ts";

/**
 * The first problems, one sentence each, and the number of the others: one damage can cause many.
 */
export class Problems implements ProblemList {
  readonly first: string[] = [];
  #more = 0;

  /** Number of problems beyond the first ones. */
  get more(): number {
    return this.#more;
  }

  push(sentence: string): void {
    if (this.first.length >= MAX_PROBLEMS) this.#more++;
    else if (sentence.length <= MAX_PROBLEM_CHARS) this.first.push(sentence);
    else this.first.push(`${sentence.slice(0, MAX_PROBLEM_CHARS).toWellFormed()}…`);
  }
}
