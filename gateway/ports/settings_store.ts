import type { Noted } from "../domain/operators/trail.ts";

/** A store of small settings of the service itself: the pepper, the digest of the admin token. */
export interface SettingsStore {
  get(name: string): Promise<string | undefined>;
  /**
   * Returns the values of some names that differ at their ends only, without the names that have no
   * value.
   */
  getMany(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Writes unless there is a value already; returns the value in force. */
  setOnce(name: string, value: string): Promise<string>;
  set(name: string, value: string, options?: Noted<string>): Promise<void>;
  /**
   * Replaces the value `from`; `undefined` if there is none. Resolves to false, and changes nothing,
   * if another value is in force: another gateway may have set it.
   */
  replace(
    name: string,
    change: { readonly from: string | undefined; readonly to: string } & Noted<string>,
  ): Promise<boolean>;
}
