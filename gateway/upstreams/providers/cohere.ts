import type { JSONObject } from "@ai-sdk/provider";
import { bearer, secretOf } from "../ai_sdk/credentials.ts";
import { EVERYWHERE, UNMARKED } from "../ai_sdk/features.ts";
import type { ProviderDescriptor, UnreadContent } from "./descriptor.ts";
import { objectMember } from "./json_member.ts";

/** Cohere's chat, version 2. */
export const COHERE: ProviderDescriptor = {
  kind: "cohere",
  traits: { telemetryName: "cohere" },
  defaultBaseUrl: "https://api.cohere.com/v2",
  needsCredentials: true,
  embeds: true,
  priceList: { id: "cohere" },
  presets: [{ id: "cohere", apiKeyEnv: "COHERE_API_KEY" }],
  loadCost: [42, 11.9],
  protocol: {
    name: "translated",
    chat: {
      optionsKey: "cohere",
      lacks: {
        ...EVERYWHERE,
        ...UNMARKED,
        input_audio: "refused",
        file_data: "refused",
        filename: "refused",
        odd_filename: "refused",
        result_filename: "refused",
        picture_filename: "refused",
        text_before_calls: "reported",
        tool_strict: "reported",
        parallel_tool_calls: "reported",
        image_detail: "reported",
      },
      unreadContent,
    },
    embeddings: {
      optionsKey: "cohere",
      dimensions: ["outputDimension"],
      fields: { input_type: "inputType", truncate: "truncate" },
    },
    open: async () => {
      const { createCohere } = await import("@ai-sdk/cohere");
      return ({ baseUrl, access, fetch }) =>
        createCohere({ baseURL: baseUrl, apiKey: secretOf(access), fetch });
    },
    modelList: ({ access, baseUrl }) => ({
      // The list still belongs to the first version of the API.
      url: `${baseUrl.replace(/\/v2$/, "/v1")}/models?endpoint=chat&page_size=1000`,
      headers: bearer(access),
      member: "models",
      name: "name",
    }),
  },
};

/** Returns the plan that precedes tool calls. */
function unreadContent({ message, delta }: JSONObject): UnreadContent {
  const answer = objectMember({ message }, "message") ?? objectMember(delta, "message");
  const plan = answer?.["tool_plan"];
  return typeof plan === "string" && plan !== "" ? { reasoning_content: plan } : {};
}
