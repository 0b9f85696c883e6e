import { z } from "zod";
import {
  attributeFilterSchema,
  attributeKeySchema,
  attributeValueSchema,
} from "../../http/schemas/hosted_tools.ts";
import { DEFAULT_RESULTS, MAX_QUERY_CHARS, MAX_RESULTS } from "../../vector_stores/limits.ts";
import { MEDIA_TYPES } from "../../vector_stores/media_types.ts";
import * as answers from "../answers/vector_stores.ts";
import { strict } from "../fields.ts";
import { label } from "../label.ts";
import type { AdminOperations } from "../operation.ts";
import type { QueryFields } from "../query_fields.ts";

/** Attributes of a file. */
export const attributes = z.record(attributeKeySchema, attributeValueSchema)
  .refine((all) => Object.keys(all).length <= 16, "Give at most 16 attributes");

/** Vector stores and their files. */
export const VECTOR_STORE_OPERATIONS = {
  "GET /vector-stores": {
    id: "listVectorStores",
    right: "read",
    summary: "List the vector stores",
    query: ({ text, page }: QueryFields) => ({ wallet: text, ...page }),
    answer: answers.vectorStoreListAnswer,
  },
  "POST /vector-stores": {
    id: "createVectorStore",
    right: "vector_stores",
    trail: "commit",
    summary: "Make a vector store",
    body: strict({ name: label(100), wallet: z.string() }),
    example: { name: "Handbook", wallet: "team" },
    status: 201,
    answer: answers.vectorStoreAnswer,
    codes: ["conflict"],
  },
  "GET /vector-stores/{id}": {
    id: "getVectorStore",
    right: "read",
    summary: "Show a vector store",
    answer: answers.vectorStoreAnswer,
  },
  "DELETE /vector-stores/{id}": {
    id: "deleteVectorStore",
    right: "vector_stores",
    trail: "commit",
    summary: "Delete a vector store with its files",
    answer: answers.deletedAnswer,
  },
  "GET /vector-stores/{id}/files": {
    id: "listFiles",
    right: "read",
    summary: "List the files of a vector store",
    query: ({ page }: QueryFields) => ({ ...page }),
    answer: answers.fileListAnswer,
  },
  "POST /vector-stores/{id}/files": {
    id: "addFile",
    right: "vector_stores",
    trail: "commit",
    summary: "Add a file",
    description: "The body is the file. What it is, its `Content-Type` says, or else its name.",
    query: () => ({
      filename: label(255),
      attributes: z.string().max(16_384).optional()
        .describe("A JSON object of at most 16 texts, numbers and booleans"),
    }),
    uploads: [...new Set(Object.values(MEDIA_TYPES)), "application/octet-stream"],
    status: 201,
    answer: answers.addedFileAnswer,
    codes: ["conflict"],
  },
  "GET /vector-stores/{id}/files/{fileId}": {
    id: "getFileOfStore",
    right: "read",
    summary: "Show a file",
    answer: answers.fileAnswer,
  },
  "DELETE /vector-stores/{id}/files/{fileId}": {
    id: "deleteFile",
    right: "vector_stores",
    trail: "commit",
    summary: "Delete a file",
    answer: answers.deletedAnswer,
  },
  "POST /vector-stores/{id}/files/{fileId}/embeddings": {
    id: "embedFile",
    right: "vector_stores",
    trail: "commit",
    summary: "Embed a file that has no embeddings, or those of another model",
    answer: answers.fileAnswer,
    codes: ["conflict", "upstream_error"],
  },
  "POST /vector-stores/{id}/search": {
    id: "searchVectorStore",
    right: "vector_stores",
    trail: "read",
    summary: "Search as the tool file_search does",
    body: strict({
      query: z.string().trim().min(1).max(MAX_QUERY_CHARS),
      maxResults: z.int().min(1).max(MAX_RESULTS).default(DEFAULT_RESULTS),
      scoreThreshold: z.number().min(0).max(1).default(0),
      filter: attributeFilterSchema.optional(),
    }),
    example: { query: "How many days of leave are there?", maxResults: 5 },
    answer: answers.searchAnswer,
    codes: ["conflict"],
  },
} as const satisfies AdminOperations;
