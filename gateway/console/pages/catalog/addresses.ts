/**
 * Addresses of the pages of the catalog's entries. Ids stand in the query: one may hold a slash.
 *
 * @module
 */

/** The page of a model. */
export function modelHref(id: string): string {
  return `/console/catalog/model?${new URLSearchParams({ id })}`;
}

/** The form of a model. */
export function modelEditHref(id: string): string {
  return `/console/catalog/model/edit?${new URLSearchParams({ id })}`;
}

/** The form of a tier. */
export function tierEditHref(id: string): string {
  return `/console/catalog/tier/edit?${new URLSearchParams({ id })}`;
}

/** The page of a version. */
export function versionHref(number: number): string {
  return `/console/catalog/version?number=${number}`;
}

/** The page that brings a version back. */
export function rollbackHref(number: number): string {
  return `/console/catalog/rollback?number=${number}`;
}

/** The page of an upstream. */
export function upstreamHref(id: string): string {
  return `/console/upstreams/upstream?${new URLSearchParams({ id })}`;
}
