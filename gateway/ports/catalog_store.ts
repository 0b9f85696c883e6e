import type { Catalog, CatalogContent } from "../domain/catalog/catalog.ts";
import type { Noted } from "../domain/operators/trail.ts";

/** Versions of the catalog. */
export interface CatalogStore {
  /**
   * Returns the newest version from memory, which is cheap enough for every request. Throws a
   * `StoreError` before the first one is applied.
   */
  current(): Catalog;
  get(version: number): Promise<Catalog | undefined>;
  /** Newest first; `before` leaves out that version and later ones. */
  history(
    limit: number,
    options?: { readonly before?: number | undefined },
  ): Promise<readonly { version: number; updatedAtMs: number; note: string }[]>;
  /**
   * Stores a new version if `expected` is still the newest; resolves to `undefined` if another
   * change came first. `current` returns it once it is durable.
   */
  apply(
    content: CatalogContent,
    options: { expected: number; note: string; atMs: number } & Noted<Catalog>,
  ): Promise<Catalog | undefined>;
}
