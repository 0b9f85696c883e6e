import type { Noted } from "../domain/operators/trail.ts";

/** The kind of a pass: a `link` signs in once, a `session` shows a key's own records. */
export type PassKind = "link" | "session";

/** The name of a pass. */
export interface PassName {
  readonly kind: PassKind;
  readonly keyId: string;
  /** SHA-256 of its secret, hexadecimal: the secret itself is never stored. */
  readonly digest: string;
}

/** A pass of a key's holder. */
export interface Pass extends PassName {
  /** Unix times in milliseconds. */
  readonly beganAtMs: number;
  readonly endsAtMs: number;
}

/** A store of passes. A write is visible to the next read, also of other gateways on the store. */
export interface PassStore {
  /**
   * Stores a pass. Beyond the maximum of the passes of its kind and key, the oldest of them are
   * removed with it; none of another key.
   */
  put(pass: Pass, options: { readonly max: number } & Noted<Pass>): Promise<void>;
  /** Returns a pass, also one that has ended by its time and was not swept yet. */
  get(name: PassName): Promise<Pass | undefined>;
  /** Removes a pass and returns it. Of several calls at the same time one gets it. */
  take(name: PassName): Promise<Pass | undefined>;
  /** Removes all passes of a key. */
  removeAll(keyId: string): Promise<void>;
  /** Removes passes that have ended by their time; resolves to their number. */
  sweep(nowMs: number): Promise<number>;
}
