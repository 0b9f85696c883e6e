/**
 * The provider packages. Each is loaded when the first upstream of its kind is called, and costs
 * nothing before.
 *
 * @module
 */

import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { NativeKind, UpstreamConfig } from "../../domain/catalog.ts";
import { isRecord, parseObject } from "../openai_compatible/body.ts";

/** What a model is reached with. */
export interface Connection {
  /** From {@linkcode baseUrlOf}. */
  readonly baseUrl: string;
  /** The provider's key; for `google-vertex` also the JSON text of a service account. */
  readonly key: string;
  /** Of the upstream's configuration. */
  readonly config: UpstreamConfig;
  /** Sends the one request of a call. */
  readonly fetch: typeof fetch;
}

/** Makes a model that speaks through a connection. */
export type OpenModel = (model: string, connection: Connection) => LanguageModelV4;

/** Loads the package of a kind. */
export const PROVIDERS: Readonly<Record<NativeKind, () => Promise<OpenModel>>> = {
  anthropic: async () => {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return (model, { baseUrl, key, fetch }) =>
      createAnthropic({ baseURL: baseUrl, apiKey: key, fetch }).languageModel(model);
  },
  google: async () => {
    const { createGoogle } = await import("@ai-sdk/google");
    return (model, { baseUrl, key, fetch }) =>
      createGoogle({ baseURL: baseUrl, apiKey: key, fetch }).languageModel(model);
  },
  "google-vertex": async () => {
    // The main entry brings an authentication library that looks for credentials on the disk.
    const { createGoogleVertex } = await import("@ai-sdk/google-vertex/edge");
    return (model, { baseUrl, key, config, fetch }) =>
      createGoogleVertex({ baseURL: baseUrl, fetch, ...vertexAccess(key, config) })
        .languageModel(model);
  },
  "amazon-bedrock": async () => {
    const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
    return (model, { baseUrl, key, config, fetch }) =>
      createAmazonBedrock({ baseURL: baseUrl, apiKey: key, region: config.region ?? "", fetch })
        .languageModel(model);
  },
  azure: async () => {
    const { createAzure } = await import("@ai-sdk/azure");
    return (model, { baseUrl, key, config: { apiVersion }, fetch }) =>
      createAzure({
        baseURL: baseUrl,
        apiKey: key,
        fetch,
        // Dated versions know the older addresses only, with the deployment in the path.
        ...(isDated(apiVersion) ? { apiVersion, useDeploymentBasedUrls: true } : {}),
      }).chat(model);
  },
  mistral: async () => {
    const { createMistral } = await import("@ai-sdk/mistral");
    return (model, { baseUrl, key, fetch }) =>
      createMistral({ baseURL: baseUrl, apiKey: key, fetch }).languageModel(model);
  },
  cohere: async () => {
    const { createCohere } = await import("@ai-sdk/cohere");
    return (model, { baseUrl, key, fetch }) =>
      createCohere({ baseURL: baseUrl, apiKey: key, fetch }).languageModel(model);
  },
};

/** Whether an upstream's kind is spoken here. */
export function isNativeKind(kind: string): kind is NativeKind {
  return Object.hasOwn(PROVIDERS, kind);
}

const BASE_URLS: Readonly<Partial<Record<NativeKind, string>>> = {
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
  mistral: "https://api.mistral.ai/v1",
  cohere: "https://api.cohere.com/v2",
};

/** Address of an upstream; `undefined` where the configuration does not say enough. */
export function baseUrlOf(config: UpstreamConfig, key?: string): string | undefined {
  const { baseUrl, kind, project, region, resourceName } = config;
  if (baseUrl !== undefined) return baseUrl.replace(/\/+$/, "");
  switch (kind) {
    case "amazon-bedrock":
      return region && `https://bedrock-runtime.${region}.amazonaws.com`;
    case "azure":
      return resourceName && `https://${resourceName}.openai.azure.com/openai`;
    case "google-vertex":
      if (serviceAccountOf(key) === undefined) {
        return "https://aiplatform.googleapis.com/v1/publishers/google";
      }
      return region && project &&
        `https://${
          vertexHost(region)
        }/v1beta1/projects/${project}/locations/${region}/publishers/google`;
    default:
      return isNativeKind(kind) ? BASE_URLS[kind] : undefined;
  }
}

function vertexHost(region: string): string {
  return region === "global" ? "aiplatform.googleapis.com" : `${region}-aiplatform.googleapis.com`;
}

/** A key is a key, unless it is the JSON text of a service account. */
function vertexAccess(key: string, { project, region }: UpstreamConfig) {
  const googleCredentials = serviceAccountOf(key);
  if (googleCredentials === undefined) return { apiKey: key };
  return { googleCredentials, project: project ?? "", location: region ?? "" };
}

function serviceAccountOf(
  key: string | undefined,
): { clientEmail: string; privateKey: string } | undefined {
  const account = key?.startsWith("{") ? parseObject(key) : undefined;
  if (!isRecord(account)) return undefined;
  const { client_email: clientEmail, private_key: privateKey } = account;
  return typeof clientEmail === "string" && typeof privateKey === "string"
    ? { clientEmail, privateKey }
    : undefined;
}

function isDated(apiVersion: string | undefined): apiVersion is string {
  return apiVersion !== undefined && /^\d/.test(apiVersion);
}
