import { secretOf } from "../ai_sdk/credentials.ts";
import { EVERYWHERE, UNMARKED } from "../ai_sdk/features.ts";
import type { ProviderDescriptor } from "./descriptor.ts";

/** Google's Gemini API, with a key of AI Studio. */
export const GOOGLE: ProviderDescriptor = {
  kind: "google",
  traits: { telemetryName: "gcp.gemini" },
  defaultBaseUrl: "https://generativelanguage.googleapis.com/v1beta",
  needsCredentials: true,
  draws: true,
  embeds: true,
  priceList: { id: "google" },
  presets: [{ id: "google", apiKeyEnv: "GEMINI_API_KEY" }],
  loadCost: [54, 15.3],
  protocol: {
    name: "translated",
    chat: {
      optionsKey: "google",
      lacks: {
        ...EVERYWHERE,
        ...UNMARKED,
        filename: "reported",
        odd_filename: "reported",
        result_filename: "reported",
        image_url: "fetched",
        result_image_url: "fetched",
        parallel_tool_calls: "reported",
        image_detail: "reported",
      },
      signatures: { style: "thought", packageKey: "google", chatKey: "google" },
      resultFiles: /^/,
      hasOneTextResults: true,
      parsedArguments: "always",
    },
    embeddings: {
      optionsKey: "google",
      dimensions: ["outputDimensionality"],
      fields: { task_type: "taskType" },
    },
    images: { maxImages: 1, fileData: "base64", takesRatios: true },
    open: async () => {
      const { createGoogle } = await import("@ai-sdk/google");
      return ({ baseUrl, access, fetch }) =>
        createGoogle({ baseURL: baseUrl, apiKey: secretOf(access), fetch });
    },
    modelList: ({ access, baseUrl }) => ({
      url: `${baseUrl}/models?pageSize=1000`,
      headers: { "x-goog-api-key": secretOf(access) },
      member: "models",
      name: "name",
    }),
  },
};
