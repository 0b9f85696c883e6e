/**
 * Paths of the public listener: its routes and its description both use these.
 *
 * @module
 */

import { ENDPOINT_PATHS } from "../domain/requests/endpoints.ts";

const RESPONSE = `${ENDPOINT_PATHS.responses}/{id}` as const;

/** Paths of the public listener, with variable segments in braces. */
export const PUBLIC_PATHS = {
  ...ENDPOINT_PATHS,
  health: "/healthz",
  readiness: "/readyz",
  models: "/api/v1/models",
  modelMeta: "/api/v1/models/meta",
  pricing: "/api/v1/pricing",
  feedback: "/api/v1/feedback",
  openAIModels: "/openai/v1/models",
  openAIModel: "/openai/v1/models/{model}",
  response: RESPONSE,
  inputItems: `${RESPONSE}/input_items`,
  file: "/files/{id}",
  document: "/openapi.json",
  reference: "/reference",
} as const;

/** Returns a path in the form of the router, `/files/:id`. */
export function routeOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}
