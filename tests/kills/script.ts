/**
 * What a model is told to say, and what it then says: known beforehand, so that whoever reads part of
 * it can tell how much of it there was, and what that costs.
 *
 * @module
 */

/** How a model answers. */
export interface Script {
  /** None: it fails instead. */
  readonly words: number;
  /** Pause before each word, in milliseconds. */
  readonly gapMs: number;
  /** Whether usage is reported; else the gateway counts. */
  readonly reports: boolean;
}

/** Each is one token of `o200k_base`, also with the space before it. */
const WORDS = "one two three four five six seven eight nine ten red green blue white black gold"
  .split(" ");

/** The request of a script. */
export function promptOf({ words, gapMs, reports }: Script): string {
  const last = reports ? ", and say what it took" : "";
  return `Say ${words} words, one every ${gapMs} ms${last}`;
}

/** The script of a request. */
export function scriptOf(prompt: string): Script {
  const [words = 0, gapMs = 0] = (prompt.match(/\d+/g) ?? []).map(Number);
  return { words, gapMs, reports: prompt.endsWith("took") };
}

/** One word of an answer, with the space before it. */
export function wordAt(at: number): string {
  return `${at === 0 ? "" : " "}${WORDS[at % WORDS.length]}`;
}

/** How many words a text is of an answer. Throws where no answer begins like that. */
export function wordsIn(text: string): number {
  let said = "";
  let words = 0;
  while (said.length < text.length) said += wordAt(words++);
  if (said !== text) throw new Error(`No model said "${text}"`);
  return words;
}
