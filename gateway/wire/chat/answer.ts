/**
 * A complete chat answer on its way from an upstream to the caller: its own bytes, but for the
 * model's name and the metadata.
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

/** The answer's text for the caller; its usage is what was billed where that is not as reported. */
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

/** Everything a model wrote in an answer, in pieces. */
export function deliveredText(body: JsonBody): string[] {
  const pieces: string[] = [];
  for (const choice of (body.value as unknown as ChatCompletion).choices) {
    if (choice?.message) collectText(choice.message, pieces);
  }
  return pieces;
}

/** Tool calls that carry opaque members, with these members' own bytes. */
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

/** The text of an answer that tasks went before. */
export function orchestratedAnswerText(
  body: JsonBody,
  { id, model, metadata, form, usage, orchestration }: {
    readonly id: string;
    readonly model: string;
    readonly metadata: ServiceMetadata;
    readonly form: ChatForm;
    /** Of all calls together. */
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
