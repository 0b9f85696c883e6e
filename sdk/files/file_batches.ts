import {
  askWithId,
  idPart,
  isList,
  isObject,
  type ModellessOptions,
  type Question,
  searchOf,
} from "../ask.ts";
import { checkRequest, type WithRequestId } from "../call.ts";
import { checkOptions } from "../option_kinds.ts";
import type {
  ListPage,
  VectorStoreFile,
  VectorStoreFileBatch,
  VectorStoreFileBatchRequest,
  VectorStoreFileListQuery,
} from "../protocol/mod.ts";
import type { Transport } from "../transport.ts";
import { storageCall, STORE_FILE_KINDS } from "./storage_call.ts";
import type { OfVectorStore } from "./vector_store_files.ts";

/**
 * `client.vectorStores.fileBatches`: files that were added to a vector store together.
 *
 * @example
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const batch = { id: "vsfb_1", file_counts: { completed: 2, failed: 0, total: 2 } };
 * const client = new ServiceClient({
 *   apiKey: "svc_live_key",
 *   // Stands in for the service.
 *   fetch: () => Promise.resolve(Response.json(batch)),
 * });
 * const { file_counts } = await client.vectorStores.fileBatches.create("vs_1", {
 *   file_ids: ["file_1", "file_2"],
 * });
 * assertEquals(file_counts.completed, 2);
 * ```
 */
export class VectorStoreFileBatches {
  readonly #transport: Transport;

  /** Used by the client. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Adds up to 100 files, which are read before the answer comes: `file_counts.failed` is the
   * number of those that cannot be, and `listFiles` has their reasons. Many large files take longer
   * than a call may by default: give it a `timeoutMs`. A call that ends early leaves the files that
   * were read in the store.
   *
   * @throws {ServiceAPIError} `not_found`: the wallet has no such store, or not all of the files, and
   * none is added; `policy_denied`: the operator made the store, or it has no places for so many;
   * `rate_limit_exceeded`: the key adds too many files a minute.
   */
  async create(
    storeId: string,
    request: VectorStoreFileBatchRequest,
    options: ModellessOptions = {},
  ): Promise<WithRequestId<VectorStoreFileBatch>> {
    checkRequest(request);
    const call = storageCall({ method: "POST", path: pathOf(storeId), body: request }, options);
    return await askWithId(this.#transport, { ...call, ...A_BATCH });
  }

  /**
   * Returns a batch, with those of its files that are still in the store.
   *
   * @throws {ServiceAPIError} `not_found`: the store has no such batch, or none of its files is left.
   */
  async retrieve(
    batchId: string,
    store: OfVectorStore,
    options: ModellessOptions = {},
  ): Promise<WithRequestId<VectorStoreFileBatch>> {
    const call = storageCall({ method: "GET", path: batchOf(batchId, store) }, options);
    return await askWithId(this.#transport, { ...call, ...A_BATCH });
  }

  /**
   * Returns a batch as `retrieve` does, for programs that are written for OpenAI's service: one that
   * has an id is complete, and nothing is left to cancel. Its files stay.
   *
   * @throws {ServiceAPIError} `not_found`: the store has no such batch, or none of its files is left.
   */
  async cancel(
    batchId: string,
    store: OfVectorStore,
    options: ModellessOptions = {},
  ): Promise<WithRequestId<VectorStoreFileBatch>> {
    const path = `${batchOf(batchId, store)}/cancel`;
    const call = storageCall({ method: "POST", path }, options);
    return await askWithId(this.#transport, { ...call, ...A_BATCH });
  }

  /**
   * Returns a page of the files of a batch, newest first.
   *
   * @throws {ServiceAPIError} `not_found`: the store has no such batch, or none of its files is left.
   */
  async listFiles(
    batchId: string,
    query: OfVectorStore & VectorStoreFileListQuery,
    options: ModellessOptions = {},
  ): Promise<WithRequestId<ListPage<VectorStoreFile>>> {
    const { vector_store_id, ...page }: typeof query = Object(query);
    checkOptions(page, STORE_FILE_KINDS, { of: "a query" });
    const path = `${batchOf(batchId, { vector_store_id })}/files${searchOf({ ...page })}`;
    return await askWithId(this.#transport, {
      ...storageCall({ method: "GET", path }, options),
      is: ({ data }: ListPage<VectorStoreFile>) => isList(data),
      of: "a list of files",
    });
  }
}

const A_BATCH: Pick<Question<VectorStoreFileBatch>, "is" | "of"> = {
  is: ({ id, file_counts }) => typeof id === "string" && isObject(file_counts),
  of: "a batch of files",
};

function pathOf(storeId: string): string {
  return `/vector_stores/${idPart(storeId, "a vector store")}/file_batches`;
}

function batchOf(batchId: string, store: OfVectorStore): string {
  const { vector_store_id }: OfVectorStore = Object(store);
  return `${pathOf(vector_store_id)}/${idPart(batchId, "a batch of files")}`;
}
