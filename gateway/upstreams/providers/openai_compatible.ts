import type { ProviderDescriptor } from "./descriptor.ts";

/** Servers and providers that serve OpenAI's Chat Completions. */
export const OPENAI_COMPATIBLE: ProviderDescriptor = {
  kind: "openai-compatible",
  traits: { reportsLogprobs: true },
  protocol: { name: "openai", mayServeGemini: true },
  takesOutputLimitField: true,
  draws: true,
  embeds: true,
  presets: [
    {
      id: "openrouter",
      baseUrl: "https://openrouter.ai/api/v1",
      apiKeyEnv: "OPENROUTER_API_KEY",
      outputLimitField: "max_tokens",
    },
    {
      id: "deepseek",
      baseUrl: "https://api.deepseek.com/v1",
      apiKeyEnv: "DEEPSEEK_API_KEY",
      outputLimitField: "max_tokens",
    },
    {
      id: "mistral",
      baseUrl: "https://api.mistral.ai/v1",
      apiKeyEnv: "MISTRAL_API_KEY",
      outputLimitField: "max_tokens",
    },
    {
      id: "groq",
      baseUrl: "https://api.groq.com/openai/v1",
      apiKeyEnv: "GROQ_API_KEY",
      outputLimitField: "max_completion_tokens",
    },
    {
      id: "xai",
      baseUrl: "https://api.x.ai/v1",
      apiKeyEnv: "XAI_API_KEY",
      outputLimitField: "max_completion_tokens",
    },
    { id: "ollama", hostEnv: "OLLAMA_HOST", port: "11434", maxInFlight: 8 },
  ],
};
