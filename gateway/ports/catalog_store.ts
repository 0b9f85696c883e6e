import type { Catalog, CatalogContent } from "../domain/catalog/catalog.ts";

/** Versions of the catalog. */
export interface CatalogStore {
  /**
   * The newest version, from memory: cheap enough for every request. Throws a `StoreError` before the
   * first one is applied.
   */
  current(): Catalog;
  get(version: number): Promise<Catalog | undefined>;
  /** Newest first. */
  history(
    limit: number,
  ): Promise<readonly { version: number; updatedAtMs: number; note: string }[]>;
  /**
   * Makes a new version where `expected` is still the newest; `undefined` where somebody was faster.
   * Resolves once durable; `current` shows it from then on.
   */
  apply(
    content: CatalogContent,
    options: { expected: number; note: string; atMs: number },
  ): Promise<Catalog | undefined>;
}
