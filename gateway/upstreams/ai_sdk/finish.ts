import type { LanguageModelV4FinishReason, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { FinishReason } from "@svc/sdk/protocol";
import { isRecord } from "../openai_compatible/body.ts";

/** Why an answer ended, in Chat's words; `undefined` where the provider reported an error. */
export function chatFinish(
  { unified }: LanguageModelV4FinishReason,
  { hasToolCalls }: { hasToolCalls: boolean },
): FinishReason | undefined {
  switch (unified) {
    case "error":
      return undefined;
    case "length":
      return "length";
    case "content-filter":
      return "content_filter";
    default:
      // Some providers say "stop" beside tool calls.
      return hasToolCalls ? "tool_calls" : "stop";
  }
}

/** The provider's words for a refusal; `null` where it gave none. */
export function refusalText(metadata: SharedV4ProviderMetadata | undefined): string | null {
  const details = metadata?.["anthropic"]?.["stopDetails"];
  if (!isRecord(details)) return null;
  return typeof details["explanation"] === "string" ? details["explanation"] : null;
}
