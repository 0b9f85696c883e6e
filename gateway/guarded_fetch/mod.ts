/**
 * Fetches by callers' addresses, guarded against access to private networks.
 *
 * @module
 */

export {
  createGuardedFetch,
  DOCUMENTS,
  type FetchedMedia,
  type GuardedFetchOptions,
  IMAGES,
} from "./guarded_fetch.ts";
export { isPublicAddress } from "./public_address.ts";
export { readPublicUrl, type UrlPolicy } from "./public_url.ts";
