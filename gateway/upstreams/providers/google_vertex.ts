import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { bearer, type Credentials, secretOf } from "../ai_sdk/credentials.ts";
import { EVERYWHERE, UNMARKED } from "../ai_sdk/features.ts";
import type { ModelList, ModelListOptions, ProviderDescriptor } from "./descriptor.ts";

/** Gemini models on Google Cloud, with a service account or a key of Vertex's express mode. */
export const GOOGLE_VERTEX: ProviderDescriptor = {
  kind: "google-vertex",
  traits: { telemetryName: "gcp.vertex_ai" },
  credentials: ["service-account"],
  needsCredentials: true,
  draws: true,
  embeds: true,
  priceList: { id: "google" },
  variables: ["GOOGLE_VERTEX_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"],
  loadCost: [47, 13.4],
  problemOf: ({ baseUrl, credentialsFileEnv, project, region }) => {
    if (baseUrl !== undefined) return undefined;
    // A key of the express mode belongs to a project, so it needs neither setting.
    const isExpress = credentialsFileEnv === undefined && region === undefined &&
      project === undefined;
    if (isExpress || (region !== undefined && project !== undefined)) return undefined;
    const missing = region === undefined ? "region" : "project";
    return `${missing}: An upstream of kind "google-vertex" needs both, region and project`;
  },
  protocol: {
    name: "translated",
    chat: {
      optionsKey: "googleVertex",
      lacks: {
        ...EVERYWHERE,
        ...UNMARKED,
        filename: "reported",
        odd_filename: "reported",
        result_filename: "reported",
        // The package would fetch the address by itself, from anywhere.
        result_image_url: "fetched",
        parallel_tool_calls: "reported",
        image_detail: "reported",
      },
      signatures: { style: "thought", packageKey: "googleVertex", chatKey: "vertex" },
      resultFiles: /^/,
      hasOneTextResults: true,
      parsedArguments: "always",
    },
    images: { maxImages: 1, fileData: "base64", takesRatios: true },
    embeddings: {
      optionsKey: "vertex",
      dimensions: ["outputDimensionality"],
      fields: { task_type: "taskType" },
    },
    open: async () => {
      // The main entry brings an authentication library that looks for credentials on the disk.
      const { createGoogleVertex } = await import("@ai-sdk/google-vertex/edge");
      return ({ baseUrl, access, fetch }) =>
        createGoogleVertex({
          baseURL: baseUrl,
          apiKey: secretOf(access),
          fetch: access.kind === "token" ? withToken(access.token, fetch) : fetch,
        });
    },
    baseUrlOf,
    modelList,
  },
};

function baseUrlOf(
  { credentialsFileEnv, project, region }: UpstreamConfig,
  credentials: Pick<Credentials, "kind"> | undefined,
): string | undefined {
  if (credentials?.kind !== "service-account" && credentialsFileEnv === undefined) {
    return "https://aiplatform.googleapis.com/v1/publishers/google";
  }
  if (!region || !project) return undefined;
  const place = `projects/${project}/locations/${region}`;
  return `https://${hostOf(region)}/v1beta1/${place}/publishers/google`;
}

function hostOf(region: string): string {
  if (region === "global") return "aiplatform.googleapis.com";
  // Multi-region locations have separate hosts.
  if (region === "eu" || region === "us") return `aiplatform.${region}.rep.googleapis.com`;
  return `${region}-aiplatform.googleapis.com`;
}

function modelList({ access, baseUrl, config: { project } }: ModelListOptions): ModelList | string {
  if (access.kind !== "token") return "Vertex lists models for service accounts only";
  return {
    // Publishers' models are listed outside of any project, which only pays for the request.
    url: `${new URL(baseUrl).origin}/v1beta1/publishers/google/models?pageSize=100`,
    headers: {
      ...bearer(access),
      ...(project === undefined ? {} : { "x-goog-user-project": project }),
    },
    member: "publisherModels",
    name: "name",
  };
}

/**
 * Sends a token in place of the package's key. The package's own support of service accounts asks for
 * a token before every call, outside of the upstream's time limits.
 */
function withToken(token: string, send: typeof fetch): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete("x-goog-api-key");
    headers.set("authorization", `Bearer ${token}`);
    return send(input, { ...init, headers });
  };
}
