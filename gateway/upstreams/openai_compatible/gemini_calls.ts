import { type ChatRequest, isJsonObject } from "@svc/sdk/protocol";
import type { JsonBody } from "../../ports/upstream.ts";
import { editMembers } from "../../wire/json/text.ts";
import { editCalls } from "../../wire/chat/tool_calls.ts";

/** How Gemini is named at the addresses where it speaks OpenAI's wire. */
const GEMINI = /^(?:models\/|google\/)?gemini-/;

/** What Google documents for calls whose signature is not to be had: another model made them. */
const FOREIGN = { google: { thought_signature: "skip_thought_signature_validator" } };

/** Whether a model refuses calls in its history that are not signed. */
export function wantsSignedCalls(model: string): boolean {
  return GEMINI.test(model);
}

/**
 * The caller's text, each unsigned first call of a turn marked as foreign: made by another model, or
 * its signature was dropped by the client and is forgotten here. Of parallel calls only the first is
 * ever signed.
 */
export function withForeignCalls({ text, value }: JsonBody): string {
  const { messages } = value as unknown as ChatRequest;
  if (!messages.some(({ tool_calls: calls }) => Array.isArray(calls))) return text;
  return editCalls(text, (call, at) => {
    const { thought_signature: signature, extra_content: extra } = JSON.parse(call);
    const signed = isJsonObject(extra) ? Object.values(extra) : [];
    const isSigned = typeof signature === "string" ||
      signed.some((own) => isJsonObject(own) && typeof own["thought_signature"] === "string");
    if (at > 0 || isSigned) return undefined;
    return editMembers(call, { extra_content: JSON.stringify({ ...extra, ...FOREIGN }) });
  });
}
