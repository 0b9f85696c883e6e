/**
 * The written form of secrets: a prefix that names the class, a public id, a secret and a checksum.
 *
 * ```text
 * svc_live_  AbCdEfGhIjKl  0123456789abcdefghijABCDEFGHIJ01  1a2B3c
 * prefix     public id 12  secret 32 (190 bits)              CRC-32 of all before it, 6
 * ```
 *
 * All of it but the prefix is base 62, so that a double click selects the whole. The checksum lets
 * a scanner tell a leaked key from noise without a request to the service; it is no protection.
 *
 * @module
 */

import { invariant } from "../invariant.ts";

/** Names the pepper stored in the store, in settings that name a pepper by its value. */
export const STORED_PEPPER = "kept";

/**
 * Interface that a secret authenticates for: `service` the model API, `admin` the operator's API,
 * `link` one sign-in of a key's holder, `session` the key's own pages.
 */
export type KeyClass = "service" | "admin" | "link" | "session";

/** The random parts of a key. */
export interface KeyParts {
  /** Public id of the key: {@linkcode PUBLIC_ID_LENGTH} characters of base 62. */
  readonly publicId: string;
  /** {@linkcode SECRET_LENGTH} characters of base 62. */
  readonly secret: string;
}

/** Digits of base 62, in the order of their values. */
export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Length of a public id, in characters. */
export const PUBLIC_ID_LENGTH = 12;
/** Length of a secret, in characters: 62^32 is about 2^190. */
export const SECRET_LENGTH = 32;
/** Length of the checksum, in characters: 62^6 is more than 2^32. */
export const CHECKSUM_LENGTH = 6;

const PREFIXES: Readonly<Record<KeyClass, string>> = {
  service: "svc_live_",
  admin: "svc_admin_",
  link: "svc_link_",
  session: "svc_me_",
};
const BODY = /^([0-9A-Za-z]{12})([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;
/** Secrets chosen by the operator: visible ASCII, valid in a header, and too long to guess. */
const FIXED = /^[\x21-\x7e]{16,256}$/;

/** Formats a key. */
export function formatKey(parts: KeyParts, keyClass: KeyClass = "service"): string {
  const { publicId, secret } = parts;
  const text = PREFIXES[keyClass] + publicId + secret;
  const key = text + checksum(text);
  invariant(parseKey(key, keyClass) !== undefined, "The parts of a key are base 62 of full length");
  return key;
}

/** Parses a key of a class; `undefined` when it is malformed, of the other class, or mistyped. */
export function parseKey(text: string, keyClass: KeyClass = "service"): KeyParts | undefined {
  const prefix = PREFIXES[keyClass];
  if (!text.startsWith(prefix)) return undefined;
  const match = BODY.exec(text.slice(prefix.length));
  if (match === null) return undefined;
  const [, publicId = "", secret = "", sum] = match;
  return sum === checksum(prefix + publicId + secret) ? { publicId, secret } : undefined;
}

/** True when a text can be a key, including one that the operator chose. */
export function isKeyShaped(text: string): boolean {
  return FIXED.test(text);
}

/**
 * Returns the first characters of a key for recognition: prefix and public id, or four characters
 * of a key that the operator chose.
 */
export function hintOf(key: string): string {
  const parts = parseKey(key);
  return parts === undefined ? `${key.slice(0, 4)}…` : `${PREFIXES.service}${parts.publicId}…`;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

// CRC-32 as in zip and PNG (reflected polynomial EDB88320), bit by bit: keys are short and rare.
function crc32(ascii: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < ascii.length; i++) {
    crc ^= ascii.charCodeAt(i);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
