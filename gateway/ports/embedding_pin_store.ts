import type { Noted } from "../domain/operators/trail.ts";
import type { EmbeddingPin } from "../domain/policy/embedding_pin.ts";

/** The pinned embedding models of keys. */
export interface EmbeddingPinStore {
  /** Returns the pin of a rotation line; `undefined` before its first call and after a reset. */
  get(lineId: string): Promise<EmbeddingPin | undefined>;
  /**
   * Stores, replaces or removes a pin, unless the stored one differs from `from`: then returns false
   * and changes nothing. Of calls at the same time, at any instance, one succeeds. Resolves once the
   * change is durable.
   */
  replace(lineId: string, change: PinChange): Promise<boolean>;
  /** Yields all pins, in no order. */
  all(): AsyncIterable<EmbeddingPin>;
}

/** A change of a pin; `undefined` stands for none. */
export interface PinChange extends Noted<EmbeddingPin> {
  readonly from: EmbeddingPin | undefined;
  readonly to: EmbeddingPin | undefined;
}
