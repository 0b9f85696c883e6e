/** A model that detection offers. */
export interface DetectableModel {
  readonly upstreamModel: string;
  /** Expected quality of its answers, 0 to 1. */
  readonly quality: number;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly featureTags: readonly string[];
}

/** A provider that one environment variable is enough for. */
export interface DetectableProvider {
  readonly id: string;
  readonly kind: "openai" | "openai-compatible" | "anthropic" | "google";
  readonly apiKeyEnv: string;
  readonly baseUrl: string;
  /** Its name in the price list. */
  readonly listId: string;
  readonly models: readonly DetectableModel[];
}

const TEXT: readonly string[] = ["tools", "json"];
const SIGHTED: readonly string[] = ["tools", "json", "vision"];
const THINKING: readonly string[] = ["tools", "json", "vision", "reasoning"];

function model(
  upstreamModel: string,
  limits: readonly [quality: number, contextTokens: number, maxOutputTokens: number],
  featureTags: readonly string[],
): DetectableModel {
  const [quality, contextTokens, maxOutputTokens] = limits;
  return { upstreamModel, quality, contextTokens, maxOutputTokens, featureTags };
}

/**
 * Providers by their variables, each with a few models of different strength. Prices come from the
 * price list; limits are those the providers state; quality is a judgement, meant to be overridden.
 */
export const DETECTABLE: readonly DetectableProvider[] = [
  {
    id: "openai",
    kind: "openai",
    apiKeyEnv: "OPENAI_API_KEY",
    baseUrl: "https://api.openai.com/v1",
    listId: "openai",
    models: [
      model("gpt-5-nano", [0.5, 400_000, 128_000], THINKING),
      model("gpt-5-mini", [0.68, 400_000, 128_000], THINKING),
      model("gpt-5.2", [0.92, 400_000, 128_000], THINKING),
    ],
  },
  {
    id: "anthropic",
    kind: "anthropic",
    apiKeyEnv: "ANTHROPIC_API_KEY",
    baseUrl: "https://api.anthropic.com/v1",
    listId: "anthropic",
    models: [
      model("claude-haiku-4-5", [0.7, 200_000, 64_000], SIGHTED),
      model("claude-sonnet-4-5", [0.88, 200_000, 64_000], THINKING),
    ],
  },
  {
    id: "google",
    kind: "google",
    apiKeyEnv: "GEMINI_API_KEY",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    listId: "google",
    models: [
      model("gemini-2.5-flash-lite", [0.5, 1_000_000, 65_536], SIGHTED),
      model("gemini-2.5-flash", [0.7, 1_048_576, 65_536], THINKING),
      model("gemini-2.5-pro", [0.88, 1_048_576, 65_536], THINKING),
    ],
  },
  {
    id: "openrouter",
    kind: "openai-compatible",
    apiKeyEnv: "OPENROUTER_API_KEY",
    baseUrl: "https://openrouter.ai/api/v1",
    listId: "openrouter",
    models: [
      model("openai/gpt-5-mini", [0.68, 400_000, 128_000], THINKING),
      model("deepseek/deepseek-chat-v3.1", [0.72, 128_000, 8_192], TEXT),
      model("anthropic/claude-sonnet-4.5", [0.88, 200_000, 64_000], THINKING),
    ],
  },
  {
    id: "deepseek",
    kind: "openai-compatible",
    apiKeyEnv: "DEEPSEEK_API_KEY",
    baseUrl: "https://api.deepseek.com/v1",
    listId: "deepseek",
    models: [model("deepseek-chat", [0.72, 64_000, 8_192], TEXT)],
  },
  {
    id: "mistral",
    kind: "openai-compatible",
    apiKeyEnv: "MISTRAL_API_KEY",
    baseUrl: "https://api.mistral.ai/v1",
    listId: "mistral",
    models: [
      model("mistral-small-latest", [0.55, 128_000, 8_192], SIGHTED),
      model("mistral-medium-latest", [0.74, 128_000, 8_192], SIGHTED),
    ],
  },
  {
    id: "groq",
    kind: "openai-compatible",
    apiKeyEnv: "GROQ_API_KEY",
    baseUrl: "https://api.groq.com/openai/v1",
    listId: "groq",
    models: [
      model("openai/gpt-oss-20b", [0.5, 131_072, 32_768], TEXT),
      model("openai/gpt-oss-120b", [0.66, 131_072, 32_768], TEXT),
    ],
  },
  {
    id: "xai",
    kind: "openai-compatible",
    apiKeyEnv: "XAI_API_KEY",
    baseUrl: "https://api.x.ai/v1",
    listId: "x-ai",
    models: [
      model("grok-4-fast-non-reasoning", [0.68, 2_000_000, 30_000], SIGHTED),
      model("grok-4", [0.86, 256_000, 64_000], THINKING),
    ],
  },
];
