import type { Clock } from "../ports/clock.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Logger } from "../ports/logger.ts";
import type { PassageStore } from "../ports/passage_store.ts";
import type { Rng } from "../ports/rng.ts";
import { StoreError } from "../ports/store_error.ts";
import type {
  AddedFile,
  EmbedOutcome,
  FileAttributes,
  FileChange,
  FileText,
  NewFile,
  NewStore,
  SearchHit,
  StoreDescription,
  StoreRemoval,
  UnreadFile,
  VectorStore,
  VectorStoreFile,
  VectorStoreOutcome,
  VectorStoreQuery,
  VectorStoreRefusal,
  VectorStores,
} from "../ports/vector_stores.ts";
import { passes } from "./attribute_filter.ts";
import { readText } from "./file_text.ts";
import { Extractor, type ExtractorLimits } from "./extractor.ts";
import { DEFAULT_RESULTS, MAX_QUERY_CHARS, MAX_RESULTS, MAX_STORES_SEARCHED } from "./limits.ts";
import { LoadedIndexes, type StoreHit } from "./loaded_indexes.ts";
import { type EmbeddedPassages, PassageEmbedder } from "./passage_embedder.ts";
import { countOfAll } from "../system/count_of_all.ts";
import { idTimeMs } from "../system/rng.ts";
import {
  ALL_FULL,
  formRefusal,
  NO_EMBEDDER,
  ownerFull,
  ownerRefusal,
  refused,
  roomRefusal,
  unknownFile,
  warned,
} from "./refusals.ts";
import { unlessAborted } from "./unless_aborted.ts";

/** Dependencies of the vector stores. */
export interface VectorStoresDeps {
  readonly passages: PassageStore;
  readonly clock: Clock;
  readonly rng: Rng;
  /** Returns the embedder in force; `undefined` without one. @default {none} */
  readonly embedder?: (() => Embedder | undefined) | undefined;
  /** Receives embedding failures. */
  readonly logger?: Logger | undefined;
  /** Longest wait for the vector of a query, in milliseconds. @default {5000} */
  readonly queryTimeoutMs?: number | undefined;
  readonly extractor?: ExtractorLimits | undefined;
  /** Maximum number of passages in loaded indexes. @default {40000} */
  readonly maxLoadedPassages?: number | undefined;
  /** Idle time after which an index is dropped, in milliseconds. @default {600000} */
  readonly indexIdleMs?: number | undefined;
}

/**
 * Creates vector stores whose files are stored by a {@linkcode PassageStore} and found by full
 * text, and by embeddings if there is an embedder.
 */
export function createVectorStores(deps: VectorStoresDeps): VectorStores {
  return new IndexedVectorStores(deps);
}

type Cancellable = { readonly signal?: AbortSignal | undefined };

class IndexedVectorStores implements VectorStores {
  readonly #passages: PassageStore;
  readonly #deps: VectorStoresDeps;
  readonly #extractor: Extractor;
  readonly #embedder: PassageEmbedder;
  readonly #indexes: LoadedIndexes;

