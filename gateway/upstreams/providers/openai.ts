import type { ProviderDescriptor } from "./descriptor.ts";

/** OpenAI's own API. */
export const OPENAI: ProviderDescriptor = {
  kind: "openai",
  traits: { speaksResponses: true, reportsLogprobs: true, telemetryName: "openai" },
  protocol: {
    name: "openai",
    // OpenAI's newer models refuse `max_tokens`; its older ones take this field too.
    outputLimitField: "max_completion_tokens",
    refusesCacheControl: true,
    // A tenth of the bytes.
    embeddingsEncoding: "base64",
  },
  defaultBaseUrl: "https://api.openai.com/v1",
  takesOutputLimitField: true,
  draws: true,
  embeds: true,
  priceList: { id: "openai", byAddress: true },
  presets: [{ id: "openai", apiKeyEnv: "OPENAI_API_KEY" }],
};
