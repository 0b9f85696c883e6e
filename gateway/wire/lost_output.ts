/**
 * Parts of a chat model's answer that an answer written by the service cannot carry.
 *
 * @module
 */

import { annotationOf } from "./responses/output_text.ts";

/** Members of a message or delta that the service cannot pass on. */
const LOST = ["images", "audio", "function_call"] as const;

/**
 * Returns a line for each member that is lost, completely or in part, when the service writes the
 * answer from its texts alone.
 */
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

/** Returns a line when a message or delta cites something other than a page or a file. */
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

/** Returns a line when an answer ended for a reason that Responses lacks: it counts as complete. */
export function lostFinish(reason: unknown): readonly string[] {
  if (FINISHES.includes(reason)) return [];
  return [`finish_reason: the model ended its answer with "${String(reason)}"`];
}

/** Returns the lines of a complete answer, of which only the first choice counts. */
export function lostInCompletion(
  { choices }: Readonly<Record<string, unknown>>,
): readonly string[] {
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const { finish_reason, message: written } = Object(choice);
  const message = { ...Object(written) };
  return [...lostOutput(message), ...lostCitations(message), ...lostFinish(finish_reason)];
}
