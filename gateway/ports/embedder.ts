import type { UpstreamFailure } from "./upstream.ts";

/** Turns texts into vectors: texts that mean alike have vectors that point alike. */
export interface Embedder {
  /** What its vectors may be compared with: the model and the dimensions asked for. */
  readonly space: string;
  /**
   * One vector for each text, asked for once. Whatever the other side does is a value; rejects only
   * with the reason of the signal.
   */
  embed(
    texts: readonly string[],
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<Embedded>;
}

/** Vectors of texts, or why there are none. */
export type Embedded = Vectors | UpstreamFailure;

/** Vectors of one length, one after the other, in the order of their texts; each has the norm 1. */
export interface Vectors {
  readonly kind: "vectors";
  readonly dimensions: number;
  readonly values: Float32Array<ArrayBuffer>;
}
