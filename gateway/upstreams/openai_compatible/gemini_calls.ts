import { type ChatRequest, isJsonObject } from "@svc/sdk/protocol";
import type { JsonBody } from "../../ports/upstream.ts";
import { editMembers } from "../../wire/json/text.ts";
import { editCalls } from "../../wire/chat/tool_calls.ts";

/** Names of Gemini models at servers with OpenAI's wire format. */
const GEMINI = /^(?:models\/|google\/)?gemini-/;

/** Google's documented value for calls without a signature, such as those of other models. */
const FOREIGN = { google: { thought_signature: "skip_thought_signature_validator" } };

/** True for a model that refuses unsigned calls in its history. */
export function wantsSignedCalls(model: string): boolean {
  return GEMINI.test(model);
}

/**
 * Marks each unsigned first call of a turn as foreign: another model made it, or the client dropped
 * its signature and the gateway no longer has it. Of parallel calls, only the first is signed.
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
