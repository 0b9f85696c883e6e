import { ServiceFault } from "../../domain/fault.ts";
import { fileQuotaOf } from "../../domain/policy/file_quota.ts";
import type { CallerFile } from "../../ports/file_store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Rng } from "../../ports/rng.ts";
import { StoreError } from "../../ports/store_error.ts";
import type {
  FileAttributes,
  FileText,
  NewFile,
  SearchHit,
  StoreDescription,
  VectorStore,
  VectorStoreFile,
  VectorStoreQuery,
  VectorStoreRefusal,
  VectorStores,
} from "../../ports/vector_stores.ts";
import { Turns } from "../../system/turns.ts";
import { MinuteQuota } from "../admit/minute_quota.ts";
import type { Caller, CallerFiles } from "./caller_files.ts";
import {
  anotherText,
  failureOf,
  faultOf,
  isFault,
  noFile,
  noStore,
  tooMany,
  valueOf,
} from "./store_faults.ts";

/** Files that may wait to be read: those of one wallet, and of all. */
const WAITING_OF_ONE = 8;
const WAITING_OF_ALL = 64;
/**
 * Files that a key may add to stores, and searches that it may make, in a minute: each may call an
 * embedding model of the operator. A batch of the maximum size fits.
 */
export const EMBEDDED_PER_MINUTE = 200;

/** Parts of the service that vector stores of callers use. */
export interface CallerStoresDeps {
  readonly files: CallerFiles;
  readonly vectorStores: VectorStores;
  readonly rng: Rng;
  readonly clock: Pick<Clock, "nowMs">;
  /** Maximum number of files in a store. */
  readonly storeFilesMax: number;
}

/** A file to be added to a vector store. */
export interface Attachment {
  readonly fileId: string;
  readonly attributes?: FileAttributes | undefined;
  /** Path of the id in the request. */
  readonly param: string;
}

/** A part of a text: the id of the text, and the passage that the part begins with. */
export interface TextPage {
  readonly textId: string;
  readonly from: number;
}

/** A new vector store. */
export type NewCallerStore = Omit<StoreDescription, "lastActiveAtMs" | "name"> & {
  readonly name: string;
};

/**
 * Vector stores of callers, on the index and the search that operators' stores have. A key sees the
 * stores of its wallet, and changes those that a caller made.
 */
export class CallerStores {
  readonly #deps: CallerStoresDeps;
  readonly #quota: MinuteQuota;
  /** Of one file at a time alone the whole content is in memory. */
  readonly #turns = new Turns({ ofOne: WAITING_OF_ONE, ofAll: WAITING_OF_ALL, refusal: tooMany });

