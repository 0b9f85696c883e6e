import { secretOf } from "../ai_sdk/credentials.ts";
import { CLAUDES, EVERYWHERE } from "../ai_sdk/features.ts";
import type { ProviderDescriptor } from "./descriptor.ts";

/** Anthropic's Messages. */
export const ANTHROPIC: ProviderDescriptor = {
  kind: "anthropic",
  traits: { telemetryName: "anthropic" },
  defaultBaseUrl: "https://api.anthropic.com/v1",
  needsCredentials: true,
  priceList: { id: "anthropic" },
  presets: [{ id: "anthropic", apiKeyEnv: "ANTHROPIC_API_KEY" }],
  variables: ["ANTHROPIC_BASE_URL"],
  loadCost: [52, 15.6],
  protocol: {
    name: "translated",
    chat: {
      optionsKey: "anthropic",
      lacks: {
        ...EVERYWHERE,
        ...CLAUDES,
        input_audio: "refused",
        result_filename: "reported",
        seed: "reported",
        penalties: "reported",
        image_detail: "reported",
      },
      signatures: { style: "thinking", packageKey: "anthropic", chatKey: "anthropic" },
      claude: { redactedKey: "redactedData", dropsCalls: false },
      oneCallOptions: { disableParallelToolUse: true },
      cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } },
      marksToolErrors: true,
      // The package drops other documents there.
      resultFiles: /^image\/|^application\/pdf$/,
      parsedArguments: "unstreamed",
    },
    open: async () => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return ({ baseUrl, access, fetch }) =>
        createAnthropic({ baseURL: baseUrl, apiKey: secretOf(access), fetch });
    },
    modelList: ({ access, baseUrl }) => ({
      url: `${baseUrl}/models?limit=1000`,
      headers: { "x-api-key": secretOf(access), "anthropic-version": "2023-06-01" },
      member: "data",
      name: "id",
    }),
  },
};
