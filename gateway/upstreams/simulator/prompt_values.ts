/**
 * Values of arguments from the facts of a question: by an argument's name, its type and its enum.
 *
 * @module
 */

import type { JsonRecord } from "./chat_request.ts";
import type { NameFact, PromptFacts } from "./prompt_facts.ts";
import { wordsOf } from "./prompt_facts.ts";
import type { Instance } from "./instance.ts";
import { queryOf } from "./searching.ts";

type Kind = Exclude<keyof PromptFacts, "text" | "numbers" | "names">;

const PLACE = ["location", "city", "place", "country", "region", "town", "state", "area", "where"];
const FROM = ["from", "origin", "source", "departure", "start"];
const TO = ["to", "destination", "arrival", "target", "end"];
const ASKED = ["query", "q", "question", "search", "prompt", "keyword", "keywords", "topic"];
const WRITTEN = ["subject", "title", "body", "message", "content", "text", "note", "comment"];
const RELATIVE_DAY =
  /\b(?:today|tonight|tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i;
const WORDING = /\b(?:saying|says?|that reads|telling (?:him|her|them))[: ]+(.{1,200})$/i;
const ABOUT = /\b(?:about|regarding) (.{1,120}?)(?= in the\b| on the\b| from the\b|[?!.]|$)/i;

/** Kinds of facts by words of an argument's name; the first match counts. */
const KINDS: readonly (readonly [words: readonly string[], kinds: readonly Kind[]])[] = [
  [["email", "emails", "recipient", "recipients", "cc"], ["emails"]],
  [["url", "uri", "link", "website"], ["urls"]],
  [["date", "day", "when"], ["dates"]],
  [["path", "file", "filename", "folder", "directory"], ["quoted", "paths"]],
  [["expression", "formula", "equation"], ["expressions"]],
  [["ticker", "symbol", "currency", "code", "iata"], ["quoted", "codes"]],
  [["id", "number", "reference", "sku"], ["quoted", "ids", "codes"]],
];

const FORMATS: ReadonlyMap<unknown, readonly Kind[]> = new Map([
  ["email", ["emails"]],
  ["uri", ["urls"]],
  ["url", ["urls"]],
  ["date", ["dates"]],
  ["date-time", ["dates"]],
]);

/** Values of one question; each fact is used once. */
export class PromptValues {
  readonly #facts: PromptFacts;
  readonly #used = new Set<unknown>();
  /** Number of values that came from the question. */
  useCount = 0;
  /** Number of values that were made up. */
  guessed = 0;
  /** Unused names or addresses of the list that a value came from. */
  others: readonly string[] = [];

  constructor(facts: PromptFacts) {
    this.#facts = facts;
  }

  /** Returns a text for an argument of this name; `undefined` where the question has none. */
  text(
    name: string,
    { format, pattern, minLength, maxLength }: JsonRecord,
    { isRequired }: { readonly isRequired: boolean },
  ): Instance {
    // A pattern comes from the caller and is not executed.
    if (pattern !== undefined) return undefined;
    const value = this.#textFor(wordsOf(name), { format, isRequired });
    const fits = value !== undefined && value.length <= Number(maxLength ?? Infinity) &&
      value.length >= Number(minLength ?? 0);
    if (!fits) return undefined;
    this.useCount++;
    return { value };
  }

  /** Returns a number, preferably one next to the argument's name. */
  number(
    name: string,
    { isRequired, allows }: {
      readonly isRequired: boolean;
      readonly allows: (value: number) => boolean;
    },
  ): Instance {
    const words = wordsOf(name);
    const free = this.#facts.numbers.filter((fact) => !this.#used.has(fact) && allows(fact.value));
    const named = free.find(({ beside }) => words.some((word) => beside.some(isLike(word))));
    const fact = named ?? (isRequired ? free[0] : undefined);
    if (fact === undefined) return undefined;
    this.#used.add(fact);
    this.useCount++;
    return { value: fact.value };
  }

  /** Returns the listed value that the question contains. */
  listed(values: readonly unknown[]): Instance {
    const { text } = this.#facts;
    const spoken = text.toLowerCase().replaceAll(/[_-]/g, " ");
    const match = values.find((value) => {
      if (typeof value !== "string" || value === "") return false;
      const word = value.length > 2 ? value.toLowerCase().replaceAll(/[_-]/g, " ") : value;
      return hasWord(value.length > 2 ? spoken : text, word);
    });
    if (match === undefined) return undefined;
    this.useCount++;
    return { value: match };
  }

  /** Returns true where the question contains the argument's name. */
  flag(name: string): Instance {
    const words = wordsOf(name).filter((word) => !["is", "has", "include", "with"].includes(word));
    const spoken = wordsOf(this.#facts.text);
    if (words.length === 0 || !words.every((word) => spoken.some(isLike(word)))) return undefined;
    this.useCount++;
    return { value: true };
  }

  /** Counts a value that was made up. */
  guess(): void {
    this.guessed++;
  }

  /** Returns a function that restores the current state. */
  mark(): () => void {
    const [used, useCount, others] = [new Set(this.#used), this.useCount, this.others];
    const { guessed } = this;
    return () => {
      this.guessed = guessed;
      this.#used.clear();
      for (const fact of used) this.#used.add(fact);
      this.useCount = useCount;
      this.others = others;
    };
  }

  #textFor(
    words: readonly string[],
    { format, isRequired }: { readonly format: unknown; readonly isRequired: boolean },
  ): string | undefined {
    const has = (some: readonly string[]) => words.some((word) => some.includes(word));
    if (format !== undefined) return this.#next(FORMATS.get(format) ?? []);
    const kinds = KINDS.find(([names]) => has(names))?.[1];
    if (kinds !== undefined) return this.#next(kinds) ?? this.#relativeDay(kinds);
    if (has(FROM)) return this.#name("from") ?? this.#next(["codes"]);
    if (has(TO)) return this.#next(["emails"]) ?? this.#name("to") ?? this.#next(["codes"]);
    if (has(PLACE)) return this.#next(["quoted"]) ?? this.#name();
    // The facts below would fit any question.
    if (!isRequired) return undefined;
    if (has(ASKED)) return this.#next(["quoted"]) ?? this.#topic(ABOUT);
    if (has(WRITTEN)) return this.#next(["quoted"]) ?? this.#topic(WORDING);
    return this.#next(["quoted"]) ?? this.#name() ?? this.#next(["ids"]);
  }

  /** Returns the subject of a question, else all of it. */
  #topic(pattern: RegExp): string {
    const [, topic] = pattern.exec(this.#facts.text) ?? [];
    return topic?.replace(/[.!?]+$/, "") ?? queryOf(this.#facts.text);
  }

  #relativeDay(kinds: readonly Kind[]): string | undefined {
    return kinds.includes("dates") ? RELATIVE_DAY.exec(this.#facts.text)?.[0] : undefined;
  }

  #next(kinds: readonly Kind[]): string | undefined {
    for (const kind of kinds) {
      const facts = this.#facts[kind];
      const fact = facts.find((one) => !this.#used.has(`${kind} ${one}`));
      if (fact === undefined) continue;
      this.#used.add(`${kind} ${fact}`);
      if (kind === "emails") this.others = facts.filter((one) => one !== fact);
      return fact;
    }
    return undefined;
  }

  #name(after?: string): string | undefined {
    const isFree = (fact: NameFact) => !this.#used.has(fact);
    const { names } = this.#facts;
    const fact = names.find((one) => one.after === after && isFree(one)) ?? names.find(isFree);
    if (fact === undefined) return undefined;
    this.#used.add(fact);
    const [first, ...others] = fact.values;
    if (others.length > 0) this.others = others;
    return first;
  }
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = `${text[at - 1] ?? " "}${text[at + word.length] ?? " "}`;
    if (!/[A-Za-z0-9]/.test(around)) return true;
  }
  return false;
}

/** Returns a test for words that differ only in their ending. */
export function isLike(word: string): (other: string) => boolean {
  const stem = stemOf(word);
  return (other) => other === word || stemOf(other) === stem;
}

function stemOf(word: string): string {
  return word.length < 4 ? word : word.replace(/(?:ies|es|s|ing|ed|y|e)$/, "");
}
