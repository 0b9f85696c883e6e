/**
 * Fetches by callers' addresses, guarded against access to private networks.
 *
 * @module
 */

export {
  type AddressCheck,
  checkedAddress,
  createGuardedFetch,
  DOCUMENTS,
  type FetchedMedia,
  type GuardedFetchOptions,
  IMAGES,
} from "./guarded_fetch.ts";
export { isPublicAddress } from "./public_address.ts";
export { type PinnedRequest, type SendPinned, sendPinned } from "./pinned_request.ts";
export { literalOf, nameOf, portOf, readPublicUrl, type UrlPolicy } from "./public_url.ts";
