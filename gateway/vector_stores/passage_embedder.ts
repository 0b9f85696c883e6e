import type { Clock } from "../ports/clock.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Logger } from "../ports/logger.ts";
import type { UpstreamFailure } from "../ports/upstream.ts";
import { StoreError } from "../ports/store_error.ts";
import {
  EMBED_AT_ONCE,
  EMBED_BATCH_CHARS,
  EMBED_BATCH_TEXTS,
  EMBED_MS,
  EMBED_QUERY_CHARS,
  EMBED_QUERY_MS,
  EMBED_REST_MS,
  MAX_FILE_VECTOR_BYTES,
} from "./limits.ts";
import type { QueryVector } from "./vector_index.ts";

/** Dependencies of {@linkcode PassageEmbedder}. */
export interface PassageEmbedderDeps {
  /** Returns the embedder in force; `undefined` without one. */
  readonly embedder: () => Embedder | undefined;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
  /** Longest wait for the vector of a query, in milliseconds. @default {5000} */
  readonly queryTimeoutMs?: number | undefined;
}

/** The vectors of all passages of a file, or why there are none. */
export type EmbeddedPassages =
  | {
    readonly ok: true;
    readonly space: string;
    readonly dimensions: number;
    readonly values: Float32Array<ArrayBuffer>;
  }
  | { readonly ok: false; readonly problem: string };

/** Embeds passages, file after file, and queries. Reports failures to the operator. */
export class PassageEmbedder {
  readonly #deps: PassageEmbedderDeps;
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #restsUntilMs = -Infinity;

  constructor(deps: PassageEmbedderDeps) {
    this.#deps = deps;
  }

  /** Space of the embedder in force. */
  get space(): string | undefined {
    return this.#deps.embedder()?.space;
  }

  /** Returns all vectors or none; one file at a time. `undefined` without an embedder. */
  async passages(
    texts: readonly string[],
    signal?: AbortSignal,
  ): Promise<EmbeddedPassages | undefined> {
    const result = this.#last.then(async () => {
      const embedder = this.#deps.embedder();
      return embedder && await this.#embedAll(texts, { embedder, signal: this.#ended(signal) });
    });
    this.#last = result.catch(() => {});
    return await result;
  }

  /**
   * Returns the vector of a query; `undefined` when it is not available in time. After a failure
   * that is not caused by the query, no call is made for a while, so that not every search waits
   * for it.
   */
  async query(text: string, signal?: AbortSignal): Promise<QueryVector | undefined> {
    const { clock, embedder, queryTimeoutMs = EMBED_QUERY_MS } = this.#deps;
    const current = embedder();
    if (current === undefined || clock.monotonicMs() < this.#restsUntilMs) return undefined;
    const texts = [text.slice(0, EMBED_QUERY_CHARS).toWellFormed()];
    const options = { signal: this.#ended(signal), timeoutMs: queryTimeoutMs };
    const embedded = await current.embed(texts, options);
    if (embedded.kind === "vectors") return { space: current.space, values: embedded.values };
    this.#tell("query_not_embedded", embedded);
    if (embedded.outcome !== "refused_input") {
      this.#restsUntilMs = clock.monotonicMs() + (embedded.retryAfterMs ?? EMBED_REST_MS);
    }
    return undefined;
  }

  /** Aborts the calls in flight. */
  close(): void {
    this.#closing.abort(new StoreError("Cannot embed: the service is shutting down"));
  }

  async #embedAll(
    texts: readonly string[],
    { embedder, signal }: { embedder: Embedder; signal: AbortSignal },
  ): Promise<EmbeddedPassages> {
    const waiting = batchesOf(texts);
    let all = new Float32Array();
    let at = 0;
    while (waiting.length > 0) {
      // The first batch goes alone: it shows the length of the vectors, or that there will be none.
      const round = waiting.splice(0, at === 0 ? 1 : EMBED_AT_ONCE);
      const options = { signal, timeoutMs: EMBED_MS };
      for (const part of await Promise.all(round.map((each) => embedder.embed(each, options)))) {
        if (part.kind === "failure") {
          this.#tell("passages_not_embedded", part);
          return { ok: false, problem: part.message };
        }
        if (at === 0) {
          const bytes = texts.length * part.dimensions * Float32Array.BYTES_PER_ELEMENT;
          if (bytes > MAX_FILE_VECTOR_BYTES) return { ok: false, problem: tooMany(bytes) };
          all = new Float32Array(texts.length * part.dimensions);
        }
        if (part.dimensions * texts.length !== all.length) {
          return { ok: false, problem: "The embeddings of one file differ in length" };
        }
        all.set(part.values, at);
        at += part.values.length;
      }
    }
    return { ok: true, space: embedder.space, dimensions: at / texts.length, values: all };
  }

  #ended(signal: AbortSignal | undefined): AbortSignal {
    const closing = this.#closing.signal;
    return signal === undefined ? closing : AbortSignal.any([closing, signal]);
  }

  #tell(event: string, { message, outcome, status }: UpstreamFailure): void {
    this.#deps.logger?.warn(event, { outcome, status, message });
  }
}

function tooMany(bytes: number): string {
  return `Its embeddings would have ${bytes} bytes, more than ${MAX_FILE_VECTOR_BYTES}`;
}

/** Groups texts that are sent together. */
function batchesOf(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let chars = Infinity;
  for (const text of texts) {
    const last = batches.at(-1);
    const fits = last !== undefined && last.length < EMBED_BATCH_TEXTS &&
      chars + text.length <= EMBED_BATCH_CHARS;
    if (fits) last.push(text);
    else batches.push([text]);
    chars = fits ? chars + text.length : text.length;
  }
  return batches;
}
