import type { LanguageModelV4FinishReason, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { type FinishReason, isJsonObject } from "@svc/sdk/protocol";

/** Providers' own reasons that their packages have no word for; `error` is no answer. */
const REASONS: ReadonlyMap<string, "length" | "content_filter" | "error"> = new Map([
  ["model_context_window_exceeded", "length"],
  ...[
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "LANGUAGE",
    "MODEL_ARMOR",
    "ERROR_TOXIC",
  ].map((reason) => [reason, "content_filter"] as const),
  ...[
    "error",
    "malformed_model_output",
    "malformed_tool_use",
    "MALFORMED_RESPONSE",
    "MISSING_THOUGHT_SIGNATURE",
    "TIMEOUT",
    "TOO_MANY_TOOL_CALLS",
    "UNEXPECTED_TOOL_CALL",
  ].map((reason) => [reason, "error"] as const),
]);

/** Characters of a provider's word that are repeated. */
const REASON_MAX_CHARS = 64;

/** Why an answer ended, in Chat's words; `undefined` where the provider reported an error. */
export function chatFinish(
  reason: LanguageModelV4FinishReason,
  { hasToolCalls }: { hasToolCalls: boolean },
): FinishReason | undefined {
  switch (reason.unified) {
    case "error":
      return undefined;
    case "length":
      return "length";
    case "content-filter":
      return "content_filter";
    default: {
      const known = knownReason(reason);
      if (known === "error") return undefined;
      // Some providers say "stop" beside tool calls.
      return known ?? (hasToolCalls ? "tool_calls" : "stop");
    }
  }
}

/** A line on an end that is told as a stop, though nobody here knows what it means. */
export function unknownFinish(reason: LanguageModelV4FinishReason): string | undefined {
  const { raw, unified } = reason;
  if (unified !== "other" || raw === undefined || knownReason(reason) !== undefined) {
    return undefined;
  }
  const word = raw.slice(0, REASON_MAX_CHARS);
  return `finish_reason: the provider ended the answer with "${word}"`;
}

function knownReason({ raw, unified }: LanguageModelV4FinishReason) {
  return unified === "other" && raw !== undefined ? REASONS.get(raw) : undefined;
}

/** The provider's words for a refusal; `null` where it gave none. */
export function refusalText(metadata: SharedV4ProviderMetadata | undefined): string | null {
  const details = metadata?.["anthropic"]?.["stopDetails"];
  if (!isJsonObject(details)) return null;
  return typeof details["explanation"] === "string" ? details["explanation"] : null;
}
