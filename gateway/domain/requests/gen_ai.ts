/**
 * Names of the OpenTelemetry conventions for generative AI, as of their schema 1.42.
 *
 * @module
 */

import type { Endpoint } from "@svc/sdk/protocol";
import type { UpstreamConfig, UpstreamKind } from "../catalog/catalog.ts";

/** Names of providers in the conventions, by kind of upstream. */
const PROVIDERS: Readonly<Partial<Record<UpstreamKind, string>>> = {
  openai: "openai",
  anthropic: "anthropic",
  google: "gcp.gemini",
  "google-vertex": "gcp.vertex_ai",
  "amazon-bedrock": "aws.bedrock",
  azure: "azure.ai.openai",
  mistral: "mistral_ai",
  cohere: "cohere",
};

/**
 * Returns `gen_ai.provider.name` of an upstream: the operator's name if the conventions have none.
 */
export function providerName({ kind, provider }: UpstreamConfig): string {
  return PROVIDERS[kind] ?? provider;
}

/** Returns `gen_ai.operation.name` of a call. */
export function operationName(endpoint: Endpoint): "chat" | "generate_content" {
  return endpoint === "chat" || endpoint === "responses" ? "chat" : "generate_content";
}

/** Path of each endpoint on the public listener, for `http.route`. */
export const ROUTES: Readonly<Record<Endpoint, string>> = {
  chat: "/openai/v1/chat/completions",
  responses: "/openai/v1/responses",
  "images.generations": "/openai/v1/images/generations",
  "images.edits": "/openai/v1/images/edits",
};
