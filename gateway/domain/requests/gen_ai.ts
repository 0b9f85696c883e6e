/**
 * Names of the OpenTelemetry conventions for generative AI, as of their schema 1.42.
 *
 * @module
 */

import type { Endpoint } from "@svc/sdk/protocol";

/** Returns `gen_ai.operation.name` of a call. */
export function operationName(endpoint: Endpoint): "chat" | "generate_content" {
  return endpoint === "chat" || endpoint === "responses" ? "chat" : "generate_content";
}
