/**
 * Chunks of one stream that carry text are alike but for the text. Once one has been understood, the
 * others need no parsing but that of the text itself.
 *
 * @module
 */

import type { ChatCompletionChunk } from "@svc/sdk/protocol";
import { elements, type Member, members } from "../json/text.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

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
  const start = before.length;
  const end = text.length - after.length;
  if (isPlainString(text, start, end)) return text.slice(start + 1, end - 1);
  try {
    const value: unknown = JSON.parse(text.slice(start, end));
    return typeof value === "string" ? value : undefined;
  } catch {
    // More than one value stands there: not of this pattern.
    return undefined;
  }
}

/** Whether a JSON string without escapes stands there; control characters the parser is to refuse. */
function isPlainString(text: string, start: number, end: number): boolean {
  const last = end - 1;
  if (last <= start || text.charCodeAt(start) !== QUOTE || text.charCodeAt(last) !== QUOTE) {
    return false;
  }
  for (let at = start + 1; at < last; at++) {
    const code = text.charCodeAt(at);
    if (code < SPACE || code === QUOTE || code === BACKSLASH) return false;
  }
  return true;
}

/** Of duplicates none is the one. */
function onlyMember(text: string, start: number, key: string): Member | undefined {
  const found = members(text, start).filter((member) => member.key === key);
  return found.length === 1 ? found[0] : undefined;
}
