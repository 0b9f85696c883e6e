/**
 * Facts in a question that can become arguments: quoted texts, addresses, dates, ids, numbers and
 * names, each in the order of the text.
 *
 * @module
 */

import { expressionsIn } from "./arithmetic.ts";

/** A number, with the words around it. */
export interface NumberFact {
  readonly value: number;
  /** The three words before it and the one after it, in lower case. */
  readonly beside: readonly string[];
}

/** Names that belong together: one, or the names of a list. */
export interface NameFact {
  readonly values: readonly string[];
  /** The word before it: "in", "from", "to". */
  readonly after: string;
}

/** Facts by kind. */
export interface PromptFacts {
  readonly text: string;
  readonly quoted: readonly string[];
  readonly emails: readonly string[];
  readonly urls: readonly string[];
  readonly dates: readonly string[];
  readonly paths: readonly string[];
  readonly ids: readonly string[];
  readonly codes: readonly string[];
  readonly numbers: readonly NumberFact[];
  readonly names: readonly NameFact[];
  readonly expressions: readonly string[];
}

const QUOTED = /["“「]([^"”」\n]{1,200})["”」]|(?<!\w)'([^'\n]{1,200})'(?!\w)/g;
const EMAIL = /[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}/g;
const URL_TEXT = /https?:\/\/[^\s"'<>)]{1,2000}/g;
const DATE = /\b\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?\b/g;
const PATH = /(?<![\w.])(?:[\w.-]{1,64}\/){1,8}[\w.-]{1,64}|\b[A-Za-z_][\w-]{0,64}\.[a-z]{1,5}\b/g;
const ID = /\b(?=[\w-]{0,63}\d)(?=[\w-]{0,63}[A-Za-z_])[\w-]{2,64}\b/g;
const CODE = /\b[A-Z]{2,5}\b/g;
const NUMBER = /(?<![\w.])-?\d(?:[\d,]{0,20}\d)?(?:\.\d{1,20})?(?!\w)/g;

const WORD = "\\p{Lu}[\\p{L}\\p{N}'’.\\-]{1,40}";
const NAME = `${WORD}(?: ${WORD}){0,4}`;
const NAMES = new RegExp(
  `(?<=([\\p{L}\\p{N}]+),? )${NAME}(?:, ${NAME}){0,10}(?:,? (?:and|or|&) ${NAME})?`,
  "gu",
);
/** Capitalised words that are no names. */
const NO_NAMES =
  /^(?:I|I'm|A|An|The|What|How|Where|When|Who|Which|Why|Please|Use|Can|And|Also|Is|Are|Do|Does|It|He|She|This|That|There|Today|My|Our)$/;
/** A name at the start of a text. */
const FIRST_NAME = /^\s*(\p{Lu}\p{L}{1,40}(?: \p{Lu}\p{L}{1,40})?) (?:is|was|has|lives|works)\b/u;
/** A place in lower case. */
const SMALL_PLACE =
  /\b(in|at|near) ((?!the\b|a\b|an\b|my\b)[a-z]{3,20}(?: [a-z]{3,20}){0,2}?)(?=[?!.,]|$| today| tomorrow| now| right| this)/g;

/** Returns the facts of a text, without the words of `toolName`. */
export function factsIn(text: string, toolName: string): PromptFacts {
  let rest = text.replace(
    /[\p{L}\p{N}_-]+/gu,
    (word) => word === toolName ? " ".repeat(word.length) : word,
  );
  const take = (pattern: RegExp): string[] => {
    const matches = [...rest.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? match[0]);
    rest = rest.replace(pattern, (match) => " ".repeat(match.length));
    return matches;
  };
  const quoted = take(QUOTED);
  const urls = take(URL_TEXT);
  const emails = take(EMAIL);
  const dates = take(DATE);
  const ids = take(ID);
  const paths = take(PATH);
  return {
    ...{ text, quoted, urls, emails, dates, ids, paths },
    codes: [...rest.matchAll(CODE)].map(([code]) => code),
    numbers: [...rest.matchAll(NUMBER)].map((match) => numberAt(rest, match)),
    names: namesIn(rest),
    expressions: expressionsIn(text),
  };
}

function numberAt(text: string, match: RegExpExecArray): NumberFact {
  const [written] = match;
  const before = wordsOf(text.slice(Math.max(0, match.index - 60), match.index)).slice(-3);
  const end = match.index + written.length;
  const [behind = ""] = wordsOf(text.slice(end, end + 30));
  return { value: Number(written.replaceAll(",", "")), beside: [...before, behind] };
}

function namesIn(text: string): NameFact[] {
  const named = [...text.matchAll(NAMES)].flatMap((match): NameFact[] => {
    const whole = match[0].replace(/[.'’-]+$/, "");
    const isList = /(?: and| or| &) /.test(whole);
    const values = (isList ? whole.split(/,? (?:and|or|&) |, /) : [whole])
      .map((name) => name.replace(/[.]+$/, ""))
      .filter((name) => name !== "" && !NO_NAMES.test(name));
    return values.length === 0 ? [] : [{ values, after: (match[1] ?? "").toLowerCase() }];
  });
  const [, first] = FIRST_NAME.exec(text) ?? [];
  if (first !== undefined && !NO_NAMES.test(first)) named.unshift({ values: [first], after: "" });
  if (named.length > 0) return named;
  return [...text.matchAll(SMALL_PLACE)].map(([, after = "", name = ""]) => ({
    ...{ values: [name], after },
  }));
}

/** Returns the facts with a list reduced to one of its names or addresses. */
export function withOnly(facts: PromptFacts, one: string): PromptFacts {
  return {
    ...facts,
    emails: facts.emails.includes(one) ? [one] : facts.emails,
    names: facts.names.map((fact) => fact.values.includes(one) ? { ...fact, values: [one] } : fact),
  };
}

/** Returns the words of a text in lower case, and those of names in snake or camel case. */
export function wordsOf(text: string): string[] {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}
