/**
 * Our types of files and vector stores held against OpenAI's own, and against the schemas that the
 * gateway checks: what does not fit does not compile.
 *
 * @module
 */

import { assertType } from "@std/testing/types";
import type { OfVectorStore } from "@svc/sdk";
import type {
  FileDeleted,
  FileListQuery,
  FileObject,
  VectorStore,
  VectorStoreDeleted,
  VectorStoreFile,
  VectorStoreFileBatch,
  VectorStoreFileBatchRequest,
  VectorStoreFileContent,
  VectorStoreFileDeleted,
  VectorStoreFileListQuery,
  VectorStoreFileRequest,
  VectorStoreFileUpdate,
  VectorStoreRequest,
  VectorStoreSearch,
  VectorStoreSearchPage,
  VectorStoreSearchResult,
  VectorStoreUpdate,
} from "@svc/sdk/protocol";
import type OpenAI from "openai";
import type { z } from "zod";
import type {
  batchSchema,
  changedStoreFileSchema,
  changedStoreSchema,
  fileSchema,
  fileTextSchema,
  newBatchSchema,
  newStoreFileSchema,
  newStoreSchema,
  storeFileSchema,
  storeHitsSchema,
  storeSchema,
  storeSearchSchema,
} from "../../gateway/http/schemas/files.ts";

/** True when a value of one type can be used as the other. */
type Fits<From, To> = [From] extends [To] ? true : false;

/** A type whose lists may be read-only, as a caller may hold it. */
type Held<T> = T extends object ? { readonly [Key in keyof T]: Held<T[Key]> } : T;

/** Without the sizes of passages, of which the gateway takes one. */
type Unsized<T> = Omit<T, "chunking_strategy">;

/** Without the sizes of a batch, and of each of its files. */
interface UnsizedBatch extends Omit<Unsized<VectorStoreFileBatchRequest>, "files"> {
  readonly files?:
    | readonly Unsized<NonNullable<VectorStoreFileBatchRequest["files"]>[number]>[]
    | undefined;
}

/** Without the expiry, which is null where theirs is absent. */
type WithoutExpiry<T> = Omit<T, "expires_after">;

Deno.test("our answers are OpenAI's", () => {
  assertType<Fits<FileObject, OpenAI.FileObject>>(true);
  assertType<Fits<FileDeleted, OpenAI.FileDeleted>>(true);
  assertType<
    Fits<
      Pick<VectorStore, keyof WithoutExpiry<OpenAI.VectorStore>>,
      WithoutExpiry<OpenAI.VectorStore>
    >
  >(true);
  assertType<Fits<VectorStoreDeleted, OpenAI.VectorStoreDeleted>>(true);
  assertType<Fits<VectorStoreFile, OpenAI.VectorStores.VectorStoreFile>>(true);
  assertType<Fits<VectorStoreFileDeleted, OpenAI.VectorStores.VectorStoreFileDeleted>>(true);
  assertType<
    Fits<VectorStoreFileContent["data"][number], OpenAI.VectorStores.FileContentResponse>
  >(true);
  assertType<Fits<VectorStoreFileBatch, OpenAI.VectorStores.VectorStoreFileBatch>>(true);
  assertType<Fits<VectorStoreSearchResult, OpenAI.VectorStoreSearchResponse>>(true);
});

Deno.test("their requests are ours", () => {
  assertType<Fits<OpenAI.VectorStoreCreateParams, VectorStoreRequest>>(true);
  assertType<Fits<OpenAI.VectorStoreUpdateParams, VectorStoreUpdate>>(true);
  assertType<Fits<OpenAI.VectorStores.FileCreateParams, VectorStoreFileRequest>>(true);
  assertType<Fits<OpenAI.VectorStores.FileUpdateParams, VectorStoreFileUpdate & OfVectorStore>>(
    true,
  );
  assertType<Fits<OpenAI.VectorStores.FileListParams, VectorStoreFileListQuery>>(true);
  assertType<Fits<OpenAI.VectorStores.FileBatchCreateParams, VectorStoreFileBatchRequest>>(true);
  assertType<Fits<OpenAI.VectorStores.FileBatchRetrieveParams, OfVectorStore>>(true);
  assertType<Fits<OpenAI.VectorStores.FileBatchCancelParams, OfVectorStore>>(true);
  assertType<
    Fits<
      OpenAI.VectorStores.FileBatchListFilesParams,
      VectorStoreFileListQuery & OfVectorStore
    >
  >(true);
  assertType<Fits<Omit<OpenAI.FileListParams, "purpose">, FileListQuery>>(true);
});

Deno.test("the gateway reads and writes what our types say", () => {
  assertType<Fits<z.output<typeof fileSchema>, Omit<FileObject, "purpose">>>(true);
  assertType<Fits<z.output<typeof storeSchema>, VectorStore>>(true);
  assertType<Fits<z.output<typeof storeFileSchema>, VectorStoreFile>>(true);
  assertType<Fits<z.output<typeof fileTextSchema>, VectorStoreFileContent>>(true);
  assertType<Fits<VectorStoreFileUpdate, Held<z.input<typeof changedStoreFileSchema>>>>(true);
  assertType<Fits<z.output<typeof storeHitsSchema>, VectorStoreSearchPage>>(true);
  assertType<Fits<Unsized<VectorStoreRequest>, Held<z.input<typeof newStoreSchema>>>>(true);
  assertType<Fits<VectorStoreUpdate, Held<z.input<typeof changedStoreSchema>>>>(true);
  assertType<Fits<Unsized<VectorStoreFileRequest>, Held<z.input<typeof newStoreFileSchema>>>>(true);
  assertType<Fits<z.output<typeof batchSchema>, VectorStoreFileBatch>>(true);
  assertType<Fits<UnsizedBatch, Held<z.input<typeof newBatchSchema>>>>(true);
  assertType<Fits<VectorStoreSearch, Held<z.input<typeof storeSearchSchema>>>>(true);
});
