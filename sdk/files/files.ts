import {
  askWithId,
  idPart,
  isList,
  type ModellessOptions,
  type Question,
  searchOf,
} from "../ask.ts";
import { checkRequest, type WithRequestId } from "../call.ts";
import { ConfigurationError } from "../errors.ts";
import { checkOptions, type OptionKinds } from "../option_kinds.ts";
import type {
  FileDeleted,
  FileExpiry,
  FileListQuery,
  FileObject,
  FilePurpose,
  ListPage,
} from "../protocol/mod.ts";
import type { Transport } from "../transport.ts";
import { type FileUpload, UploadForm } from "../upload_form.ts";
import { FileContent } from "./file_content.ts";
import { LIST_KINDS, storageCall } from "./storage_call.ts";

/** A file to upload. */
export interface FileCreateRequest {
  /**
   * The file: a `File` (of a path in Node: `new File([await openAsBlob(path)], name)`), or its name
   * with a function that opens it. Neither is copied into memory.
   */
  readonly file: File | FileUpload;
  /** Both purposes are read by `file_search`. @default {"assistants"} */
  readonly purpose?: FilePurpose | undefined;
  /** Expiry. @default {none} */
  readonly expires_after?: Readonly<FileExpiry> | undefined;
}

const CREATE_KINDS: OptionKinds<FileCreateRequest> = {
  ...{ file: "object", purpose: "text", expires_after: "object" },
};
const QUERY_KINDS: OptionKinds<FileListQuery> = { ...LIST_KINDS, purpose: "text" };

/**
 * `client.files`: files of the key's wallet, for vector stores.
 *
 * @example
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const client = new ServiceClient({
 *   apiKey: "svc_live_key",
 *   // Stands in for the service.
 *   fetch: async (_, init) => {
 *     const form = await new Response(init?.body, init).formData();
 *     const { name, size } = form.get("file") as File;
 *     return Response.json({ id: "file_1", filename: name, bytes: size });
 *   },
 * });
 * const file = new File(["# Refunds"], "handbook.md");
 * const { id, bytes } = await client.files.create({ file, purpose: "assistants" });
 * assertEquals([id, bytes], ["file_1", 9]);
 * ```
 */
export class Files {
  readonly #transport: Transport;

  /** Used by the client. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Uploads a file. With retries, each attempt sends it from its first byte.
   *
   * @throws {ServiceAPIError} `policy_denied`: the wallet has no room for it; `body_too_large`: it has
   * more than 32 MiB.
   * @throws {ConfigurationError} It is no file, or cannot be opened.
   * @throws {ServiceConnectionError} Also when the file cannot be read to its end.
   */
  async create(
    request: FileCreateRequest,
    options: ModellessOptions = {},
  ): Promise<WithRequestId<FileObject>> {
    checkRequest(request);
    checkOptions(request, CREATE_KINDS, { of: "an upload" });
    const { file, purpose = "assistants", expires_after } = request;
    checkFile(file);
    const form = new UploadForm(file, {
      purpose,
      ...(expires_after === undefined ? {} : {
        "expires_after[anchor]": String(expires_after.anchor),
        "expires_after[seconds]": String(expires_after.seconds),
      }),
    });
    const call = storageCall({ method: "POST", path: "/files", form }, options);
    return await askWithId(this.#transport, { ...call, ...A_FILE });
  }

  /** Returns a page of the files, newest first. */
  async list(
    query: FileListQuery = {},
    options: ModellessOptions = {},
  ): Promise<WithRequestId<ListPage<FileObject>>> {
    checkOptions(query, QUERY_KINDS, { of: "a query" });
    return await askWithId(this.#transport, {
      ...storageCall({ method: "GET", path: `/files${searchOf({ ...query })}` }, options),
      is: ({ data }: ListPage<FileObject>) => isList(data),
      of: "a list of files",
    });
  }

  /**
   * Returns a file without its content.
   *
   * @throws {ServiceAPIError} `not_found`: the wallet has no such file, or it has expired.
   */
  async retrieve(id: string, options: ModellessOptions = {}): Promise<WithRequestId<FileObject>> {
    const call = storageCall({ method: "GET", path: pathOf(id) }, options);
    return await askWithId(this.#transport, { ...call, ...A_FILE });
  }

  /**
   * Returns the bytes of a file, as they come.
   *
   * @throws {ServiceAPIError} `not_found`: the wallet has no such file, or it has expired.
   */
  async content(id: string, options: ModellessOptions = {}): Promise<FileContent> {
    const path = `${pathOf(id)}/content`;
    const call = storageCall({ method: "GET", path }, options);
    return new FileContent(await this.#transport.content(call));
  }

  /**
   * Deletes a file; it leaves all vector stores with its text.
   *
   * @throws {ServiceAPIError} `not_found`: the wallet has no such file, or it has expired.
   */
  async delete(id: string, options: ModellessOptions = {}): Promise<WithRequestId<FileDeleted>> {
    return await askWithId(this.#transport, {
      ...storageCall({ method: "DELETE", path: pathOf(id) }, options),
      is: ({ deleted }: FileDeleted) => deleted === true,
      of: "the deletion of a file",
    });
  }
}

const A_FILE: Pick<Question<FileObject>, "is" | "of"> = {
  is: ({ id, filename }) => typeof id === "string" && typeof filename === "string",
  of: "a file",
};

function pathOf(id: string): string {
  return `/files/${idPart(id, "a file")}`;
}

function checkFile(file: File | FileUpload): void {
  const { name, open }: Partial<FileUpload> = Object(file);
  if (typeof name !== "string" || name === "") {
    throw new ConfigurationError("Cannot send the file: it has no name");
  }
  if (file instanceof Blob || typeof open === "function") return;
  throw new ConfigurationError("Cannot send the file: it is neither a File nor has it open");
}
