import { Worker } from "node:worker_threads";
import { StoreError } from "../ports/store_error.ts";
import { INDEX_HEAP_MIB, INDEX_IDLE_MS, INDEX_YOUNG_HEAP_MIB } from "./limits.ts";
import type { IndexedPassage, IndexHit, IndexSearchOptions } from "./passage_index.ts";
import type { IndexedVectors } from "./vector_index.ts";

/** A request to the thread. */
export type NumberedRequest = { readonly number: number; readonly storeId: string } & IndexRequest;

/** A response of the thread; hits for a search only. */
export interface IndexAnswer {
  readonly number: number;
  readonly hits: readonly IndexHit[];
}

type IndexRequest =
  | { readonly ask: "add"; readonly passages: readonly IndexedPassage[] }
  | { readonly ask: "addVectors"; readonly vectors: IndexedVectors }
  | { readonly ask: "search"; readonly text: string } & IndexSearchOptions
  | { readonly ask: "drop" };

const CLOSED = "Cannot search: the service is shutting down";

/**
 * The thread that holds the loaded indexes. Starts with the first request and ends after an idle
 * time; its indexes are then gone, as after an out-of-memory error.
 */
export class IndexThread {
  /** Called when all indexes are gone. */
  onGone: () => void = () => {};
  readonly #idleMs: number;
  readonly #heapMib: number;
  #worker: Worker | undefined;
  #ending: Promise<void> = Promise.resolve();
  #numbers = 0;
  #closed = false;
  /** Number of tasks that need the indexes to stay. */
  #holds = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<readonly IndexHit[]>>();
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(limits: { idleMs?: number | undefined; heapMib?: number | undefined } = {}) {
    this.#idleMs = limits.idleMs ?? INDEX_IDLE_MS;
    this.#heapMib = limits.heapMib ?? INDEX_HEAP_MIB;
  }

  /** Adds passages to the index of a store, which begins empty. */
  async add(storeId: string, passages: readonly IndexedPassage[]): Promise<void> {
    await this.#request(storeId, { ask: "add", passages });
  }

  /** Adds vectors of passages to the index of a store. */
  async addVectors(storeId: string, vectors: IndexedVectors): Promise<void> {
    await this.#request(storeId, { ask: "addVectors", vectors });
  }

  /** Returns the best passages of a loaded store. */
  search(
    storeId: string,
    query: { readonly text: string } & IndexSearchOptions,
  ): Promise<readonly IndexHit[]> {
    return this.#request(storeId, { ask: "search", ...query });
  }

  /** Drops the index of a store. */
  async drop(storeId: string): Promise<void> {
    await this.#request(storeId, { ask: "drop" });
  }

  /** Runs a task during which the thread does not end for idleness. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#holds++;
    try {
      return await work();
    } finally {
      this.#holds--;
      this.#restUnlessNeeded();
    }
  }

  /** Ends the thread. Waiting requests fail. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#closed = true;
    await this.#end(new StoreError(CLOSED));
    await this.#ending;
  }

  #request(storeId: string, request: IndexRequest): Promise<readonly IndexHit[]> {
    if (this.#closed) return Promise.reject(new StoreError(CLOSED));
    clearTimeout(this.#idle);
    const worker = this.#worker ??= this.#start();
    const number = ++this.#numbers;
    const waiting = Promise.withResolvers<readonly IndexHit[]>();
    this.#waiting.set(number, waiting);
    worker.postMessage({ number, storeId, ...request } satisfies NumberedRequest);
    return waiting.promise;
  }

  #start(): Worker {
    const worker = new Worker(new URL("./index_worker.ts", import.meta.url), {
      resourceLimits: {
        maxOldGenerationSizeMb: this.#heapMib,
        maxYoungGenerationSizeMb: INDEX_YOUNG_HEAP_MIB,
      },
    });
    worker.on("message", ({ number, hits }: IndexAnswer) => {
      this.#waiting.get(number)?.resolve(hits);
      this.#waiting.delete(number);
      this.#restUnlessNeeded();
    });
    const fail = (cause: unknown) => {
      if (this.#worker !== worker) return;
      void this.#end(new StoreError("Cannot search: the index has failed", { cause }));
    };
    worker.on("error", fail);
    worker.on("exit", fail);
    return worker;
  }

  #restUnlessNeeded(): void {
    if (this.#closed || this.#holds > 0 || this.#waiting.size > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#end(new StoreError("Not asked")), this.#idleMs);
  }

  async #end(error: StoreError): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.onGone();
    for (const { reject } of waiting) reject(error);
    const exited = new Promise<void>((resolve) => worker.on("exit", () => resolve()));
    this.#ending = worker.terminate().then(() => exited);
    await this.#ending;
  }
}