  constructor(deps: VectorStoresDeps) {
    this.#deps = deps;
    this.#passages = deps.passages;
    this.#extractor = new Extractor(deps.extractor);
    this.#embedder = new PassageEmbedder({ ...deps, embedder: deps.embedder ?? (() => undefined) });
    this.#indexes = new LoadedIndexes(deps.passages, {
      maxPassages: deps.maxLoadedPassages,
      idleMs: deps.indexIdleMs,
    });
  }

  async create(
    name: string,
    { ownerId, ownerMax, entry, ...options }: NewStore,
  ): Promise<VectorStoreOutcome<VectorStore>> {
    const { clock, rng } = this.#deps;
    const counts = { files: 0, passages: 0, textBytes: 0, revision: 0 };
    const createdAtMs = clock.nowMs();
    const store = { id: rng.id("vs"), ownerId, name, createdAtMs, ...counts, ...options };
    if (await this.#passages.createStore(store, { ownerMax, entry })) {
      return { ok: true, value: store };
    }
    return refused({ code: "full", message: "There are as many vector stores as there may be" });
  }

  list(ownerId?: string): readonly VectorStore[] {
    const stores = this.#passages.stores().filter((store) => !this.#hasExpired(store));
    return ownerId === undefined ? stores : stores.filter((store) => store.ownerId === ownerId);
  }

  get(id: string): VectorStore | undefined {
    const store = this.#passages.store(id);
    return store === undefined || this.#hasExpired(store) ? undefined : store;
  }

  async find(id: string): Promise<VectorStore | undefined> {
    // An id of another form was never made by any instance.
    if (idTimeMs(id) !== undefined) await this.#passages.find(id);
    return this.get(id);
  }

  async listOf(ownerId: string): Promise<readonly VectorStore[]> {
    return (await this.#passages.storesOf(ownerId)).filter((store) => !this.#hasExpired(store));
  }

  describe(id: string, description: StoreDescription): Promise<VectorStore | undefined> {
    return this.#passages.describeStore(id, description);
  }

  async sweep(): Promise<number> {
    const expired = this.#passages.stores().filter((store) => this.#hasExpired(store));
    return await countOfAll(expired, ({ id }) => this.remove(id));
  }

  async remove(id: string, options: StoreRemoval = {}): Promise<boolean> {
    const removed = await this.#passages.removeStore(id, options);
    if (removed) await this.#indexes.forget(id);
    return removed;
  }

  async addFile(
    storeId: string,
    file: NewFile,
    { entry }: FileChange = {},
  ): Promise<VectorStoreOutcome<AddedFile>> {
    const { ownerId = "" } = await this.find(storeId) ?? {};
    const refusal = this.#refuseFile(storeId, file);
    if (refusal !== undefined) return refused(refusal);
    const { bytes, filename, mediaType } = file;
    const sizeBytes = bytes.length;
    const extracted = await this.#extractor.extract({ mediaType, bytes, ownerId });
    if (!extracted.ok) {
      const message = `Cannot read "${filename}": ${extracted.problem}`;
      return refused({ code: "unreadable", message });
    }
    const { passages } = extracted;
    // Checked again, twice: text and embeddings take a while, and other calls add files too.
    const late = this.#refuseRoom(storeId, passages.length);
    if (late !== undefined) return refused(late);
    const embedded = await this.#embedder.passages(passages);
    const later = this.#refuseRoom(storeId, passages.length);
    if (later !== undefined) return refused(later);
    const added: VectorStoreFile = {
      ...this.#fileOf(storeId, { ...file, sizeBytes }),
      passages: passages.length,
      textBytes: utf8Bytes(passages),
      ...(embedded?.ok === true ? { embeddings: this.#named(embedded) } : {}),
    };
    const vectors = embedded?.ok === true ? embedded.values : undefined;
    const { ownerMaxTextBytes } = file;
    switch (await this.#passages.addFile(added, passages, { vectors, ownerMaxTextBytes, entry })) {
      case "added": {
        const store = this.get(storeId);
        if (store !== undefined) await this.#touch([store]);
        return { ok: true, value: embedded?.ok === false ? warned(added, embedded) : added };
      }
      case "store_not_found":
        return refused({ code: "store_not_found", id: storeId });
      case "full":
        return refused({ code: "full", message: ALL_FULL });
      case "owner_full":
        return refused({ code: "full", message: ownerFull(ownerMaxTextBytes) });
    }
  }

  async addUnread(
    storeId: string,
    { failure, ...file }: UnreadFile,
  ): Promise<VectorStoreOutcome<VectorStoreFile>> {
    await this.find(storeId);
    const refusal = this.#refuseRoom(storeId, 0);
    if (refusal !== undefined) return refused(refusal);
    const added = { ...this.#fileOf(storeId, file), passages: 0, textBytes: 0, failure };
    const outcome = await this.#passages.addFile(added, []);
    if (outcome === "added") return { ok: true, value: added };
    if (outcome === "full") return refused({ code: "full", message: ALL_FULL });
    return refused({ code: "store_not_found", id: storeId });
  }

  async files(storeId: string): Promise<readonly VectorStoreFile[] | undefined> {
    if (await this.find(storeId) === undefined) return undefined;
    return (await this.#passages.files(storeId)).filter((file) => this.#isShown(file));
  }

  text(file: VectorStoreFile, from: number): Promise<FileText | undefined> {
    return readText(this.#passages, file, { from });
  }

  setAttributes(
    storeId: string,
    id: string,
    attributes: FileAttributes,
  ): Promise<VectorStoreFile | undefined> {
    return this.#passages.setAttributes({ storeId, id }, attributes);
  }

  removeFile(
    storeId: string,
    fileId: string,
    options: FileChange = {},
  ): Promise<boolean> {
    return this.#passages.removeFile(storeId, fileId, options);
  }

  async removeText(
    storeId: string,
    { except, sourceId: source }: { readonly sourceId: string; readonly except?: string },
  ): Promise<boolean> {
    let isRemoved = false;
    for (const { id, sourceId = id } of await this.#passages.files(storeId)) {
      if (sourceId !== source || id === except) continue;
      isRemoved = await this.removeFile(storeId, id) || isRemoved;
    }
    return isRemoved;
  }

  embeddingSpace(): string | undefined {
    return this.#embedder.space;
  }

  async embedFile(
    storeId: string,
    fileId: string,
    { signal, entry }: Cancellable & FileChange = {},
  ): Promise<EmbedOutcome> {
    const file = (await this.files(storeId))?.find(({ id }) => id === fileId);
    if (file === undefined) return unknownFile(storeId, fileId);
    if (file.embeddings !== undefined && file.embeddings.space === this.embeddingSpace()) {
      return { ok: true, value: file };
    }
    const texts = (await Array.fromAsync(this.#passages.passages(file))).flat();
    // Removed meanwhile.
    if (texts.length !== file.passages) return unknownFile(storeId, fileId);
    const embedded = await this.#embedder.passages(texts, signal);
    if (embedded === undefined) return { ok: false, code: "off", message: NO_EMBEDDER };
    if (!embedded.ok) return { ok: false, code: "failed", message: embedded.problem };
    const embeddings = this.#named(embedded);
    const { values } = embedded;
    switch (await this.#passages.setEmbeddings(file, embeddings, values, { entry })) {
      case "kept":
        return { ok: true, value: { ...file, embeddings } };
      case "file_not_found":
        return unknownFile(storeId, fileId);
      case "full":
        return { ok: false, code: "full", message: ALL_FULL };
    }
  }

  search(
    ownerId: string,
    query: VectorStoreQuery,
    { signal }: Cancellable = {},
  ): Promise<VectorStoreOutcome<readonly SearchHit[]>> {
    return unlessAborted(signal, () => this.#search(ownerId, query, signal));
  }

  close(): Promise<void> {
    this.#embedder.close();
    return this.#indexes.close();
  }

  async #search(
    ownerId: string,
    query: VectorStoreQuery,
    signal: AbortSignal | undefined,
  ): Promise<VectorStoreOutcome<readonly SearchHit[]>> {
    const ids = new Set(query.storeIds);
    if (ids.size > MAX_STORES_SEARCHED) {
      const message =
        `A search takes at most ${MAX_STORES_SEARCHED} vector stores, not ${ids.size}`;
      return refused({ code: "too_large", message });
    }
    const stores: VectorStore[] = [];
    for (const id of ids) {
      const store = await this.find(id);
      if (store?.ownerId !== ownerId) return refused({ code: "store_not_found", id });
      stores.push(store);
    }
    await this.#touch(stores);
    const { filter, scoreThreshold = 0 } = query;
    const limit = Math.min(MAX_RESULTS, Math.max(1, query.maxResults ?? DEFAULT_RESULTS));
    const text = query.text.slice(0, MAX_QUERY_CHARS);
    const space = this.embeddingSpace();
    const isEmbedded = stores.some(({ embeddings }) => embeddings?.[space ?? ""] !== undefined);
    const request = {
      text,
      limit,
      vector: isEmbedded ? await this.#embedder.query(text, signal) : undefined,
      select: (file: VectorStoreFile) =>
        this.#isShown(file) && (filter === undefined || passes(filter, file.attributes)),
    };
    const candidates: StoreHit[] = [];
    // One after another, so that at most one has to be loaded at a time.
    for (const store of stores) {
      signal?.throwIfAborted();
      candidates.push(...await this.#indexes.search(store, request));
    }
    const best = candidates.filter(({ score }) => score >= scoreThreshold)
      .sort((one, other) => other.score - one.score).slice(0, limit);
    const hits = await Promise.all(best.map((hit) => this.#hit(hit)));
    return { ok: true, value: hits.filter((hit) => hit !== undefined) };
  }

  /** Notes the use of stores, which puts off their expiry. A failure must not end a search. */
  async #touch(stores: readonly VectorStore[]): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    for (const store of stores) {
      if (store.isCallers !== true || nowMs - lastUseOf(store) < TOUCH_MS) continue;
      await this.#passages.describeStore(store.id, { lastActiveAtMs: nowMs }).catch((error) => {
        if (!(error instanceof StoreError)) throw error;
      });
    }
  }

  #hasExpired(store: VectorStore): boolean {
    const { expiresAfterDays } = store;
    if (expiresAfterDays === undefined) return false;
    return lastUseOf(store) + expiresAfterDays * DAY_MS <= this.#deps.clock.nowMs();
  }

  #isShown({ expiresAtMs = Infinity }: VectorStoreFile): boolean {
    return expiresAtMs > this.#deps.clock.nowMs();
  }

  #fileOf(
    storeId: string,
    { attributes = {}, batchId, expiresAtMs, filename, mediaType, sizeBytes, sourceId }:
      & Omit<NewFile, "bytes">
      & { readonly sizeBytes: number },
  ): Omit<VectorStoreFile, "passages" | "textBytes"> {
    const { clock, rng } = this.#deps;
    return {
      ...{ id: rng.id("file"), storeId, filename, mediaType, sizeBytes, attributes },
      createdAtMs: clock.nowMs(),
      ...(sourceId === undefined ? {} : { sourceId }),
      ...(batchId === undefined ? {} : { batchId }),
      ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    };
  }

  #named({ dimensions, space }: EmbeddedPassages & { ok: true }) {
    return { id: this.#deps.rng.id("emb"), space, dimensions };
  }

  #refuseFile(storeId: string, file: NewFile): VectorStoreRefusal | undefined {
    const store = this.get(storeId);
    return formRefusal(file) ?? ownerRefusal(this.#passages.stores(), store, file) ??
      this.#refuseRoom(storeId, 1);
  }

  #refuseRoom(storeId: string, passages: number): VectorStoreRefusal | undefined {
    const store = this.get(storeId);
    if (store === undefined) return { code: "store_not_found", id: storeId };
    return roomRefusal(store, passages);
  }

  /** Returns the hit with its text; `undefined` when its file was removed meanwhile. */
  async #hit({ file, index, score }: StoreHit): Promise<SearchHit | undefined> {
    const text = await this.#passages.passage(file, index);
    // Its index was asked a moment ago.
    if (text === undefined || !this.#isShown(file)) return undefined;
    const { attributes, filename, id, sourceId = id, storeId } = file;
    return { storeId, fileId: sourceId, filename, score, text, attributes };
  }
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Time between two notes of a store's use, in milliseconds. */
const TOUCH_MS = 60 * 60 * 1_000;

function lastUseOf({ createdAtMs, lastActiveAtMs = createdAtMs }: VectorStore): number {
  return lastActiveAtMs;
}

function utf8Bytes(texts: readonly string[]): number {
  const encoder = new TextEncoder();
  return texts.reduce((sum, text) => sum + encoder.encode(text).length, 0);
}
