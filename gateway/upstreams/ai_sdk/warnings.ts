import type { SharedV4Warning } from "@ai-sdk/provider";

/** Chat's names of fields, by the packages' names. */
const CHAT_NAMES: Readonly<Record<string, string>> = {
  frequencyPenalty: "frequency_penalty",
  maxOutputTokens: "max_completion_tokens",
  presencePenalty: "presence_penalty",
  reasoning: "reasoning_effort",
  responseFormat: "response_format",
  stopSequences: "stop",
  toolChoice: "tool_choice",
  topK: "top_k",
  topP: "top_p",
};

/** Returns the warnings of a provider package, one line each. */
export function warningTexts(warnings: readonly SharedV4Warning[]): string[] {
  return warnings.map((warning) => {
    switch (warning.type) {
      case "unsupported":
      case "compatibility":
        return `${chatName(warning.feature)}: ${
          warning.details ?? `${warning.type} by this model`
        }`;
      case "deprecated":
        return `${chatName(warning.setting)}: ${warning.message}`;
      case "other":
        return warning.message;
    }
  });
}

function chatName(feature: string): string {
  return Object.hasOwn(CHAT_NAMES, feature) ? CHAT_NAMES[feature] ?? feature : feature;
}
