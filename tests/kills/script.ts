/**
 * Instructions for a model, and its known text: a reader of a part of it can compute its length and
 * its price.
 *
 * @module
 */

/** The behaviour of a model. */
export interface Script {
  /** Number of words; with 0 it fails instead. */
  readonly words: number;
  /** Pause before each word, in milliseconds. */
  readonly gapMs: number;
  /** True when usage is reported; otherwise the gateway counts. */
  readonly reports: boolean;
}

/** Each is one token of `o200k_base`, also with the space before it. */
const WORDS = "one two three four five six seven eight nine ten red green blue white black gold"
  .split(" ");

/** Returns the prompt for a script. */
export function promptOf({ words, gapMs, reports }: Script): string {
  const last = reports ? ", and say what it took" : "";
  return `Say ${words} words, one every ${gapMs} ms${last}`;
}

/** Returns the script of a prompt. */
export function scriptOf(prompt: string): Script {
  const [words = 0, gapMs = 0] = (prompt.match(/\d+/g) ?? []).map(Number);
  return { words, gapMs, reports: prompt.endsWith("took") };
}

/** Returns one word of an answer, with the space before it. */
export function wordAt(at: number): string {
  return `${at === 0 ? "" : " "}${WORDS[at % WORDS.length]}`;
}

/** Returns the number of words of an answer in a text. Throws if no answer begins like that. */
export function wordsIn(text: string): number {
  let answer = "";
  let words = 0;
  while (answer.length < text.length) answer += wordAt(words++);
  if (answer !== text) throw new Error(`No model answers "${text}"`);
  return words;
}
