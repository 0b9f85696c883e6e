import type { LanguageModelV4FinishReason, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { type FinishReason, isJsonObject } from "@svc/sdk/protocol";

/**
 * Providers' finish reasons that their packages do not know; `error` is a failure of the upstream.
 */
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

/** Maximum length of a finish reason in a warning, in characters. */
const REASON_MAX_CHARS = 64;

/** Returns Chat's finish reason; `undefined` where the provider reported an error. */
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
      // Some providers report "stop" beside tool calls.
      return known ?? (hasToolCalls ? "tool_calls" : "stop");
    }
  }
}

/** Returns a warning about a finish reason that is reported as `stop` because it is unknown. */
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

/** Returns the provider's text for a refusal; `null` where there is none. */
export function refusalText(metadata: SharedV4ProviderMetadata | undefined): string | null {
  const details = metadata?.["anthropic"]?.["stopDetails"];
  if (!isJsonObject(details)) return null;
  return typeof details["explanation"] === "string" ? details["explanation"] : null;
}
