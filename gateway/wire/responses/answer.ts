/**
 * Converts a complete chat answer to a response.
 *
 * @module
 */

import { isJsonObject, type ResponseAnnotation, type ResponseLogprob } from "@svc/sdk/protocol";
import type { JsonBody } from "../../ports/upstream.ts";
import type { AnswerEnd } from "../answer_relay.ts";
import { contentOf, reasoningOf } from "../chat/text.ts";
import { elementTexts, memberText } from "../json/text.ts";
import { OPAQUE_MEMBERS, type OpaqueTexts, opaqueTexts } from "../chat/tool_calls.ts";
import { logprobsOf, wantsLogprobs } from "./logprobs.ts";
import {
  annotationOf,
  endingOf,
  functionCallText,
  messageText,
  partText,
  reasoningKind,
  reasoningText,
} from "./output_text.ts";
import { partsIn, ResourceWriter, type ResponseContext } from "./resource.ts";
import { responseUsageOf } from "./usage.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Writes an item once it is known whether it is the last. */
type ItemDraft = (status: "completed" | "incomplete") => string;

/**
 * Returns the resource's JSON text. Of several choices, which no request asks for, the first
 * counts.
 */
export function responseOf(completion: JsonBody, context: ResponseContext, end: AnswerEnd): string {
  const { choices, usage } = completion.value;
  const choice = fieldsOf(Array.isArray(choices) ? choices[0] : undefined);
  const message = fieldsOf(choice["message"]);
  const ending = endingOf(choice["finish_reason"]);
  const logprobs = wantsLogprobs(context.request) ? logprobsOf(choice["logprobs"]) : [];
  const drafts = itemDrafts(message, { signed: signedText(completion), logprobs }, context);
  return new ResourceWriter(context).text({
    ...ending,
    completed_at: ending.status === "completed" ? end.completedSeconds : null,
    usage: responseUsageOf(end.usage, usage),
    metadata: end.metadata,
    ...partsIn(context, { ...end, isDone: true }),
    output: drafts.map((draft, at) =>
      draft(at === drafts.length - 1 ? ending.status : "completed")
    ),
  });
}

/** Returns the citations of a message or delta. */
export function annotationsOf(message: Fields): readonly ResponseAnnotation[] {
  const { annotations } = message;
  if (!Array.isArray(annotations)) return [];
  return annotations.map(annotationOf).filter((annotation) => annotation !== undefined);
}

/** Returns the first message's JSON text when the answer has opaque members. */
function signedText({ text }: JsonBody): string | undefined {
  if (!OPAQUE_MEMBERS.some((name) => text.includes(name))) return undefined;
  const [choice] = elementTexts(memberText(text, "choices"));
  const message = choice === undefined ? undefined : memberText(choice, "message");
  return message?.startsWith("{") === true ? message : undefined;
}

function itemDrafts(
  message: Fields,
  { signed, logprobs }: {
    readonly signed: string | undefined;
    readonly logprobs: readonly ResponseLogprob[];
  },
  context: ResponseContext,
): ItemDraft[] {
  const drafts: ItemDraft[] = [];
  const thought = reasoningOf(message);
  if (thought !== "") {
    const id = context.newId("rs");
    const kind = reasoningKind(context.request);
    const parts = [partText(kind, JSON.stringify(thought))];
    drafts.push((status) => reasoningText({ id, status }, kind, parts));
  }
  const parts = messageParts(message, logprobs);
  if (parts.length > 0) {
    const id = context.newId("msg");
    const opaque = signed === undefined ? undefined : opaqueTexts(signed);
    drafts.push((status) => messageText({ id, status, opaque }, parts));
  }
  const callTexts = signed === undefined ? [] : elementTexts(memberText(signed, "tool_calls"));
  const calls = Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];
  const callIds = new Set<string>();
  for (const [at, call] of calls.entries()) {
    const text = callTexts[at];
    const opaque = text === undefined ? undefined : opaqueTexts(text);
    drafts.push(callDraft(fieldsOf(call), { callIds, opaque }, context));
  }
  return drafts;
}

function messageParts(message: Fields, logprobs: readonly ResponseLogprob[]): string[] {
  const parts: string[] = [];
  const text = contentOf(message);
  const annotations = annotationsOf(message);
  if (text !== "" || annotations.length > 0) {
    parts.push(partText("output_text", JSON.stringify(text), { annotations, logprobs }));
  }
  const { refusal } = message;
  if (typeof refusal === "string" && refusal !== "") {
    parts.push(partText("refusal", JSON.stringify(refusal)));
  }
  return parts;
}

function callDraft(
  call: Fields,
  { callIds, opaque }: { readonly callIds: Set<string>; readonly opaque: OpaqueTexts | undefined },
  context: ResponseContext,
): ItemDraft {
  const { name, arguments: input } = fieldsOf(call["function"]);
  const id = context.newId("fc");
  const upstreamId = call["id"];
  // Two calls of one id could not be answered separately.
  const isUsable = typeof upstreamId === "string" && upstreamId !== "" && !callIds.has(upstreamId);
  const callId = isUsable ? upstreamId : context.newId("call");
  callIds.add(callId);
  const text = typeof input === "string" ? input : JSON.stringify(input ?? {});
  const literal = JSON.stringify(text);
  return (status) =>
    functionCallText({ id, status, opaque }, { callId, name: String(name ?? ""), literal });
}

function fieldsOf(value: unknown): Fields {
  return isJsonObject(value) ? value : {};
}
