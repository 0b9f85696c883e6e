import { bearer, secretOf } from "../ai_sdk/credentials.ts";
import { CLAUDES, EVERYWHERE } from "../ai_sdk/features.ts";
import type { ProviderDescriptor } from "./descriptor.ts";

const NEEDS = 'An upstream of kind "amazon-bedrock" needs one';

/** Amazon Bedrock, with a bearer key or with requests that are signed. */
export const AMAZON_BEDROCK: ProviderDescriptor = {
  kind: "amazon-bedrock",
  traits: { telemetryName: "aws.bedrock" },
  credentials: ["aws-keys"],
  needsCredentials: true,
  draws: true,
  embeds: true,
  priceList: { id: "aws" },
  variables: [
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
  ],
  loadCost: [95, 22.0],
  problemOf: ({ accessKeyIdEnv, baseUrl, region }) => {
    if (region !== undefined) return undefined;
    if (accessKeyIdEnv !== undefined) return `region: ${NEEDS}: signatures are for a region`;
    return baseUrl === undefined ? `region: ${NEEDS}, or baseUrl` : undefined;
  },
  protocol: {
    name: "translated",
    chat: {
      optionsKey: "bedrock",
      streamType: "application/vnd.amazon.eventstream",
      lacks: {
        ...EVERYWHERE,
        ...CLAUDES,
        image_url: "fetched",
        result_image_url: "fetched",
        input_audio: "refused",
        tool_cache_control: "reported",
        odd_filename: "changed",
        parallel_tool_calls: "reported",
        no_more_calls: "reported",
        seed: "reported",
        penalties: "reported",
        image_detail: "reported",
      },
      signatures: { style: "thinking", packageKey: "bedrock", chatKey: "anthropic" },
      claude: { redactedKey: "redactedContent", dropsCalls: true },
      cacheMark: { bedrock: { cachePoint: { type: "default" } } },
      resultFiles: /^/,
      parsedArguments: "unstreamed",
    },
    images: {
      maxImages: 5,
      fileData: "base64",
      qualities: {
        standard: "standard",
        low: "standard",
        medium: "standard",
        hd: "premium",
        high: "premium",
        premium: "premium",
      },
    },
    embeddings: {
      optionsKey: "bedrock",
      dimensions: ["dimensions", "embeddingDimension", "outputDimension"],
      fields: { input_type: "inputType", truncate: "truncate" },
    },
    open: async () => {
      const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
      return ({ baseUrl, access, config, fetch }) => {
        const settings = { baseURL: baseUrl, region: config.region ?? "", fetch };
        if (access.kind !== "aws") {
          return createAmazonBedrock({ ...settings, apiKey: secretOf(access) });
        }
        const credentialProvider = () => Promise.resolve(access.keys);
        // The empty key keeps the package from looking for one in the environment.
        return createAmazonBedrock({ ...settings, apiKey: "", credentialProvider });
      };
    },
    baseUrlOf: ({ region }) => region && `https://bedrock-runtime.${region}.amazonaws.com`,
    modelList: ({ access, config: { baseUrl, region } }) => {
      if (access.kind === "aws") {
        return "Bedrock's list is read with a bearer key, not with signatures";
      }
      if (baseUrl !== undefined || region === undefined) {
        return "Bedrock's list is at another address than its models, which baseUrl does not name";
      }
      return {
        url: `https://bedrock.${region}.amazonaws.com/foundation-models`,
        headers: bearer(access),
        member: "modelSummaries",
        name: "modelId",
      };
    },
  },
};
