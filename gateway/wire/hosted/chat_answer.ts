/**
 * A complete Chat Completions answer that several model calls produced.
 *
 * @module
 */

import type { ChatUsage, ResponseAnnotation } from "@svc/sdk/protocol";
import { editMembers } from "../json/text.ts";

/** Members that all chunks of an answer share. */
export interface ChatHead {
  readonly id: string;
  /** Unix time. */
  readonly created: number;
}

/** A citation in the shape of Chat Completions. */
export type ChatAnnotation = ReturnType<typeof chatAnnotation>;

/** Content of the answer. */
export interface ChatContent {
  readonly content: string;
  readonly refusal: string;
  readonly reasoning: string;
  /** Log probabilities: JSON text. */
  readonly logprobs: string;
  readonly annotations: readonly ChatAnnotation[];
  /** Opaque members of the message: JSON texts by name. */
  readonly opaque: ReadonlyMap<string, string>;
  /** JSON texts. */
  readonly calls: readonly string[];
  readonly finishReason: string;
}

/** Returns a citation of a response in the shape of Chat Completions. */
export function chatAnnotation({ type, ...citation }: ResponseAnnotation) {
  return { type, [type]: citation };
}

/** Moves a citation to a longer text, in which its own text begins at `start`. */
export function movedAnnotation(annotation: ResponseAnnotation, start: number): ResponseAnnotation {
  if (annotation.type === "file_citation") {
    return { ...annotation, index: annotation.index + start };
  }
  const { start_index, end_index } = annotation;
  return { ...annotation, start_index: start_index + start, end_index: end_index + start };
}

/** Members of a delta that reach the caller in other ways. */
const SENT_APART: readonly string[] = ["role", "tool_calls", "annotations"];

/** True when a delta has anything besides its role, calls and citations. */
export function hasContent(delta: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(delta).some(([name, value]) =>
    !SENT_APART.includes(name) && value !== null && value !== ""
  );
}

/** Returns the whole answer as JSON text. */
export function completionText(
  head: ChatHead & {
    readonly model: string;
    readonly usage: ChatUsage;
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly upstream_warnings?: readonly string[];
  },
  answer: ChatContent,
): string {
  const { content, refusal, reasoning, annotations, calls, finishReason, logprobs } = answer;
  const hasNoText = content === "" && (calls.length > 0 || refusal !== "");
  const message = editMembers(
    JSON.stringify({
      role: "assistant",
      content: hasNoText ? null : content,
      refusal: refusal === "" ? null : refusal,
      ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
      ...(annotations.length === 0 ? {} : { annotations }),
    }),
    {
      ...(calls.length === 0 ? {} : { tool_calls: `[${calls.join(",")}]` }),
      ...Object.fromEntries(answer.opaque),
    },
  );
  const finish = JSON.stringify(finishReason);
  const choice = `{"index":0,"message":${message},"finish_reason":${finish},` +
    `"logprobs":${logprobs}}`;
  return editMembers(
    JSON.stringify({ ...head, object: "chat.completion" }),
    { choices: `[${choice}]` },
  );
}
