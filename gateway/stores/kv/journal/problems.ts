import type { ProblemList } from "../../../domain/ledger/replay.ts";
import { MAX_PROBLEM_CHARS, MAX_PROBLEMS } from "../limits.ts";

/** The first problems, a sentence each, and the number of the others: one damage can have many. */
export class Problems implements ProblemList {
  readonly first: string[] = [];
  #more = 0;

  /** How many there are beyond the first. */
  get more(): number {
    return this.#more;
  }

  push(sentence: string): void {
    if (this.first.length >= MAX_PROBLEMS) this.#more++;
    else if (sentence.length <= MAX_PROBLEM_CHARS) this.first.push(sentence);
    else this.first.push(`${sentence.slice(0, MAX_PROBLEM_CHARS).toWellFormed()}…`);
  }
}
