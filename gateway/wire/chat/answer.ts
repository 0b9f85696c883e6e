/**
 * A complete chat answer from an upstream to the caller: it keeps its bytes, except for the model's
 * name and the metadata.
 *
 * @module
 */

import type { ChatCompletion, ChatUsage, Orchestration, ServiceMetadata } from "@svc/sdk/protocol";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import type { SignedToolCall } from "../answer_relay.ts";
import { type ChatForm, metadataText, SERVICE_FORM } from "./form.ts";
import { collectText } from "./text.ts";
import { editMembers, elementTexts, memberText } from "../json/text.ts";
import { OPAQUE_MEMBERS, opaqueTexts } from "./tool_calls.ts";
import { correctedChatUsage } from "./usage.ts";

/**
 * Returns the answer's text for the caller, with the billed usage where it differs from the
 * reported one.
 */
export function answerText(
  body: JsonBody,
  { model, metadata, usage: billed, form = SERVICE_FORM }: {
    readonly model: string;
    readonly metadata: ServiceMetadata;
    readonly usage: Usage;
    /** @default {SERVICE_FORM} */
    readonly form?: ChatForm;
  },
): string {
  const usage = correctedChatUsage(body.value["usage"], billed);
  return editMembers(body.text, {
    model: JSON.stringify(model),
    ...(usage === undefined ? {} : { usage: JSON.stringify(usage) }),
    metadata: metadataText(form, metadata),
  });
}

/** Returns everything that a model wrote in an answer, in pieces. */
export function deliveredText(body: JsonBody): string[] {
  const pieces: string[] = [];
  for (const choice of (body.value as unknown as ChatCompletion).choices) {
    if (choice?.message) collectText(choice.message, pieces);
  }
  return pieces;
}

/** Returns the tool calls with opaque members, whose bytes are kept. */
export function signedToolCalls(body: JsonBody): SignedToolCall[] {
  if (!OPAQUE_MEMBERS.some((name) => body.text.includes(name))) return [];
  const calls: SignedToolCall[] = [];
  for (const choice of elementTexts(memberText(body.text, "choices"))) {
    const message = memberText(choice, "message");
    if (message === undefined) continue;
    for (const text of elementTexts(memberText(message, "tool_calls"))) {
      const { id, function: called } = JSON.parse(text) ?? {};
      if (typeof id !== "string" || typeof called?.arguments !== "string") continue;
      const opaque = new Map(Object.entries(opaqueTexts(text) ?? {}));
      calls.push({ id, name: String(called.name), arguments: called.arguments, opaque });
    }
  }
  return calls;
}

/** Returns the text of an answer that was composed from tasks. */
export function orchestratedAnswerText(
  body: JsonBody,
  { id, model, metadata, form, usage, orchestration }: {
    readonly id: string;
    readonly model: string;
    readonly metadata: ServiceMetadata;
    readonly form: ChatForm;
    /** Usage of all calls together. */
    readonly usage: ChatUsage | undefined;
    readonly orchestration: Orchestration;
  },
): string {
  return editMembers(body.text, {
    id: JSON.stringify(id),
    model: JSON.stringify(model),
    ...(usage === undefined ? {} : { usage: JSON.stringify(usage) }),
    metadata: metadataText(form, metadata),
    orchestration: JSON.stringify(orchestration),
  });
}
