import { ServiceFault } from "../../domain/fault.ts";
import { fileQuotaOf } from "../../domain/policy/file_quota.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CallerFile, CallerFileStore, FileRange } from "../../ports/file_store.ts";
import type { Rng } from "../../ports/rng.ts";
import type { VectorStores } from "../../ports/vector_stores.ts";
import { idTimeMs } from "../../system/rng.ts";
import { countOfAll } from "../../system/count_of_all.ts";
import { FileDraft } from "./file_draft.ts";

/** Maximum size of a file, in bytes: 32 MiB, the most that a vector store reads. */
export const UPLOAD_MAX_BYTES = 32 * 1024 * 1024;
/** Uploads of one wallet at once: what they have written counts against no room yet. */
const UPLOADS_AT_ONCE = 8;
/** Age of uploads that are discarded: no body takes as long. */
const UPLOAD_MAX_MS = 60 * 60 * 1_000;

/** Files that are read at once for a page: most may have expired, or have another purpose. */
const READ_AT_ONCE = 1_000;
const READ_AT_LEAST = 100;

/** The page of a list of files. */
export interface FilePage extends FileRange {
  /** Only files with this purpose. @default {all} */
  readonly purpose?: string | undefined;
}

/** Parts of the service that files use. */
export interface CallerFilesDeps {
  readonly callerFiles: CallerFileStore;
  readonly vectorStores: Pick<
    VectorStores,
    "listOf" | "removeText" | "sweep"
  >;
  readonly clock: Clock;
  readonly rng: Rng;
}

/** The caller of a request: a key acts for its wallet. */
export type Caller = Pick<KeyRecord, "id" | "walletId" | "policy">;

/** Files of callers. A key sees those of its wallet; a file of another is as one that is not there. */
export class CallerFiles {
  readonly #deps: CallerFilesDeps;
  readonly #uploads = new Map<string, number>();

  constructor(deps: CallerFilesDeps) {
    this.#deps = deps;
  }

