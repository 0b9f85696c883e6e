/**
 * Signatures on tool calls, as in Gemini's OpenAI-compatible API: only the first of parallel calls
 * is signed, and the signed calls since the last user message must return with their signatures. The
 * id of a signed call says so: calls of other models, and those that were parallel to a signed one,
 * are accepted as they are.
 *
 * @module
 */

import { createHmac } from "node:crypto";
import { isJsonObject, type ToolCall } from "@svc/sdk/protocol";
import { type Refusal, refuse } from "./refusal.ts";
import type { EchoedStep } from "./chat_request.ts";

/** Value in place of a signature, for calls of another model. */
export const SKIP_SIGNATURE = "skip_thought_signature_validator";

/** End of the id of a signed call. */
const SIGNED = "_signed";

// The key protects nothing; it only makes signatures specific to this simulator. It is fixed so
// that conversations survive a restart.
const KEY = "svc-simulator";

/**
 * Returns the place of a model's signatures: on top for names with `thought`, nested for `signed`
 * or `large`.
 */
function placeOf(model: string): "top" | "nested" | undefined {
  if (model.includes("thought")) return "top";
  return model.includes("signed") || model.includes("large") ? "nested" : undefined;
}

/** Returns the signature of a call: base64 of a keyed hash of its id, name and arguments. */
export function signatureOf(call: Pick<ToolCall, "id" | "function">): string {
  return createHmac("sha256", KEY)
    .update(JSON.stringify([call.id, call.function.name, call.function.arguments]))
    .digest("base64");
}

/** Returns the calls as the model sends them: the first is signed if the model signs. */
export function signCalls(model: string, calls: readonly ToolCall[]): ToolCall[] {
  const place = placeOf(model);
  return calls.map((call, index) => {
    if (place === undefined || index > 0) return call;
    const signed = { ...call, id: call.id + SIGNED };
    const signature = signatureOf(signed);
    return place === "top"
      ? { ...signed, thought_signature: signature }
      : { ...signed, extra_content: { google: { thought_signature: signature } } };
  });
}

function presented(call: Readonly<Record<string, unknown>>): unknown {
  const extra = isJsonObject(call.extra_content) ? call.extra_content.google : undefined;
  return (isJsonObject(extra) ? extra.thought_signature : undefined) ?? call.thought_signature;
}

/** Checks the signatures of the calls since the last user message, for a model that signs. */
export function checkSignatures(model: string, steps: readonly EchoedStep[]): Refusal | undefined {
  if (placeOf(model) === undefined) return undefined;
  for (const { message, calls } of steps) {
    const first = calls[0];
    if (first === undefined) continue;
    const signature = presented(first.wire);
    if (signature === SKIP_SIGNATURE) continue;
    if (signature === undefined && !first.id.endsWith(SIGNED)) continue;
    const param = `messages.${message}.tool_calls.0`;
    const call = `Function call "${first.name}" in ${param}`;
    if (signature === undefined) {
      return refuse(param, `${call} is missing its thought_signature: echo tool calls whole`);
    }
    const { id, name, args } = first;
    if (signature !== signatureOf({ id, function: { name, arguments: args } })) {
      return refuse(param, `${call} has a thought_signature that does not fit it`);
    }
  }
  return undefined;
}
