import type { z } from "zod";
import type { ErrorCode } from "@svc/sdk/protocol";
import { PUBLIC_PATHS } from "../http/public_paths.ts";
import {
  batchSchema,
  changedStoreFileSchema,
  changedStoreSchema,
  deletedOf,
  fileListQuerySchema,
  fileSchema,
  fileTextQuerySchema,
  fileTextSchema,
  listOf,
  newBatchSchema,
  newStoreFileSchema,
  newStoreSchema,
  pageQuerySchema,
  storeFileSchema,
  storeFilesQuerySchema,
  storeHitsSchema,
  storeSchema,
  storeSearchSchema,
  uploadFormSchema,
} from "../http/schemas/files.ts";
import { JSON_TYPE, type Operation } from "./operation.ts";

type Described = Pick<Operation, "path" | "id" | "summary"> & Partial<Operation> & {
  readonly answer: z.ZodType;
};

const fileList = listOf(fileSchema, "FileList");
const storeList = listOf(storeSchema, "CallerVectorStoreList");
const storeFileList = listOf(storeFileSchema, "CallerVectorStoreFileList");
const fileDeleted = deletedOf("file", "FileDeleted");
const storeDeleted = deletedOf("vector_store.deleted", "CallerVectorStoreDeleted");
const storeFileDeleted = deletedOf("vector_store.file.deleted", "CallerVectorStoreFileDeleted");

function operation(
  tag: string,
  { answer, description, codes = [], ...rest }: Described,
): Operation {
  return {
    method: "get",
    tag,
    access: "key",
    limited: true,
    replies: {
      200: {
        description: "The answer",
        content: { [JSON_TYPE]: { schema: answer } },
        headers: ["Cache-Control"],
      },
    },
    ...rest,
    description: ["An extension, with OpenAI's shapes.", description].filter(Boolean).join(" "),
    codes,
  };
}

function body(schema: z.ZodType, example: unknown): Pick<Operation, "method" | "body"> {
  return { method: "post", body: { [JSON_TYPE]: { schema, example } } };
}

const NOT_FOUND: readonly ErrorCode[] = ["not_found"];
const FILE_ID = "file_01j00000000000000000000000";

const FILES: readonly Operation[] = ([
  {
    method: "post",
    path: PUBLIC_PATHS.callerFiles,
    id: "createFile",
    summary: "Upload a file",
    description: "At most 32 MiB, in the room that the key's policy gives its wallet.",
    body: { "multipart/form-data": { schema: uploadFormSchema } },
    answer: fileSchema,
  },
  {
    path: PUBLIC_PATHS.callerFiles,
    id: "listFiles",
    summary: "List the wallet's files",
    query: fileListQuerySchema,
    answer: fileList,
  },
  {
    path: PUBLIC_PATHS.callerFile,
    id: "retrieveFile",
    summary: "Show a file",
    answer: fileSchema,
    codes: NOT_FOUND,
  },
  {
    method: "delete",
    path: PUBLIC_PATHS.callerFile,
    id: "deleteFile",
    summary: "Delete a file, and its text in all vector stores",
    answer: fileDeleted,
    codes: NOT_FOUND,
  },
  {
    path: PUBLIC_PATHS.callerFileContent,
    id: "getFileContent",
    summary: "Send the bytes of a file",
    answer: fileSchema,
    replies: {
      200: {
        description: "The bytes as they were uploaded",
        content: { "application/octet-stream": {} },
        headers: ["Cache-Control", "Content-Disposition"],
      },
    },
    codes: NOT_FOUND,
  },
] satisfies readonly Described[]).map((each) => operation("Files", each));