  /**
   * Begins an upload, which the caller finishes or discards. Throws a {@linkcode ServiceFault} if
   * the wallet has no room.
   */
  async begin(key: Caller): Promise<FileDraft> {
    const { walletId } = key;
    const files = await this.list(key);
    const quota = fileQuotaOf(key.policy);
    if (files.length >= quota.files) throw tooManyFiles(quota.files);
    const before = this.#uploads.get(walletId) ?? 0;
    if (before >= UPLOADS_AT_ONCE) {
      throw new ServiceFault("rate_limit_exceeded", {
        message: `The wallet has ${before} uploads in progress; wait for one to end`,
        retryAfterMs: 1_000,
      });
    }
    this.#uploads.set(walletId, before + 1);
    const { callerFiles, clock, rng } = this.#deps;
    const ended = () => {
      const uploads = (this.#uploads.get(walletId) ?? 1) - 1;
      if (uploads === 0) this.#uploads.delete(walletId);
      else this.#uploads.set(walletId, uploads);
    };
    const used = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const upload = { id: rng.id("file"), ownerId: walletId, createdAtMs: clock.nowMs() };
    return new FileDraft(callerFiles, { upload, quota, used, maxBytes: UPLOAD_MAX_BYTES, ended });
  }

  /** Returns the files of the wallet, oldest first. */
  async list({ walletId }: Pick<Caller, "walletId">): Promise<readonly CallerFile[]> {
    const files = await this.#deps.callerFiles.list(walletId);
    return files.filter((file) => !this.#hasExpired(file));
  }

  /**
   * Returns a page of the wallet's files, and reads little more than it. An id of a file that was
   * deleted meanwhile has its place all the same. Throws a {@linkcode ServiceFault} for other ids.
   */
  async page(
    { walletId }: Pick<Caller, "walletId">,
    { limit, purpose, ...range }: FilePage,
  ): Promise<{
    readonly files: readonly CallerFile[];
    readonly hasMore: boolean;
  }> {
    const { callerFiles } = this.#deps;
    for (const param of ["after", "before"] as const) {
      await this.#requirePlace(walletId, { param, id: range[param] });
    }
    const fewest = purpose === undefined ? limit + 1 : READ_AT_ONCE;
    const atOnce = Math.min(Math.max(fewest, READ_AT_LEAST), READ_AT_ONCE);
    const files: CallerFile[] = [];
    for (let { after } = range;;) {
      const some = await callerFiles.page(walletId, { ...range, after, limit: atOnce });
      files.push(...some.filter((file) => (
        !this.#hasExpired(file) && (purpose === undefined || file.purpose === purpose)
      )));
      if (files.length > limit) return { files: files.slice(0, limit), hasMore: true };
      after = some.at(-1)?.id;
      if (some.length < atOnce) return { files, hasMore: false };
    }
  }

  async #requirePlace(
    walletId: string,
    { id, param }: { readonly id: string | undefined; readonly param: string },
  ): Promise<void> {
    if (id === undefined || id.startsWith("file_") && idTimeMs(id) !== undefined) return;
    if (await this.#deps.callerFiles.get(walletId, id) !== undefined) return;
    const message = `There is no item with the id in ${param}`;
    throw new ServiceFault("invalid_request", { message, param });
  }

  /** Returns a file of the wallet; `undefined` if it has none of this id. */
  async get({ walletId }: Pick<Caller, "walletId">, id: string): Promise<CallerFile | undefined> {
    const file = await this.#deps.callerFiles.get(walletId, id);
    return file === undefined || this.#hasExpired(file) ? undefined : file;
  }

  /** Yields the bytes of a file. */
  content(file: CallerFile): AsyncIterable<Uint8Array<ArrayBuffer>> {
    return this.#deps.callerFiles.content(file);
  }

  /** Deletes a file, and its text in all vector stores; returns false if there is none. */
  async delete({ walletId }: Pick<Caller, "walletId">, id: string): Promise<boolean> {
    const { callerFiles } = this.#deps;
    const file = await callerFiles.get(walletId, id);
    if (file === undefined) return false;
    // The text first: a file that is still there can be deleted again.
    await this.#removeTexts(walletId, id);
    const isRemoved = await callerFiles.remove(walletId, id);
    // Added meanwhile; one who adds it from here on finds that it is gone.
    await this.#removeTexts(walletId, id);
    return isRemoved;
  }

  async #removeTexts(walletId: string, sourceId: string): Promise<void> {
    const { vectorStores } = this.#deps;
    for (const store of await vectorStores.listOf(walletId)) {
      await vectorStores.removeText(store.id, { sourceId });
    }
  }

  /**
   * Removes expired files and vector stores, and what uploads have left; may run at any time. All of
   * it is tried before an error is thrown.
   */
  async sweep(): Promise<{ readonly files: number; readonly stores: number }> {
    const { callerFiles, clock, vectorStores } = this.#deps;
    const swept = await Promise.allSettled([
      countOfAll(
        callerFiles.all(),
        async (file) =>
          this.#hasExpired(file) && await this.delete({ walletId: file.ownerId }, file.id),
      ),
      callerFiles.sweepUploads(clock.nowMs() - UPLOAD_MAX_MS),
      vectorStores.sweep(),
    ]);
    const [files = 0, _uploads, stores = 0] = swept.map((each) => {
      if (each.status === "rejected") throw each.reason;
      return each.value;
    });
    return { files, stores };
  }

  #hasExpired({ expiresAtMs = Infinity }: CallerFile): boolean {
    return expiresAtMs <= this.#deps.clock.nowMs();
  }
}

function tooManyFiles(files: number): ServiceFault {
  return new ServiceFault("policy_denied", {
    message: `The wallet has as many files as the key's policy allows, ${files}; delete some`,
  });
}
