/**
 * Comparison of answers of several models to one request.
 *
 * Answers are compared by a key: a canonical form of the answer's meaning. Two answers are equal if
 * both have a key and the keys are the same text. An answer without a key, such as broken JSON or an
 * empty text, equals no other, not even an identical one.
 *
 * The forms err on the side of a difference: a difference costs one more call, whereas wrongly equal
 * answers deliver a wrong one.
 *
 * @module
 */

import type { Comparable } from "../requests/task_text.ts";
import { jsonKey } from "./json_key.ts";

/** A function call of an answer. */
export interface AnswerCall {
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** The content of a complete answer. */
export interface AnswerContent {
  /** Text without reasoning; empty if there is none. */
  readonly text: string;
  readonly calls: readonly AnswerCall[];
}

/**
 * Maximum length of a compared JSON text, in UTF-16 code units; longer ones have no key. Callers of
 * verified answers wait for the comparison, and so do all others.
 */
const JSON_CHARS_MAX = 64 * 1024;
/** Maximum length of a short text, in UTF-16 code units; longer ones have no key. */
const SHORT_CHARS_MAX = 8_192;

/** Returns the key of an answer; `undefined` if it equals no other. */
export function answerKey(
  { text, calls }: AnswerContent,
  form: Comparable,
): string | undefined {
  if (form === "tool") return callsKey(calls);
  if (calls.length > 0) return undefined;
  if (form === "schema") return text.length > JSON_CHARS_MAX ? undefined : jsonKey(text);
  return text.length > SHORT_CHARS_MAX ? undefined : shortText(text) || undefined;
}

/** True when two answers are equal in a form. */
export function answersEqual(one: AnswerContent, other: AnswerContent, form: Comparable): boolean {
  const key = answerKey(one, form);
  return key !== undefined && key === answerKey(other, form);
}

/**
 * Returns the number of each answer's group of equal answers: 0 for the first answer, and the next
 * number for each that equals none before it. `undefined` stands for a failed or incomplete answer.
 */
export function answerGroups(
  answers: readonly (AnswerContent | undefined)[],
  form: Comparable,
): readonly number[] {
  const groups = new Map<string, number>();
  let count = 0;
  return answers.map((answer) => {
    const key = answer && answerKey(answer, form);
    const known = key === undefined ? undefined : groups.get(key);
    if (known !== undefined) return known;
    if (key !== undefined) groups.set(key, count);
    return count++;
  });
}

/** Returns the positions of the first two equal answers; `undefined` if no two are equal. */
export function agreeingPair(
  answers: readonly (AnswerContent | undefined)[],
  form: Comparable,
): readonly [number, number] | undefined {
  const groups = answerGroups(answers, form);
  for (const [at, group] of groups.entries()) {
    const first = groups.indexOf(group);
    if (first < at) return [first, at];
  }
  return undefined;
}

/** Returns the key of function calls, which do not depend on the order of parallel ones. */
function callsKey(calls: readonly AnswerCall[]): string | undefined {
  if (calls.length === 0) return undefined;
  const keys: string[] = [];
  for (const { name, arguments: text } of calls) {
    if (text.length > JSON_CHARS_MAX) return undefined;
    // Some models write nothing for a function without parameters.
    const key = jsonKey(text.trim() === "" ? "{}" : text);
    if (key === undefined) return undefined;
    keys.push(JSON.stringify([name, key]));
  }
  return keys.sort().join("\n");
}

/** A statement of the answer at the beginning of a line or sentence, up to the answer itself. */
const STATEMENT =
  /(?:^|[\n.!?;。！？；])[ *_#>"'(]*(?:the )?(?:(?:final|correct) )*(?:answer|答案)[*_]*(?: is ?:?|是 ?:?| ?:)(?:[*_]+(?=\s))?\s*/gu;
/** Pairs of marks that may enclose a whole answer. */
const ENCLOSING: readonly (readonly [string, string])[] = [
  ["**", "**"],
  ["__", "__"],
  ["*", "*"],
  ["_", "_"],
  ["`", "`"],
  ['"', '"'],
  ["'", "'"],
  ["«", "»"],
  ["「", "」"],
  ["(", ")"],
];
/** Marks that may end a sentence. */
const SENTENCE_END = new Set(".,;:?!…。、");
/** Maximum marks that enclose each other. */
const ENCLOSING_MAX = 8;

/**
 * Returns a short text without differences that do not change its meaning: forms of Unicode, case,
 * white space, enclosing and final punctuation, and anything before a final "Answer: …".
 */
export function shortText(text: string): string {
  const lines = compatible(text).toLowerCase().replace(/[^\S\n]+/gu, " ")
    .replace(/ ?\n[ \n]*/gu, "\n").trim();
  const statement = [...lines.matchAll(STATEMENT)].at(-1);
  const stated = statement === undefined ? "" : lines.slice(statement.index + statement[0].length);
  const answer = bare(stated.replace(/\s+/gu, " "));
  return answer === "" || stated.includes("\n") ? bare(lines.replace(/\s+/gu, " ")) : answer;
}

/** Returns the compatible form of Unicode, with typographic quotes and minus signs as in ASCII. */
function compatible(text: string): string {
  return text
    // An exponent or a fraction must not become further digits of the number before it.
    .replace(/[²³¹⁰⁴-⁹]+/gu, (digits) => `^${digits}`)
    .replace(/(?<=\d)[¼-¾⅐-⅞]/gu, (fraction) => ` ${fraction}`)
    .normalize("NFKC")
    .replace(/[“”„‟]/gu, '"').replace(/[‘’‚‛]/gu, "'").replace(/−/gu, "-");
}

/** Removes enclosing and final punctuation. */
function bare(text: string): string {
  let answer = withoutEnd(text);
  for (let removed = 0; removed < ENCLOSING_MAX; removed++) {
    const pair = ENCLOSING.find(([first, last]) =>
      answer.length >= first.length + last.length && answer.startsWith(first) &&
      answer.endsWith(last)
    );
    if (pair === undefined) break;
    answer = withoutEnd(answer.slice(pair[0].length, -pair[1].length));
  }
  return answer;
}

/** Removes the marks that end a sentence; "5!" is a number. */
function withoutEnd(text: string): string {
  const trimmed = text.trim();
  let length = trimmed.length;
  for (; SENTENCE_END.has(trimmed[length - 1] ?? ""); length--) {
    if (trimmed[length - 1] === "!" && /\d/u.test(trimmed[length - 2] ?? "")) break;
  }
  return trimmed.slice(0, length).trimEnd();
}
