/**
 * A complete answer of Chat Completions that several calls of models made.
 *
 * @module
 */

import type { ChatUsage, ResponseAnnotation } from "@svc/sdk/protocol";
import { editMembers } from "../json/text.ts";

/** What all chunks of an answer have in common. */
export interface ChatHead {
  readonly id: string;
  /** Unix time. */
  readonly created: number;
}

/** A citation as Chat Completions has it. */
export type ChatAnnotation = ReturnType<typeof chatAnnotation>;

/** Everything that the answer says. */
export interface ChatContent {
  readonly content: string;
  readonly refusal: string;
  readonly reasoning: string;
  /** Log probabilities: JSON text. */
  readonly logprobs: string;
  readonly annotations: readonly ChatAnnotation[];
  /** Of the message: JSON texts by name. */
  readonly opaque: ReadonlyMap<string, string>;
  /** JSON texts. */
  readonly calls: readonly string[];
  readonly finishReason: string;
}

/** A citation of a response in the shape of Chat Completions. */
export function chatAnnotation({ type, ...citation }: ResponseAnnotation) {
  return { type, [type]: citation };
}

/** A citation whose positions relate to a longer text, in which its own begins at `start`. */
export function movedAnnotation(annotation: ResponseAnnotation, start: number): ResponseAnnotation {
  if (annotation.type === "file_citation") {
    return { ...annotation, index: annotation.index + start };
  }
  const { start_index, end_index } = annotation;
  return { ...annotation, start_index: start_index + start, end_index: end_index + start };
}

/** Members of a delta that reach the caller on ways of their own. */
const TOLD_APART: readonly string[] = ["role", "tool_calls", "annotations"];

/** Whether a delta says anything besides its role, calls and citations. */
export function saysAnything(delta: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(delta).some(([name, value]) =>
    !TOLD_APART.includes(name) && value !== null && value !== ""
  );
}

/** The whole answer as JSON text. */
export function completionText(
  head: ChatHead & {
    readonly model: string;
    readonly usage: ChatUsage;
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly upstream_warnings?: readonly string[];
  },
  said: ChatContent,
): string {
  const { content, refusal, reasoning, annotations, calls, finishReason, logprobs } = said;
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
      ...Object.fromEntries(said.opaque),
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
