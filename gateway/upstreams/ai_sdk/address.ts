/**
 * Where a provider is reached that is spoken to through its package: known, or refused, before
 * anything of it is loaded.
 *
 * @module
 */

import type { NativeKind, UpstreamConfig } from "../../domain/catalog/catalog.ts";
import type { Credentials } from "./credentials.ts";
const BASE_URLS: Readonly<Record<NativeKind, string | undefined>> = {
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
  mistral: "https://api.mistral.ai/v1",
  cohere: "https://api.cohere.com/v2",
  // Made of the account's own names, below.
  "google-vertex": undefined,
  "amazon-bedrock": undefined,
  azure: undefined,
};

/** Where an upstream is reached, and that it is one of these kinds. */
export interface Address {
  readonly kind: NativeKind;
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

/** Throws a `TypeError` where the configuration says too little, or asks for another kind. */
export function addressOf(config: UpstreamConfig, credentials: Credentials): Address {
  const { id, kind } = config;
  const baseUrl = baseUrlOf(config, credentials);
  if (!isNativeKind(kind) || baseUrl === undefined) {
    throw new TypeError(`Cannot create upstream "${id}": its address is not known`);
  }
  return { kind, baseUrl };
}

function isNativeKind(kind: string): kind is NativeKind {
  return Object.hasOwn(BASE_URLS, kind);
}

/** Address of an upstream; `undefined` where the configuration does not say enough. */
export function baseUrlOf(
  config: UpstreamConfig,
  credentials?: Pick<Credentials, "kind">,
): string | undefined {
  const { baseUrl, kind, project, region, resourceName } = config;
  if (baseUrl !== undefined) return baseUrl.replace(/\/+$/, "");
  switch (kind) {
    case "amazon-bedrock":
      return region && `https://bedrock-runtime.${region}.amazonaws.com`;
    case "azure":
      return resourceName && `https://${resourceName}.openai.azure.com/openai`;
    case "google-vertex":
      // A key of Vertex's express mode belongs to a project already.
      if (credentials?.kind !== "service-account" && config.credentialsFileEnv === undefined) {
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
  if (region === "global") return "aiplatform.googleapis.com";
  // Places that span regions have hosts of their own.
  if (region === "eu" || region === "us") return `aiplatform.${region}.rep.googleapis.com`;
  return `${region}-aiplatform.googleapis.com`;
}
