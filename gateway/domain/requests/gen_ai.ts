/**
 * Names of the OpenTelemetry conventions for generative AI, as of their schema 1.42.
 *
 * @module
 */

import type { Endpoint } from "@svc/sdk/protocol";
import type { UpstreamConfig, UpstreamKind } from "../catalog/catalog.ts";

/** Kinds whose provider the conventions have a name for. */
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

/** `gen_ai.provider.name` of an upstream: the operator's own name where the conventions have none. */
export function providerName({ kind, provider }: UpstreamConfig): string {
  return PROVIDERS[kind] ?? provider;
}

/** `gen_ai.operation.name` of a call. */
export function operationName(endpoint: Endpoint): "chat" | "generate_content" {
  return endpoint === "chat" || endpoint === "responses" ? "chat" : "generate_content";
}
