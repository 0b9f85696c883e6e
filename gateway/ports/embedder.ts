import type { UpstreamFailure } from "./upstream.ts";

/** Converts texts to vectors: texts of similar meaning have vectors of similar direction. */
export interface Embedder {
  /**
   * Space of its vectors: the model and the requested dimensions. Only vectors of one space are
   * comparable.
   */
  readonly space: string;
  /**
   * Returns one vector for each text, from one call. A failure of the upstream is a value; rejects
   * only with the reason of the signal.
   */
  embed(
    texts: readonly string[],
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<Embedded>;
}

/** Vectors of texts, or the failure. */
export type Embedded = Vectors | UpstreamFailure;

/** Vectors of equal length, joined in the order of their texts; each has the norm 1. */
export interface Vectors {
  readonly kind: "vectors";
  readonly dimensions: number;
  readonly values: Float32Array<ArrayBuffer>;
}
