/**
 * Schemas of files and vector stores of callers: OpenAI's requests and objects.
 *
 * @module
 */

import { z } from "zod";
import { MAX_RESULTS } from "../../vector_stores/limits.ts";
import { attributeFilterSchema, attributeKeySchema, attributeValueSchema } from "./hosted_tools.ts";

/** Purposes of files that are served here. */
export const FILE_PURPOSES = ["assistants", "user_data"] as const;
/** Maximum number of files of one batch. */
export const BATCH_MAX_FILES = 100;

const SECONDS = "expected a whole number from 3600 to 2592000";
const PURPOSE =
  `expected "assistants" or "user_data": files for other purposes are not served here`;

/** Fields of an upload besides the file, as text. */
export const uploadFieldsSchema = z.object({
  purpose: z.enum(FILE_PURPOSES, PURPOSE),
  "expires_after[anchor]": z.literal("created_at").optional(),
  "expires_after[seconds]": z.string().regex(/^\d{4,7}$/, SECONDS).transform(Number)
    .pipe(z.int().min(3_600, SECONDS).max(2_592_000, SECONDS)).optional(),
});

/** An upload as it is described: OpenAI's clients write `expires_after` as two fields. */
export const uploadFormSchema = z.object({
  file: z.string().meta({ format: "binary" }),
  purpose: z.enum(FILE_PURPOSES),
  "expires_after[anchor]": z.literal("created_at").optional(),
  "expires_after[seconds]": z.int().min(3_600).max(2_592_000).optional(),
});

const page = {
  limit: z.string().regex(/^([1-9]\d?|100)$/, "expected 1 to 100").default("20")
    .describe("Maximum number of items of a page"),
  order: z.enum(["asc", "desc"], 'expected "asc" or "desc"').default("desc")
    .describe("By age: `asc` begins with the oldest"),
  after: z.string().optional().describe("Id of the item before the first one"),
  before: z.string().optional().describe("Id of the item after the last one"),
};

/** Query of a list. */
export const pageQuerySchema = z.object(page);
/** Query of `GET /openai/v1/files`. */
export const fileListQuerySchema = z.object({
  ...page,
  limit: z.string().regex(/^([1-9]\d{0,3}|10000)$/, "expected 1 to 10000").default("10000")
    .describe("Maximum number of items of a page"),
  purpose: z.string().optional(),
});
/** Query of the files of a vector store. */
export const storeFilesQuerySchema = z.object({
  ...page,
  filter: z.enum(["in_progress", "completed", "failed", "cancelled"]).optional()
    .describe("Status of the files"),
});

/** Query of the text of a file of a vector store. */
export const fileTextQuerySchema = z.object({
  page: z.string().regex(/^\w{1,100}\.\d{1,6}$/, "expected the next_page of an answer").optional()
    .describe("`next_page` of the answer before; without it the text begins"),
});

const metadata = z.record(z.string().max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, "expected at most 16 pairs");
const expiresAfter = z.strictObject({
  anchor: z.literal("last_active_at"),
  days: z.int().min(1).max(365),
});
const attributes = z.record(attributeKeySchema, attributeValueSchema)
  .refine((pairs) => Object.keys(pairs).length <= 16, "expected at most 16 attributes");
const SIZES = "passages have 800 tokens here, of which 400 or fewer are repeated";
/** The only sizes that the index has. */
const chunking = z.union([
  z.strictObject({ type: z.literal("auto") }),
  z.strictObject({
    type: z.literal("static"),
    static: z.strictObject({
      max_chunk_size_tokens: z.literal(800, SIZES),
      chunk_overlap_tokens: z.int().min(0).max(400, SIZES),
    }),
  }),
]);
const fileId = z.string().min(1).max(128);
const fileIds = z.array(fileId).max(BATCH_MAX_FILES);
const name = z.string().max(256);

/** Body of `POST /openai/v1/vector_stores`. */
export const newStoreSchema = z.strictObject({
  name: name.nullish(),
  description: z.string().max(512).nullish().describe("Accepted and not stored"),
  file_ids: fileIds.optional(),
  metadata: metadata.nullish(),
  expires_after: expiresAfter.nullish(),
  chunking_strategy: chunking.optional(),
});

/** Body of `POST /openai/v1/vector_stores/{id}`. */
export const changedStoreSchema = z.strictObject({
  name: name.nullish(),
  metadata: metadata.nullish(),
  expires_after: expiresAfter.nullish(),
});

/** Body of `POST /openai/v1/vector_stores/{id}/files`. */
export const newStoreFileSchema = z.strictObject({
  file_id: fileId,
  attributes: attributes.nullish(),
  chunking_strategy: chunking.optional(),
});