  constructor(deps: CallerStoresDeps) {
    this.#deps = deps;
    this.#quota = new MinuteQuota({
      ...{ clock: deps.clock, limit: EMBEDDED_PER_MINUTE },
      message: `A key may add ${EMBEDDED_PER_MINUTE} files to vector stores, and search them, a ` +
        "minute",
    });
  }

  /** Creates a store. Throws a {@linkcode ServiceFault} if the wallet has no room. */
  async create(
    { policy, walletId: ownerId }: Caller,
    { name, ...description }: NewCallerStore,
  ): Promise<VectorStore> {
    const { stores: ownerMax } = fileQuotaOf(policy);
    const { vectorStores } = this.#deps;
    const made = await vectorStores.create(name, {
      ...{ ownerId, ownerMax, isCallers: true },
      ...description,
    });
    if (made.ok) return made.value;
    const own = vectorStores.list(ownerId).filter(({ isCallers }) => isCallers === true);
    if (own.length < ownerMax) throw faultOf(made.refusal);
    throw new ServiceFault("policy_denied", {
      message: `The wallet has as many vector stores as the key's policy allows, ${ownerMax}; ` +
        "delete some",
    });
  }

  /** Returns the stores of the wallet, oldest first. */
  list({ walletId }: Caller): Promise<readonly VectorStore[]> {
    return this.#deps.vectorStores.listOf(walletId);
  }

  /** Returns a store of the wallet. Throws a {@linkcode ServiceFault} if it has none of this id. */
  async get({ walletId }: Caller, id: string): Promise<VectorStore> {
    const store = await this.#deps.vectorStores.find(id);
    if (store?.ownerId !== walletId) throw noStore();
    return store;
  }

  /** Changes the description of a store. */
  async describe(key: Caller, id: string, description: StoreDescription): Promise<VectorStore> {
    await this.#own(key, id);
    const described = await this.#deps.vectorStores.describe(id, description);
    if (described === undefined) throw noStore();
    return described;
  }

  /** Deletes a store with the text of its files; the files themselves stay. */
  async delete(key: Caller, id: string): Promise<void> {
    await this.#own(key, id);
    if (!await this.#deps.vectorStores.remove(id)) throw noStore();
  }

  /** Returns the files of a store, oldest first. */
  async files(key: Caller, id: string): Promise<readonly VectorStoreFile[]> {
    await this.get(key, id);
    const files = await this.#deps.vectorStores.files(id);
    if (files === undefined) throw noStore();
    // A file that was added again is there twice for a moment, or until its new text finds room: the
    // later one counts.
    const latest = new Map(files.map((file) => [file.sourceId ?? file.id, file]));
    return files.filter((file) => latest.get(file.sourceId ?? file.id) === file);
  }

  /**
   * Adds files to a store, one after another, in turn with those of other wallets; resolves once all
   * are searchable, or noted with the reason why they are not. A file that the store has is read again. A file of a batch that finds no
   * room is noted too; a single one is refused. Ends early when the signal is aborted.
   */
  async add(
    key: Caller,
    storeId: string,
    { attachments, batchId, signal }: {
      readonly attachments: readonly Attachment[];
      readonly batchId?: string | undefined;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<readonly VectorStoreFile[]> {
    await this.#own(key, storeId);
    // Before any is read: a batch with an unknown file changes nothing.
    for (const { fileId, param } of attachments) {
      if (await this.#deps.files.get(key, fileId) === undefined) throw noFile(param);
    }
    await this.#requirePlaces(storeId, attachments);
    this.#quota.take(key, attachments.length);
    const added: VectorStoreFile[] = [];
    for (const attachment of attachments) {
      signal?.throwIfAborted();
      const adding = { attachment, batchId };
      try {
        const work = () => this.#add(key, storeId, adding);
        added.push(await this.#turns.run(key.walletId, work, { signal }));
      } catch (error) {
        const isBegun = batchId !== undefined && added.length > 0;
        if (!isBegun || !isFault(error, "rate_limit_exceeded")) throw error;
        // Its caller has to learn of the files before.
        added.push(await this.#noteUnread(key, storeId, { ...adding, message: error.message }));
      }
    }
    return added;
  }

  /** Refuses more files than the store has places for, so that a batch does not meet its end midway. */
  async #requirePlaces(storeId: string, attachments: readonly Attachment[]): Promise<void> {
    const { storeFilesMax, vectorStores } = this.#deps;
    const files = await vectorStores.files(storeId) ?? [];
    const known = new Set(files.map(({ sourceId }) => sourceId));
    const added = new Set(attachments.map(({ fileId }) => fileId));
    const more = added.difference(known).size;
    // One that is added again has its place until its new text has one too.
    const both = more < attachments.length ? 1 : 0;
    if (attachments.length === 0 || files.length + more + both <= storeFilesMax) return;
    throw new ServiceFault("policy_denied", {
      message: `A vector store has at most ${storeFilesMax} files; this one has room for ` +
        `${Math.max(0, storeFilesMax - files.length)} more`,
    });
  }

  /** Returns a file of a store. Throws a {@linkcode ServiceFault} if it has none of this id. */
  async file(key: Caller, storeId: string, fileId: string): Promise<VectorStoreFile> {
    const files = await this.files(key, storeId);
    const file = files.find(({ id, sourceId = id }) => sourceId === fileId);
    if (file !== undefined) return file;
    throw new ServiceFault("not_found", {
      message: "There is no such file in the vector store",
      param: "file_id",
    });
  }

  /**
   * Returns a part of a file's text, the first one without `page`. Throws a {@linkcode ServiceFault} for
   * a page of a text that is not there any more: a file that is added again has another.
   */
  async text(
    key: Caller,
    storeId: string,
    { fileId, page }: { readonly fileId: string; readonly page?: TextPage | undefined },
  ): Promise<FileText & Pick<TextPage, "textId">> {
    return await this.#onLatest(key, { storeId, fileId }, async (file) => {
      if (page !== undefined && page.textId !== file.id) throw anotherText();
      const text = await this.#deps.vectorStores.text(file, page?.from ?? 0);
      return text && { ...text, textId: file.id };
    });
  }

  /** Replaces the attributes of a file, by which searches filter from then on. */
  async setAttributes(
    key: Caller,
    storeId: string,
    { attributes, fileId }: { readonly fileId: string; readonly attributes: FileAttributes },
  ): Promise<VectorStoreFile> {
    await this.#own(key, storeId);
    const { vectorStores } = this.#deps;
    return await this.#onLatest(key, { storeId, fileId }, ({ id }) => (
      vectorStores.setAttributes(storeId, id, attributes)
    ));
  }

  /**
   * Works on the latest text of a file until that is not removed meanwhile: a file that was added again
   * is there under another id. Throws a {@linkcode StoreError} for a text of which rows are missing.
   */
  async #onLatest<T>(
    key: Caller,
    { fileId, storeId }: { readonly fileId: string; readonly storeId: string },
    work: (file: VectorStoreFile) => Promise<T | undefined>,
  ): Promise<T> {
    for (let goneId = "";;) {
      const file = await this.file(key, storeId, fileId);
      const result = await work(file);
      if (result !== undefined) return result;
      if (file.id === goneId) throw new StoreError(`Rows of file "${file.id}" are missing`);
      goneId = file.id;
    }
  }

  /** Removes a file's text from a store; the file itself stays. */
  async removeFile(key: Caller, storeId: string, fileId: string): Promise<void> {
    await this.#own(key, storeId);
    if (!await this.#deps.vectorStores.removeText(storeId, { sourceId: fileId })) {
      throw noFile("file_id");
    }
  }

  /** Returns an id for files that are added together. */
  newBatchId(): string {
    return this.#deps.rng.id("vsfb");
  }

  /** Searches a store. */
  async search(
    key: Caller,
    query: Omit<VectorStoreQuery, "storeIds"> & { readonly storeId: string },
    signal?: AbortSignal,
  ): Promise<readonly SearchHit[]> {
    const { storeId, ...rest } = query;
    await this.get(key, storeId);
    this.#quota.take(key);
    const request = { ...rest, storeIds: [storeId] };
    return valueOf(await this.#deps.vectorStores.search(key.walletId, request, { signal }));
  }

  async #own(key: Caller, id: string): Promise<VectorStore> {
    const store = await this.get(key, id);
    if (store.isCallers === true) return store;
    throw new ServiceFault("policy_denied", {
      message: "The operator made this vector store: it can be searched, but not changed",
    });
  }

  async #add(
    key: Caller,
    storeId: string,
    { attachment: { attributes, fileId, param }, batchId }: {
      readonly attachment: Attachment;
      readonly batchId?: string | undefined;
    },
  ): Promise<VectorStoreFile> {
    const { files, vectorStores } = this.#deps;
    const file = await files.get(key, fileId);
    if (file === undefined) throw noFile(param);
    const { expiresAtMs, filename, mediaType } = file;
    const { textBytes: ownerMaxTextBytes } = fileQuotaOf(key.policy);
    const about = { filename, mediaType, attributes, batchId, sourceId: fileId, expiresAtMs };
    const bytes = await readWhole(file, files);
    const added = await vectorStores.addFile(storeId, { ...about, bytes, ownerMaxTextBytes });
    const text = added.ok
      ? added.value
      : await this.#note(storeId, { ...about, sizeBytes: file.bytes, refusal: added.refusal });
    // The text of an earlier call, and all of it if the file was deleted meanwhile.
    if (await files.get(key, fileId) === undefined) {
      await vectorStores.removeText(storeId, { sourceId: fileId });
      throw noFile(param);
    }
    if (hasFoundNoRoom(text)) await this.#removeFailures(storeId, text);
    else await vectorStores.removeText(storeId, { sourceId: fileId, except: text.id });
    return text;
  }

  /** Removes the earlier failures of a file; a text that could be read stays and is searched. */
  async #removeFailures(storeId: string, { id, sourceId }: VectorStoreFile): Promise<void> {
    const { vectorStores } = this.#deps;
    for (const file of await vectorStores.files(storeId) ?? []) {
      if (file.sourceId !== sourceId || file.failure === undefined || file.id === id) continue;
      await vectorStores.removeFile(storeId, file.id);
    }
  }

  async #note(
    storeId: string,
    { refusal, ...file }: Omit<NewFile, "bytes"> & {
      readonly sizeBytes: number;
      readonly refusal: VectorStoreRefusal;
    },
  ): Promise<VectorStoreFile> {
    const failure = failureOf(refusal, file);
    if (failure === undefined) throw faultOf(refusal);
    return valueOf(await this.#deps.vectorStores.addUnread(storeId, { ...file, failure }));
  }

  /** Notes a file of a batch that has not come to be read. */
  async #noteUnread(
    key: Caller,
    storeId: string,
    { attachment: { attributes, fileId, param }, batchId, message }: {
      readonly attachment: Attachment;
      readonly batchId: string | undefined;
      readonly message: string;
    },
  ): Promise<VectorStoreFile> {
    const file = await this.#deps.files.get(key, fileId);
    if (file === undefined) throw noFile(param);
    const { bytes: sizeBytes, expiresAtMs, filename, mediaType } = file;
    const noted = valueOf(
      await this.#deps.vectorStores.addUnread(storeId, {
        ...{ filename, mediaType, attributes, batchId, sourceId: fileId, expiresAtMs, sizeBytes },
        failure: { code: "server_error", message },
      }),
    );
    await this.#removeFailures(storeId, noted);
    return noted;
  }
}

/** True for a file that is not there because of others: it is in order, and may be added again. */
function hasFoundNoRoom({ failure }: VectorStoreFile): boolean {
  return failure?.code === "server_error";
}

async function readWhole(file: CallerFile, files: CallerFiles): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(file.bytes);
  let at = 0;
  for await (const part of files.content(file)) {
    // Never more than its description says.
    bytes.set(part.subarray(0, bytes.length - at), at);
    at += part.length;
  }
  return bytes;
}
