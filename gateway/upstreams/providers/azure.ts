import type { JSONObject } from "@ai-sdk/provider";
import { secretOf } from "../ai_sdk/credentials.ts";
import { UNMARKED, WITH_USER } from "../ai_sdk/features.ts";
import type { ProviderDescriptor, UnreadContent } from "./descriptor.ts";
import { objectMember } from "./json_member.ts";

/** OpenAI's models on Azure. */
export const AZURE: ProviderDescriptor = {
  kind: "azure",
  traits: { telemetryName: "azure.ai.openai" },
  needsCredentials: true,
  takesOutputLimitField: true,
  draws: true,
  embeds: true,
  priceList: { id: "azure" },
  variables: ["AZURE_API_KEY"],
  loadCost: [47, 15.7],
  problemOf: ({ baseUrl, resourceName }) =>
    baseUrl === undefined && resourceName === undefined
      ? 'resourceName: An upstream of kind "azure" needs one, or baseUrl'
      : undefined,
  protocol: {
    name: "translated",
    chat: {
      optionsKey: "openai",
      lacks: { ...WITH_USER, ...UNMARKED },
      namesSchemas: true,
      needsOutputLimit: false,
      // Deployments have the operator's names, from which the package cannot tell the field.
      outputLimitField: "max_completion_tokens",
      // Sources are sent as annotations.
      repeatedParts: ["source"],
      unreadContent,
    },
    images: {
      maxImages: 10,
      fileData: "bytes",
      takesMasks: true,
      fieldsOf: (endpoint) => ({
        quality: "quality",
        background: "background",
        output_format: "outputFormat",
        output_compression: "outputCompression",
        user: "user",
        ...endpoint === "images.edits"
          ? { input_fidelity: "inputFidelity" }
          : { style: "style", moderation: "moderation" },
      }),
    },
    embeddings: { optionsKey: "openai", dimensions: ["dimensions"] },
    open: async () => {
      const { createAzure } = await import("@ai-sdk/azure");
      return ({ baseUrl, access, config: { apiVersion }, fetch }) => {
        const provider = createAzure({
          baseURL: baseUrl,
          apiKey: secretOf(access),
          fetch,
          // Dated versions know the older addresses only, with the deployment in the path.
          ...(isDated(apiVersion) ? { apiVersion, useDeploymentBasedUrls: true } : {}),
        });
        return {
          languageModel: (model) => provider.chat(model),
          imageModel: (model) => provider.imageModel(model),
          embeddingModel: (model) => provider.embeddingModel(model),
        };
      };
    },
    baseUrlOf: ({ resourceName }) =>
      resourceName && `https://${resourceName}.openai.azure.com/openai`,
    modelList: () => "Azure lists what could be deployed, not the deployments that can be called",
  },
};

function isDated(apiVersion: string | undefined): apiVersion is string {
  return apiVersion !== undefined && /^\d/.test(apiVersion);
}

function unreadContent({ choices }: JSONObject): UnreadContent {
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  const { annotations, refusal } = objectMember(choice, "message") ??
    objectMember(choice, "delta") ?? {};
  return {
    ...(typeof refusal === "string" && refusal !== "" ? { refusal } : {}),
    ...(Array.isArray(annotations) && annotations.length > 0 ? { annotations } : {}),
  };
}
