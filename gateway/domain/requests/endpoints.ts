/**
 * The model endpoints of the public listener: the one list of their names and paths.
 *
 * @module
 */

import type { Endpoint } from "@svc/sdk/protocol";

/** Path of each endpoint on the public listener. */
export const ENDPOINT_PATHS = {
  chat: "/openai/v1/chat/completions",
  responses: "/openai/v1/responses",
  "images.generations": "/openai/v1/images/generations",
  "images.edits": "/openai/v1/images/edits",
  embeddings: "/openai/v1/embeddings",
} as const satisfies Readonly<Record<Endpoint, string>>;

/** Names of the endpoints, in the order in which they are listed. */
export const ENDPOINTS = [
  "chat",
  "responses",
  "images.generations",
  "images.edits",
  "embeddings",
] as const;
