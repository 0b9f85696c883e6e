/**
 * Paths of the public listener: its routes and its description both use these.
 *
 * @module
 */

import { ENDPOINT_PATHS } from "../domain/requests/endpoints.ts";

const FILE = "/openai/v1/files/{id}";
const VECTOR_STORE = "/openai/v1/vector_stores/{id}";
const FILE_BATCH = `${VECTOR_STORE}/file_batches/{batchId}` as const;
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
  ownKey: "/api/v1/key",
  ownSignInLink: "/api/v1/key/sign-in-link",
  ownUsage: "/api/v1/usage",
  ownRequests: "/api/v1/requests",
  ownRequest: "/api/v1/requests/{id}",
  openAIModels: "/openai/v1/models",
  openAIModel: "/openai/v1/models/{model}",
  response: RESPONSE,
  inputItems: `${RESPONSE}/input_items`,
  callerFiles: "/openai/v1/files",
  callerFile: FILE,
  callerFileContent: `${FILE}/content`,
  vectorStores: "/openai/v1/vector_stores",
  vectorStore: VECTOR_STORE,
  vectorStoreSearch: `${VECTOR_STORE}/search`,
  vectorStoreFiles: `${VECTOR_STORE}/files`,
  vectorStoreFile: `${VECTOR_STORE}/files/{fileId}`,
  vectorStoreFileContent: `${VECTOR_STORE}/files/{fileId}/content`,
  fileBatches: `${VECTOR_STORE}/file_batches`,
  fileBatch: FILE_BATCH,
  cancelFileBatch: `${FILE_BATCH}/cancel`,
  fileBatchFiles: `${FILE_BATCH}/files`,
  file: "/files/{id}",
  /** Pages of key holders, and all below. */
  ownPages: "/me",
  document: "/openapi.json",
  reference: "/reference",
} as const;

/** Returns a path in the form of the router, `/files/:id`. */
export function routeOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}
