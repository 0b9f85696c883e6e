/**
 * The provider packages. Each is loaded when the first upstream of its kind is called, and costs
 * nothing before.
 *
 * @module
 */

import type { ImageModelV4, LanguageModelV4 } from "@ai-sdk/provider";
import type { NativeKind, UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { type Access, secretOf } from "./access.ts";

/** What a model is reached with. */
export interface Connection {
  /** From `addressOf()`. */
  readonly baseUrl: string;
  /** Tokens are of `google-vertex` alone, Amazon's keys of `amazon-bedrock`. */
  readonly access: Access;
  /** Of the upstream's configuration. */
  readonly config: UpstreamConfig;
  /** Sends the one request of a call. */
  readonly fetch: typeof fetch;
}

/** A provider's models, by its own names for them. */
export interface Provider {
  /** A model that speaks. */
  languageModel(model: string): LanguageModelV4;
  /** A model that draws; throws where the package has none. */
  imageModel(model: string): ImageModelV4;
}

/** Makes a provider whose models speak through a connection. */
export type OpenProvider = (connection: Connection) => Provider;

/** Loads the package of a kind. */
export const PROVIDERS: Readonly<Record<NativeKind, () => Promise<OpenProvider>>> = {
  anthropic: async () => {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return ({ baseUrl, access, fetch }) =>
      createAnthropic({ baseURL: baseUrl, apiKey: secretOf(access), fetch });
  },
  google: async () => {
    const { createGoogle } = await import("@ai-sdk/google");
    return ({ baseUrl, access, fetch }) =>
      createGoogle({ baseURL: baseUrl, apiKey: secretOf(access), fetch });
  },
  "google-vertex": async () => {
    // The main entry brings an authentication library that looks for credentials on the disk.
    const { createGoogleVertex } = await import("@ai-sdk/google-vertex/edge");
    return ({ baseUrl, access, fetch }) =>
      createGoogleVertex({
        baseURL: baseUrl,
        apiKey: secretOf(access),
        fetch: access.kind === "token" ? withToken(access.token, fetch) : fetch,
      });
  },
  "amazon-bedrock": async () => {
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
  azure: async () => {
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
      };
    };
  },
  mistral: async () => {
    const { createMistral } = await import("@ai-sdk/mistral");
    return ({ baseUrl, access, fetch }) =>
      createMistral({ baseURL: baseUrl, apiKey: secretOf(access), fetch });
  },
  cohere: async () => {
    const { createCohere } = await import("@ai-sdk/cohere");
    return ({ baseUrl, access, fetch }) =>
      createCohere({ baseURL: baseUrl, apiKey: secretOf(access), fetch });
  },
};

/**
 * Sends a token where the package sends its key. Its own road for service accounts asks for a token
 * before every call, outside of the upstream's limits.
 */
function withToken(token: string, send: typeof fetch): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete("x-goog-api-key");
    headers.set("authorization", `Bearer ${token}`);
    return send(input, { ...init, headers });
  };
}

function isDated(apiVersion: string | undefined): apiVersion is string {
  return apiVersion !== undefined && /^\d/.test(apiVersion);
}
