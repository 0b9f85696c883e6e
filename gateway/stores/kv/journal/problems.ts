import type { ProblemList } from "../../../domain/ledger/replay.ts";
import { MAX_PROBLEM_CHARS, MAX_PROBLEMS } from "../limits.ts";

/**
 * The first problems, one sentence each and each once, and the number of the others: one damage can
 * cause many.
 */
export class Problems implements ProblemList {
  readonly first: string[] = [];
  #more = 0;

  /** Number of problems beyond the first ones. */
  get more(): number {
    return this.#more;
  }

  push(sentence: string): void {
    const text = sentence.length <= MAX_PROBLEM_CHARS
      ? sentence
      : `${sentence.slice(0, MAX_PROBLEM_CHARS).toWellFormed()}…`;
    if (this.first.includes(text)) return;
    if (this.first.length >= MAX_PROBLEMS) this.#more++;
    else this.first.push(text);
  }
}