const STORES: readonly Operation[] = ([
  {
    ...body(newStoreSchema, { name: "Handbook" }),
    path: PUBLIC_PATHS.vectorStores,
    id: "createVectorStore",
    summary: "Create a vector store",
    description: "With `file_ids` the answer comes when all of them are searchable.",
    answer: storeSchema,
    codes: NOT_FOUND,
  },
  {
    path: PUBLIC_PATHS.vectorStores,
    id: "listVectorStores",
    summary: "List the wallet's vector stores",
    query: pageQuerySchema,
    answer: storeList,
  },
  {
    path: PUBLIC_PATHS.vectorStore,
    id: "retrieveVectorStore",
    summary: "Show a vector store",
    answer: storeSchema,
    codes: NOT_FOUND,
  },
  {
    ...body(changedStoreSchema, { name: "Handbook" }),
    path: PUBLIC_PATHS.vectorStore,
    id: "modifyVectorStore",
    summary: "Change a vector store that a caller made",
    answer: storeSchema,
    codes: NOT_FOUND,
  },
  {
    method: "delete",
    path: PUBLIC_PATHS.vectorStore,
    id: "deleteVectorStore",
    summary: "Delete a vector store that a caller made",
    answer: storeDeleted,
    codes: NOT_FOUND,
  },
  {
    ...body(storeSearchSchema, { query: "How do I get a refund?" }),
    path: PUBLIC_PATHS.vectorStoreSearch,
    id: "searchVectorStore",
    summary: "Search a vector store",
    answer: storeHitsSchema,
    codes: NOT_FOUND,
  },
] satisfies readonly Described[]).map((each) => operation("Vector stores", each));

const STORE_FILES: readonly Operation[] = ([
  {
    ...body(newStoreFileSchema, { file_id: FILE_ID }),
    path: PUBLIC_PATHS.vectorStoreFiles,
    id: "createVectorStoreFile",
    summary: "Add a file to a vector store",
    description: "The answer comes when the file is searchable, or `failed` with its reason.",
    answer: storeFileSchema,
    codes: NOT_FOUND,
  },
  {
    path: PUBLIC_PATHS.vectorStoreFiles,
    id: "listVectorStoreFiles",
    summary: "List the files of a vector store",
    query: storeFilesQuerySchema,
    answer: storeFileList,
    codes: NOT_FOUND,
  },
  {
    path: PUBLIC_PATHS.vectorStoreFile,
    id: "retrieveVectorStoreFile",
    summary: "Show a file of a vector store",
    answer: storeFileSchema,
    codes: NOT_FOUND,
  },
  {
    ...body(changedStoreFileSchema, { attributes: { year: 2026 } }),
    path: PUBLIC_PATHS.vectorStoreFile,
    id: "updateVectorStoreFile",
    summary: "Change the attributes of a file of a vector store",
    description: "Searches filter by the new ones from then on.",
    answer: storeFileSchema,
    codes: NOT_FOUND,
  },
  {
    method: "delete",
    path: PUBLIC_PATHS.vectorStoreFile,
    id: "deleteVectorStoreFile",
    summary: "Remove a file from a vector store; the file itself stays",
    answer: storeFileDeleted,
    codes: NOT_FOUND,
  },
  {
    path: PUBLIC_PATHS.vectorStoreFileContent,
    id: "retrieveVectorStoreFileContent",
    summary: "Show the text of a file of a vector store",
    description: "At most 1 Mi characters, in one item; `page` continues a longer text.",
    query: fileTextQuerySchema,
    answer: fileTextSchema,
    codes: NOT_FOUND,
  },
  {
    ...body(newBatchSchema, { file_ids: [FILE_ID] }),
    path: PUBLIC_PATHS.fileBatches,
    id: "createFileBatch",
    summary: "Add files to a vector store",
    description: "The answer comes when all of them are searchable, or `failed`.",
    answer: batchSchema,
    codes: NOT_FOUND,
  },
  {
    path: PUBLIC_PATHS.fileBatch,
    id: "retrieveFileBatch",
    summary: "Show a batch of files",
    answer: batchSchema,
    codes: NOT_FOUND,
  },
  {
    method: "post",
    path: PUBLIC_PATHS.cancelFileBatch,
    id: "cancelFileBatch",
    summary: "Show a batch of files, which is complete already",
    answer: batchSchema,
    codes: NOT_FOUND,
  },
  {
    path: PUBLIC_PATHS.fileBatchFiles,
    id: "listFileBatchFiles",
    summary: "List the files of a batch",
    query: storeFilesQuerySchema,
    answer: storeFileList,
    codes: NOT_FOUND,
  },
] satisfies readonly Described[]).map((each) => operation("Vector stores", each));

/** The operations of files and vector stores of callers. */
export const FILE_OPERATIONS: readonly Operation[] = [...FILES, ...STORES, ...STORE_FILES];
