import { Worker } from "node:worker_threads";
import { Turns } from "../system/turns.ts";
import type { ExtractBudget } from "./extract_budget.ts";
import type { ExtractionResult } from "./extract_passages.ts";
import type { ExtractJob } from "./extract_worker.ts";
import {
  EXTRACT_BUFFER_BYTES,
  EXTRACT_GRACE_MS,
  EXTRACT_HEAP_MIB,
  EXTRACT_MS,
  EXTRACT_TOTAL_BYTES,
} from "./limits.ts";

/** Resource limits of one file. */
export interface ExtractorLimits extends Partial<ExtractBudget> {
  /** @default {1024} */
  readonly heapMib?: number | undefined;
}

/** A file to extract. */
export interface ExtractedFile {
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Wallet that takes the turn. */
  readonly ownerId: string;
}

const FAILED = "Cannot get the text out of a file";
const TOO_LONG = { ok: false, problem: "it takes too much time to get its text out" } as const;
const TOO_MUCH = { ok: false, problem: "it takes too much memory to get its text out" } as const;

/**
 * Extracts the text of files, one after another, in turn between wallets, each in its own thread, so that the gateway
 * continues and all memory is freed. The thread enforces the budget; `node:worker_threads` alone
 * limits the heap only.
 */
export class Extractor {
  readonly #budget: ExtractBudget;
  readonly #heapMib: number;
  readonly #turns = new Turns();

  constructor(limits: ExtractorLimits = {}) {
    this.#budget = {
      bufferBytes: limits.bufferBytes ?? EXTRACT_BUFFER_BYTES,
      totalBytes: limits.totalBytes ?? EXTRACT_TOTAL_BYTES,
      timeMs: limits.timeMs ?? EXTRACT_MS,
    };
    this.#heapMib = limits.heapMib ?? EXTRACT_HEAP_MIB;
  }

  /** Returns the passages of a file, whose bytes are transferred. */
  extract(file: ExtractedFile): Promise<ExtractionResult> {
    return this.#turns.run(file.ownerId, () => this.#run(file));
  }

  async #run({ bytes, mediaType }: ExtractedFile): Promise<ExtractionResult> {
    const budget = this.#budget;
    const worker = new Worker(new URL("./extract_worker.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMib },
    });
    const { promise, resolve, reject } = Promise.withResolvers<ExtractionResult>();
    worker.on("message", resolve);
    worker.on("error", (error: Error) => {
      if (/memory limit/.test(error.message)) resolve(TOO_MUCH);
      else reject(new Error(FAILED, { cause: error }));
    });
    worker.on("exit", (code) => reject(new Error(`${FAILED}: its thread ended with ${code}`)));
    // Bytes move through a web port in a millisecond; messages and ports of Node take seconds.
    const { port1, port2 } = new MessageChannel();
    const job: ExtractJob = { budget, mediaType, bytes: port2 };
    // By reflection, because the types of Node's threads know Node's ports only.
    Reflect.apply(worker.postMessage, worker, [job, [port2]]);
    port1.postMessage(bytes, [bytes.buffer]);
    // The thread checks the time itself; this timer is for one that never reaches a check.
    const timer = setTimeout(() => resolve(TOO_LONG), budget.timeMs + EXTRACT_GRACE_MS);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      port1.close();
      await worker.terminate();
    }
  }
}
