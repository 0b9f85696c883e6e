import type { Slot } from "./commit_row.ts";

/** Versionstamps of the rows of single commits. */
export class Slots {
  readonly #stamps: string[][] = [];

  /** Number of rows by the number of their size. */
  get counts(): readonly number[] {
    return Array.from(this.#stamps, (rows) => rows?.length ?? 0);
  }

  /** Returns the versionstamp of a row; `undefined` for one that was never written. */
  get({ size, index }: Slot): string | undefined {
    return this.#stamps[size]?.[index];
  }

  /** Notes that a row was written. Rows of one size are written in order the first time. */
  set({ size, index }: Slot, versionstamp: string): void {
    (this.#stamps[size] ??= [])[index] = versionstamp;
  }
}
