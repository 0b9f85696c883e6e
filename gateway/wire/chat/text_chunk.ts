/**
 * A fast path for chunks with text, which differ only in the text within one stream: once one chunk
 * has been parsed, only the text of the others is read.
 *
 * @module
 */

import type { ChatCompletionChunk } from "@svc/sdk/protocol";
import { elements, type Member, members } from "../json/text.ts";

const QUOTE = 0x22;
/** Quotes, escapes and control characters; the last are left to the parser, which refuses them. */
const NOT_PLAIN = /[^ !#-[\]-\uffff]/;

/** The bytes around the text. */
export interface TextChunkPattern {
  readonly before: string;
  readonly after: string;
}

/**
 * Returns the pattern of a chunk with text for one choice and nothing else; otherwise `undefined`.
 */
export function textChunkPattern(
  text: string,
  chunk: ChatCompletionChunk,
): TextChunkPattern | undefined {
  const [choice, ...others] = chunk.choices;
  if (choice === undefined || others.length > 0) return undefined;
  if (typeof choice.finish_reason === "string" || (chunk.usage ?? null) !== null) return undefined;
  const { delta } = choice;
  if (typeof delta?.content !== "string" || Object.keys(delta).length > 1) return undefined;
  const choices = onlyMember(text, 0, "choices");
  const [element] = choices === undefined ? [] : elements(text, choices.valueStart);
  const deltaMember = element && onlyMember(text, element.start, "delta");
  const content = deltaMember && onlyMember(text, deltaMember.valueStart, "content");
  if (content === undefined) return undefined;
  return { before: text.slice(0, content.valueStart), after: text.slice(content.valueEnd) };
}

/** Returns the text of a chunk of this pattern, or `undefined` for another chunk. */
export function patternText(text: string, pattern: TextChunkPattern): string | undefined {
  const { before, after } = pattern;
  if (text.length < before.length + after.length) return undefined;
  if (!text.startsWith(before) || !text.endsWith(after)) return undefined;
  const start = before.length;
  const end = text.length - after.length;
  const isString = end - start >= 2 && text.charCodeAt(start) === QUOTE &&
    text.charCodeAt(end - 1) === QUOTE;
  const inner = isString ? text.slice(start + 1, end - 1) : undefined;
  if (inner !== undefined && !NOT_PLAIN.test(inner)) return inner;
  try {
    const value: unknown = JSON.parse(text.slice(start, end));
    return typeof value === "string" ? value : undefined;
  } catch {
    // More than one value: not of this pattern.
    return undefined;
  }
}

/** Returns the only member of a name; `undefined` for duplicates. */
function onlyMember(text: string, start: number, key: string): Member | undefined {
  const matches = members(text, start).filter((member) => member.key === key);
  return matches.length === 1 ? matches[0] : undefined;
}
