/**
 * Chunks of one stream that carry text are alike but for the text. Once one has been understood, the
 * others need no parsing but that of the text itself.
 *
 * @module
 */

import type { ChatCompletionChunk } from "@svc/sdk/protocol";
import { elements, type Member, members } from "./json_text.ts";

/** A JSON string without escapes; control characters are left to the parser to refuse. */
const PLAIN_STRING = /^"[^"\\\p{Cc}]*"$/u;

/** What stands around the text, byte for byte. */
export interface TextChunkPattern {
  readonly before: string;
  readonly after: string;
}

/** The pattern of a chunk that carries text for one choice and nothing else; else `undefined`. */
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
  const found = element && onlyMember(text, element.start, "delta");
  const content = found && onlyMember(text, found.valueStart, "content");
  if (content === undefined) return undefined;
  return { before: text.slice(0, content.valueStart), after: text.slice(content.valueEnd) };
}

/** The text that a chunk of this pattern carries; `undefined` where it is of another. */
export function patternText(text: string, pattern: TextChunkPattern): string | undefined {
  const { before, after } = pattern;
  if (text.length < before.length + after.length) return undefined;
  if (!text.startsWith(before) || !text.endsWith(after)) return undefined;
  const literal = text.slice(before.length, text.length - after.length);
  if (PLAIN_STRING.test(literal)) return literal.slice(1, -1);
  try {
    const value: unknown = JSON.parse(literal);
    return typeof value === "string" ? value : undefined;
  } catch {
    // More than one value stands there: not of this pattern.
    return undefined;
  }
}

/** Of duplicates none is the one. */
function onlyMember(text: string, start: number, key: string): Member | undefined {
  const found = members(text, start).filter((member) => member.key === key);
  return found.length === 1 ? found[0] : undefined;
}
