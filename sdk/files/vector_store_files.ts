import {
  askWithId,
  idPart,
  isList,
  type ModellessOptions,
  type Question,
  searchOf,
} from "../ask.ts";
import { checkRequest, type WithRequestId } from "../call.ts";
import { checkOptions, type OptionKinds } from "../option_kinds.ts";
import type {
  ListPage,
  VectorStoreFile,
  VectorStoreFileContent,
  VectorStoreFileContentQuery,
  VectorStoreFileDeleted,
  VectorStoreFileListQuery,
  VectorStoreFileRequest,
  VectorStoreFileUpdate,
} from "../protocol/mod.ts";
import type { Transport } from "../transport.ts";
import { storageCall, STORE_FILE_KINDS } from "./storage_call.ts";

/** The vector store of a file. */
export interface OfVectorStore {
  /** Id of the store. */
  readonly vector_store_id: string;
}

const CONTENT_KINDS: OptionKinds<VectorStoreFileContentQuery> = { page: "text" };

/**
 * `client.vectorStores.files`: the files of a vector store.
 *
 * @example
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const client = new ServiceClient({
 *   apiKey: "svc_live_key",
 *   // Stands in for the service.
 *   fetch: () => Promise.resolve(Response.json({ id: "file_1", status: "completed" })),
 * });
 * const { status } = await client.vectorStores.files.create("vs_1", { file_id: "file_1" });
 * assertEquals(status, "completed");
 * ```
 */
export class VectorStoreFiles {
  readonly #transport: Transport;

  /** Used by the client. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Adds a file, which is read before the answer comes: `status` is `failed` for one that cannot be,
   * with the reason in `last_error`. One that is there already is read again.
   *
   * @throws {ServiceAPIError} `not_found`: the wallet has no such store or file; `policy_denied`: the
   * operator made the store; `rate_limit_exceeded`: the key adds too many files a minute.
   */
  async create(
    storeId: string,
    request: VectorStoreFileRequest,
    options: ModellessOptions = {},
  ): Promise<WithRequestId<VectorStoreFile>> {
    checkRequest(request);
    const call = storageCall({ method: "POST", path: pathOf(storeId), body: request }, options);
    return await askWithId(this.#transport, { ...call, ...A_FILE });
  }

  /** Returns a page of the files, newest first. */
  async list(
    storeId: string,
    query: VectorStoreFileListQuery = {},
    options: ModellessOptions = {},
  ): Promise<WithRequestId<ListPage<VectorStoreFile>>> {
    checkOptions(query, STORE_FILE_KINDS, { of: "a query" });
    const path = `${pathOf(storeId)}${searchOf({ ...query })}`;
    return await askWithId(this.#transport, {
      ...storageCall({ method: "GET", path }, options),
      is: ({ data }: ListPage<VectorStoreFile>) => isList(data),
      of: "a list of files",
    });
  }

  /**
   * Returns a file as the store has it.
   *
   * @throws {ServiceAPIError} `not_found`: the store has no such file.
   */
  async retrieve(
    fileId: string,
    store: OfVectorStore,
    options: ModellessOptions = {},
  ): Promise<WithRequestId<VectorStoreFile>> {
    const call = storageCall({ method: "GET", path: fileOf(fileId, store) }, options);
    return await askWithId(this.#transport, { ...call, ...A_FILE });
  }

  /**
   * Changes the attributes of a file, by which later searches filter.
   *
   * @throws {ServiceAPIError} `not_found`: the store has no such file; `policy_denied`: the operator
   * made the store.
   */
  async update(
    fileId: string,
    request: OfVectorStore & VectorStoreFileUpdate,
    options: ModellessOptions = {},
  ): Promise<WithRequestId<VectorStoreFile>> {
    checkRequest(request);
    const { vector_store_id, ...body } = request;
    const path = fileOf(fileId, { vector_store_id });
    const call = storageCall({ method: "POST", path, body }, options);
    return await askWithId(this.#transport, { ...call, ...A_FILE });
  }

  /**
   * Returns the text of a file, as searches read it. While `has_more` is true, `page: next_page` asks
   * for the next part.
   *
   * @throws {ServiceAPIError} `not_found`: the store has no such file; `invalid_request`: the file was
   * added again since the part that had this `page`.
   */
  async content(
    fileId: string,
    query: OfVectorStore & VectorStoreFileContentQuery,
    options: ModellessOptions = {},
  ): Promise<WithRequestId<VectorStoreFileContent>> {
    const { vector_store_id, ...page }: typeof query = Object(query);
    checkOptions(page, CONTENT_KINDS, { of: "a query" });
    const path = `${fileOf(fileId, { vector_store_id })}/content${searchOf({ ...page })}`;
    return await askWithId(this.#transport, {
      ...storageCall({ method: "GET", path }, options),
      is: ({ data }: VectorStoreFileContent) => isList(data),
      of: "the text of a file",
    });
  }

  /**
   * Takes a file out of the store; the file itself stays.
   *
   * @throws {ServiceAPIError} `not_found`: the store has no such file.
   */
  async delete(
    fileId: string,
    store: OfVectorStore,
    options: ModellessOptions = {},
  ): Promise<WithRequestId<VectorStoreFileDeleted>> {
    return await askWithId(this.#transport, {
      ...storageCall({ method: "DELETE", path: fileOf(fileId, store) }, options),
      is: ({ deleted }: VectorStoreFileDeleted) => deleted === true,
      of: "the removal of a file",
    });
  }
}

const A_FILE: Pick<Question<VectorStoreFile>, "is" | "of"> = {
  is: ({ id, status }) => typeof id === "string" && typeof status === "string",
  of: "a file of a vector store",
};

function pathOf(storeId: string): string {
  return `/vector_stores/${idPart(storeId, "a vector store")}/files`;
}

function fileOf(fileId: string, store: OfVectorStore): string {
  const { vector_store_id }: OfVectorStore = Object(store);
  return `${pathOf(vector_store_id)}/${idPart(fileId, "a file")}`;
}
