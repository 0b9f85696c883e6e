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
  ListQuery,
  VectorStore,
  VectorStoreDeleted,
  VectorStoreRequest,
  VectorStoreSearch,
  VectorStoreSearchPage,
  VectorStoreUpdate,
} from "../protocol/mod.ts";
import type { Transport } from "../transport.ts";
import { VectorStoreFileBatches } from "./file_batches.ts";
import { LIST_KINDS, storageCall } from "./storage_call.ts";
import { VectorStoreFiles } from "./vector_store_files.ts";

/**
 * `client.vectorStores`: vector stores of the key's wallet, which `file_search` searches.
 *
 * @example
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const client = new ServiceClient({
 *   apiKey: "svc_live_key",
 *   // Stands in for the service.
 *   fetch: () => Promise.resolve(Response.json({ id: "vs_1", file_counts: { total: 0 } })),
 * });
 * const { id } = await client.vectorStores.create({ name: "Handbook" });
 * assertEquals(id, "vs_1");
 * ```
 */
export class VectorStores {
  readonly #transport: Transport;
  /** The files of vector stores. */
  readonly files: VectorStoreFiles;
  /** Files that were added to vector stores together. */
  readonly fileBatches: VectorStoreFileBatches;

  /** Used by the client. */
  constructor(transport: Transport) {
    this.#transport = transport;
    this.files = new VectorStoreFiles(transport);
    this.fileBatches = new VectorStoreFileBatches(transport);
  }

  /**
   * Makes a vector store, with the files of `file_ids`.
   *
   * @throws {ServiceAPIError} `policy_denied`: the wallet has no room for it, or its policy does not
   * allow `file_search`.
   */
  async create(
    request: VectorStoreRequest = {},
    options: ModellessOptions = {},
  ): Promise<WithRequestId<VectorStore>> {
    checkRequest(request);
    const call = storageCall({ method: "POST", path: STORES, body: request }, options);
    return await askWithId(this.#transport, { ...call, ...A_STORE });
  }

  /** Returns a page of the vector stores, newest first, those that the operator made included. */
  async list(
    query: ListQuery = {},
    options: ModellessOptions = {},
  ): Promise<WithRequestId<ListPage<VectorStore>>> {
    checkOptions(query, LIST_KINDS, { of: "a query" });
    return await askWithId(this.#transport, {
      ...storageCall({ method: "GET", path: `${STORES}${searchOf({ ...query })}` }, options),
      is: ({ data }: ListPage<VectorStore>) => isList(data),
      of: "a list of vector stores",
    });
  }

  /**
   * Returns a vector store.
   *
   * @throws {ServiceAPIError} `not_found`: the wallet has no such store, or it has expired.
   */
  async retrieve(id: string, options: ModellessOptions = {}): Promise<WithRequestId<VectorStore>> {
    const call = storageCall({ method: "GET", path: pathOf(id) }, options);
    return await askWithId(this.#transport, { ...call, ...A_STORE });
  }

  /**
   * Changes a vector store.
   *
   * @throws {ServiceAPIError} `policy_denied`: the operator made it.
   */
  async update(
    id: string,
    request: VectorStoreUpdate,
    options: ModellessOptions = {},
  ): Promise<WithRequestId<VectorStore>> {
    checkRequest(request);
    const call = storageCall({ method: "POST", path: pathOf(id), body: request }, options);
    return await askWithId(this.#transport, { ...call, ...A_STORE });
  }

  /**
   * Deletes a vector store; its files stay.
   *
   * @throws {ServiceAPIError} `policy_denied`: the operator made it.
   */
  async delete(
    id: string,
    options: ModellessOptions = {},
  ): Promise<WithRequestId<VectorStoreDeleted>> {
    return await askWithId(this.#transport, {
      ...storageCall({ method: "DELETE", path: pathOf(id) }, options),
      is: ({ deleted }: VectorStoreDeleted) => deleted === true,
      of: "the deletion of a vector store",
    });
  }

  /** Returns the passages that match a query, best first. No model is called. */
  async search(
    id: string,
    request: VectorStoreSearch,
    options: ModellessOptions = {},
  ): Promise<WithRequestId<VectorStoreSearchPage>> {
    checkRequest(request);
    const path = `${pathOf(id)}/search`;
    return await askWithId(this.#transport, {
      ...storageCall({ method: "POST", path, body: request }, options),
      is: ({ data }: VectorStoreSearchPage) =>
        isList(data) && data.every(({ content }) => isList(content)),
      of: "the results of a search",
    });
  }
}

const STORES = "/vector_stores";
const A_STORE: Pick<Question<VectorStore>, "is" | "of"> = {
  is: ({ id, file_counts }) => typeof id === "string" && isObject(file_counts),
  of: "a vector store",
};

function pathOf(id: string): string {
  return `${STORES}/${idPart(id, "a vector store")}`;
}
