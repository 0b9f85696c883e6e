import { bearer, secretOf } from "../ai_sdk/credentials.ts";
import { EVERYWHERE, UNMARKED } from "../ai_sdk/features.ts";
import type { ProviderDescriptor } from "./descriptor.ts";

/** Mistral's own API. */
export const MISTRAL: ProviderDescriptor = {
  kind: "mistral",
  traits: { telemetryName: "mistral_ai" },
  defaultBaseUrl: "https://api.mistral.ai/v1",
  needsCredentials: true,
  embeds: true,
  priceList: { id: "mistral" },
  loadCost: [44, 12.4],
  protocol: {
    name: "translated",
    chat: {
      optionsKey: "mistral",
      lacks: {
        ...EVERYWHERE,
        ...UNMARKED,
        input_audio: "refused",
        filename: "reported",
        odd_filename: "reported",
        result_filename: "reported",
        image_detail: "reported",
      },
      namesSchemas: true,
    },
    embeddings: { optionsKey: "mistral", dimensions: ["outputDimension"] },
    open: async () => {
      const { createMistral } = await import("@ai-sdk/mistral");
      return ({ baseUrl, access, fetch }) =>
        createMistral({ baseURL: baseUrl, apiKey: secretOf(access), fetch });
    },
    modelList: ({ access, baseUrl }) => ({
      url: `${baseUrl}/models`,
      headers: bearer(access),
      member: "data",
      name: "id",
    }),
  },
};
