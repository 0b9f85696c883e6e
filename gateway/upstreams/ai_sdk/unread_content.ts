import type { ChatFormat, UnreadContent } from "../providers/descriptor.ts";
import { isAnswerObject } from "../providers/json_member.ts";

/** Returns content of a provider's answer, or of an event of one, that the package does not read. */
export function unreadContentIn(format: ChatFormat, answer: unknown): UnreadContent {
  return isAnswerObject(answer) ? format.unreadContent?.(answer) ?? {} : {};
}

/** Types of parts that only begin or end other parts. */
const FRAMES: ReadonlySet<string> = new Set(["tool-input-end"]);

/** Returns a warning for a type of part that Chat cannot carry; `undefined` where nothing is lost. */
export function leftOutPart({ repeatedParts = [] }: ChatFormat, type: string): string | undefined {
  if (FRAMES.has(type) || repeatedParts.includes(type)) return undefined;
  return `parts of type "${type}" of the provider's answer were left out`;
}
