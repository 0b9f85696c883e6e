/**
 * A chat request with a note under the user's last message, for planning, tasks and the final
 * answer.
 *
 * @module
 */

import type { ChatMessage, ChatRequest } from "@svc/sdk/protocol";
import { invariant } from "../../domain/invariant.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { recordOf } from "../json/parse.ts";
import { editMembers, elementTexts, memberText } from "../json/text.ts";

/** Returns the request with the note; all other bytes stay. */
export function withNote(body: JsonBody, note: string): JsonBody {
  const messages = elementTexts(memberText(body.text, "messages"));
  const last = messages.at(-1);
  invariant(last !== undefined, "Cannot add a note to a request without messages");
  const content = JSON.stringify(noted(JSON.parse(last).content, note));
  const all = [...messages.slice(0, -1), editMembers(last, { content })];
  const text = editMembers(body.text, { messages: `[${all.join(",")}]` });
  return { text, value: recordOf(text) };
}

/**
 * Returns a streamed request with the conversation and the note, without the request's tools,
 * formats and limits. Tool calls and their results are left out, since no tool is declared.
 */
export function partRequest(
  body: JsonBody,
  { note, outputTokens, schema }: {
    readonly note: string;
    readonly outputTokens: number;
    /** Name and JSON schema of the answer. */
    readonly schema?: { readonly name: string; readonly schema: unknown } | undefined;
  },
): JsonBody {
  const { messages } = body.value as unknown as ChatRequest;
  const conversation = messages.filter(isSaid).map(({ role, content }) => ({ role, content }));
  const last = conversation.at(-1);
  invariant(last !== undefined, "Cannot split a request without text");
  const value = {
    model: "auto",
    stream: true,
    messages: [...conversation.slice(0, -1), { ...last, content: noted(last.content, note) }],
    max_completion_tokens: outputTokens,
    ...(schema === undefined ? {} : {
      response_format: { type: "json_schema", json_schema: { ...schema, strict: true } },
    }),
  };
  return { text: JSON.stringify(value), value };
}

/** Returns the text of the last message if it is the user's, else `undefined`. */
export function lastUserText({ value }: JsonBody): string | undefined {
  const last = (value as unknown as ChatRequest).messages.at(-1);
  if (last?.role !== "user") return undefined;
  const { content } = last;
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => typeof part["text"] === "string" ? part["text"] : "")
    .join("\n");
}

function isSaid({ role, content }: ChatMessage): boolean {
  if (role === "system" || role === "developer" || role === "user") return true;
  return role === "assistant" && (content?.length ?? 0) > 0;
}

function noted(content: unknown, note: string): unknown {
  if (typeof content === "string") return content + note;
  return [...(Array.isArray(content) ? content : []), { type: "text", text: note }];
}
