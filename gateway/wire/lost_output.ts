/**
 * What a chat model answers that an answer put together here has no place for.
 *
 * @module
 */

import { annotationOf } from "./responses/output_text.ts";

/** Members of a message or delta that nobody here can tell on. */
const LOST = ["images", "audio", "function_call"] as const;

/** A line on each member that is missing, or missing in part, where an answer is made of its texts. */
export function lostOutput(message: Readonly<Record<string, unknown>>): readonly string[] {
  const { content } = message;
  const names: string[] = LOST.filter((name) => isSaid(message[name]));
  const isPart = Array.isArray(content) && content.some((part) => typeof part?.text !== "string");
  if (isPart) names.push("content");
  return names.map((name) => `message.${name}: the model's answer had more than can be told here`);
}

function isSaid(member: unknown): boolean {
  return Array.isArray(member) ? member.length > 0 : member !== undefined && member !== null;
}

/** A line where a message or delta cites what neither a page nor a file is. */
export function lostCitations(
  { annotations }: Readonly<Record<string, unknown>>,
): readonly string[] {
  const isKnown = (value: unknown) => annotationOf(value) !== undefined;
  return !Array.isArray(annotations) || annotations.every(isKnown)
    ? []
    : ["message.annotations: only citations of pages and files can be told here"];
}

const FINISHES: readonly unknown[] = [
  ...["stop", "length", "tool_calls", "function_call", "content_filter"],
  ...[null, undefined],
];

/** A line where an answer ended for a reason that Responses has no word for: it is told as complete. */
export function lostFinish(reason: unknown): readonly string[] {
  if (FINISHES.includes(reason)) return [];
  return [`finish_reason: the model ended its answer with "${String(reason)}"`];
}

/** All of a complete answer, of whose choices the first counts. */
export function lostInCompletion(
  { choices }: Readonly<Record<string, unknown>>,
): readonly string[] {
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const { finish_reason, message } = Object(choice);
  const said = { ...Object(message) };
  return [...lostOutput(said), ...lostCitations(said), ...lostFinish(finish_reason)];
}