/** Body of `POST /openai/v1/vector_stores/{id}/files/{fileId}`. */
export const changedStoreFileSchema = z.strictObject({
  attributes: attributes.nullable().describe("In place of all present ones; `null`: none"),
});

/** Body of `POST /openai/v1/vector_stores/{id}/file_batches`. */
export const newBatchSchema = z.strictObject({
  file_ids: fileIds.optional(),
  files: z.array(newStoreFileSchema).max(BATCH_MAX_FILES).optional(),
  attributes: attributes.nullish(),
  chunking_strategy: chunking.optional(),
}).refine(({ file_ids = [], files = [] }) => (file_ids.length === 0) !== (files.length === 0), {
  error: "Send file_ids or files, with at least one file",
});

/** Body of `POST /openai/v1/vector_stores/{id}/search`. */
export const storeSearchSchema = z.strictObject({
  query: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(10)]),
  filters: attributeFilterSchema.nullish(),
  max_num_results: z.int().min(1).max(MAX_RESULTS).nullish().describe("10 if left out"),
  ranking_options: z.looseObject({
    ranker: z.string().optional(),
    score_threshold: z.number().min(0).max(1).nullish(),
  }).nullish(),
  rewrite_query: z.boolean().nullish().describe("Accepted; a query is searched as it is"),
});

const seconds = z.int().min(0);
const counts = z.strictObject({
  in_progress: seconds,
  completed: seconds,
  failed: seconds,
  cancelled: seconds,
  total: seconds,
});

/** A file. */
export const fileSchema = z.strictObject({
  id: z.string(),
  object: z.literal("file"),
  bytes: seconds,
  created_at: seconds,
  expires_at: seconds.optional(),
  filename: z.string(),
  purpose: z.string(),
  status: z.literal("processed"),
}).meta({ id: "File" });

/** A vector store. */
export const storeSchema = z.strictObject({
  id: z.string(),
  object: z.literal("vector_store"),
  created_at: seconds,
  name: z.string(),
  usage_bytes: seconds,
  file_counts: counts,
  status: z.literal("completed"),
  expires_after: expiresAfter.nullable(),
  expires_at: seconds.nullable(),
  last_active_at: seconds,
  metadata: z.record(z.string(), z.string()),
}).meta({ id: "CallerVectorStore" });

/** A file of a vector store. */
export const storeFileSchema = z.strictObject({
  id: z.string(),
  object: z.literal("vector_store.file"),
  usage_bytes: seconds,
  created_at: seconds,
  vector_store_id: z.string(),
  status: z.enum(["completed", "failed"]),
  last_error: z.strictObject({
    code: z.enum(["unsupported_file", "invalid_file", "server_error"]),
    message: z.string(),
  }).nullable(),
  chunking_strategy: z.strictObject({
    type: z.literal("static"),
    static: z.strictObject({ max_chunk_size_tokens: seconds, chunk_overlap_tokens: seconds }),
  }),
  attributes: z.record(z.string(), attributeValueSchema),
}).meta({ id: "CallerVectorStoreFile" });

/** Files that were added together. */
export const batchSchema = z.strictObject({
  id: z.string(),
  object: z.literal("vector_store.files_batch"),
  created_at: seconds,
  vector_store_id: z.string(),
  status: z.literal("completed"),
  file_counts: counts,
}).meta({ id: "VectorStoreFileBatch" });

/** Passages that match a query, best first. */
export const storeHitsSchema = z.strictObject({
  object: z.literal("vector_store.search_results.page"),
  search_query: z.array(z.string()),
  data: z.array(z.strictObject({
    file_id: z.string(),
    filename: z.string(),
    score: z.number(),
    attributes: z.record(z.string(), attributeValueSchema),
    content: z.array(z.strictObject({ type: z.literal("text"), text: z.string() })),
  })),
  has_more: z.literal(false),
  next_page: z.null(),
}).meta({ id: "VectorStoreSearch" });

/** A part of the text of a file of a vector store. */
export const fileTextSchema = z.strictObject({
  object: z.literal("vector_store.file_content.page"),
  data: z.array(z.strictObject({ type: z.literal("text"), text: z.string() })),
  has_more: z.boolean(),
  next_page: z.string().nullable(),
}).meta({ id: "VectorStoreFileContent" });

/** Returns the schema of a page of items. */
export function listOf(item: z.ZodType, id: string): z.ZodType {
  return z.strictObject({
    object: z.literal("list"),
    data: z.array(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  }).meta({ id });
}

/** Returns the schema of the answer to a deletion. */
export function deletedOf(object: string, id: string): z.ZodType {
  return z.strictObject({ id: z.string(), object: z.literal(object), deleted: z.literal(true) })
    .meta({ id });
}
