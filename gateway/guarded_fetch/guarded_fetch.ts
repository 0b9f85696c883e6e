/**
 * Fetches an image or a document by an address from a caller, without giving the caller access to
 * private networks. Only public addresses are fetched. They are checked after the name is resolved
 * and on every redirect, and the connection goes to the checked address.
 *
 * @module
 */

import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import {
  type FetchImage,
  isUnreadable,
  type MediaFile,
  type Unreadable,
} from "../ports/fetch_image.ts";
import { type SendPinned, sendPinned } from "./pinned_request.ts";
import { isPublicAddress } from "./public_address.ts";
import { literalOf, nameOf, readPublicUrl, type UrlPolicy } from "./public_url.ts";

/** Maximum number of redirects. */
export const MAX_REDIRECTS = 3;
/** Maximum time for a fetch with its redirects, in milliseconds. */
export const FETCH_TIMEOUT_MS = 15_000;
/** Maximum length of a body, in bytes. */
export const MAX_FETCHED_BYTES = 20 * 1024 * 1024;

/** Options of a guarded fetch; tests differ from the service in them. */
export interface GuardedFetchOptions extends UrlPolicy {
  /** Returns all addresses of a name. @default {the system's resolver} */
  readonly resolve?: ((name: string) => Promise<readonly string[]>) | undefined;
  /** @default {sendPinned} */
  readonly send?: SendPinned | undefined;
  /** @default {FETCH_TIMEOUT_MS} */
  readonly timeoutMs?: number | undefined;
  /** @default {MAX_FETCHED_BYTES} */
  readonly maxBytes?: number | undefined;
  /** @default {IMAGES} */
  readonly media?: FetchedMedia | undefined;
}

/** Media types that may be fetched. */
export interface FetchedMedia {
  /** Name with its article, for messages to the caller. */
  readonly name: string;
  /** In lower case, without parameters. */
  readonly types: readonly string[];
}

/** Images. */
export const IMAGES: FetchedMedia = {
  name: "an image",
  types: ["image/png", "image/jpeg", "image/jpg", "image/webp", "image/gif"],
};

/** PDF and text. */
export const DOCUMENTS: FetchedMedia = {
  name: "a document",
  types: [
    ...["application/pdf", "application/json", "application/xml"],
    ...["text/plain", "text/markdown", "text/csv", "text/html", "text/xml"],
  ],
};

const HEADERS = {
  // A compressed body could grow past any limit.
  "accept-encoding": "identity",
  connection: "close",
  "user-agent": "svc-gateway",
};
const REDIRECTS = [301, 302, 303, 307, 308];

/** Creates a guarded fetch. Fetches share no state. */
export function createGuardedFetch(options: GuardedFetchOptions = {}): FetchImage {
  return async function guardedFetch(text, signal) {
    signal.throwIfAborted();
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), options.timeoutMs ?? FETCH_TIMEOUT_MS);
    const both = AbortSignal.any([signal, limit.signal]);
    try {
      return await follow(text, { ...options, signal: both });
    } catch (error) {
      signal.throwIfAborted();
      if (limit.signal.aborted) return { problem: "its server takes too long" };
      // The exact reason is withheld, because a caller could map a network with it.
      if (error instanceof Error) return { problem: "it could not be fetched" };
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
}

type Fetching = GuardedFetchOptions & { readonly signal: AbortSignal };

async function follow(text: string, options: Fetching): Promise<MediaFile | Unreadable> {
  let url = readPublicUrl(text, options);
  for (let redirects = 0;; redirects++) {
    if (isUnreadable(url)) return url;
    const address = await checkedAddress(url, options);
    if (typeof address !== "string") return address;
    const send = options.send ?? sendPinned;
    const headers = { accept: (options.media ?? IMAGES).types.join(","), ...HEADERS };
    const response = await send({ url, address, headers, signal: options.signal });
    try {
      const { statusCode: status = 0, headers: { location } } = response;
      if (!REDIRECTS.includes(status)) return await readMedia(response, options);
      if (location === undefined) return { problem: "its server redirects to nowhere" };
      if (redirects === MAX_REDIRECTS) {
        return { problem: `its server redirects more than ${MAX_REDIRECTS} times` };
      }
      url = redirected(url, location, options);
    } finally {
      response.destroy();
    }
  }
}

/** Options of {@linkcode checkedAddress}. */
export type AddressCheck = Pick<GuardedFetchOptions, "allows" | "resolve"> & {
  readonly signal: AbortSignal;
};

/**
 * Returns the address to connect to. Refuses a name if any of its addresses is not public. The URL is
 * one that was read as public.
 */
export async function checkedAddress(
  url: URL,
  options: AddressCheck,
): Promise<string | Unreadable> {
  const literal = literalOf(url);
  // A literal address was checked with the URL.
  if (literal !== undefined) return literal;
  const addresses = await raced((options.resolve ?? resolveAll)(nameOf(url)), options.signal);
  const allows = options.allows ?? isPublicAddress;
  const [address] = addresses;
  if (address === undefined || !addresses.every(allows)) {
    return { problem: "the URL does not lead to a public address" };
  }
  return address;
}

async function resolveAll(name: string): Promise<string[]> {
  // IPv4 first, because machines without a route over IPv6 are common.
  const addresses = await lookup(name, { all: true, order: "ipv4first" });
  return addresses.map(({ address }) => address);
}

/** A resolver cannot be stopped, so its late answer is ignored. */
function raced<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error("The fetch was stopped"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function redirected(from: URL, location: string, policy: UrlPolicy): URL | Unreadable {
  const to = URL.parse(location, from);
  if (to === null) return { problem: "its server redirects to nowhere" };
  if (from.protocol === "https:" && to.protocol !== "https:") {
    return { problem: "its server redirects from https to something else" };
  }
  return readPublicUrl(to.href, policy);
}

async function readMedia(
  response: IncomingMessage,
  options: Fetching,
): Promise<MediaFile | Unreadable> {
  const { statusCode: status, headers } = response;
  if (status !== 200) return { problem: `its server answers with status ${status}` };
  const mediaType = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const { name, types } = options.media ?? IMAGES;
  if (!types.includes(mediaType)) return { problem: `its server does not send ${name}` };
  if ((headers["content-encoding"] ?? "identity") !== "identity") {
    return { problem: "its server compresses it, though asked not to" };
  }
  const maxBytes = options.maxBytes ?? MAX_FETCHED_BYTES;
  const tooLarge = { problem: `it is larger than ${maxBytes} bytes` };
  if (Number(headers["content-length"] ?? 0) > maxBytes) return tooLarge;
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response) {
    length += piece.length;
    if (length > maxBytes) return tooLarge;
    pieces.push(piece);
  }
  if (!response.complete) return { problem: "its server broke off" };
  return { mediaType, bytes: joined(pieces, length) };
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
