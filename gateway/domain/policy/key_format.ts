/**
 * The written form of secrets: a prefix that names the class, a public id, a secret and a checksum.
 *
 * ```text
 * svc_live_  AbCdEfGhIjKl  0123456789abcdefghijABCDEFGHIJ01  1a2B3c
 * prefix     public id 12  secret 32 (190 bits)              CRC-32 of all before it, 6
 * ```
 *
 * All of it but the prefix is base 62, so that a double click selects the whole. The checksum lets a
 * scanner tell a leaked key from noise without asking anybody; it protects nothing.
 *
 * @module
 */

import { invariant } from "../invariant.ts";

/** Stands for the pepper that the store keeps, where a setting names a pepper by its value. */
export const STORED_PEPPER = "kept";

/** What a secret opens: `service` the model API, `admin` the operator's API. */
export type KeyClass = "service" | "admin";

/** The parts of a key that are chosen. */
export interface KeyParts {
  /** Names the key in public: {@linkcode PUBLIC_ID_LENGTH} characters of base 62. */
  readonly publicId: string;
  /** {@linkcode SECRET_LENGTH} characters of base 62. */
  readonly secret: string;
}

/** Digits of base 62, in the order of their values. */
export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Characters of a public id. */
export const PUBLIC_ID_LENGTH = 12;
/** Characters of a secret: 62^32 is about 2^190. */
export const SECRET_LENGTH = 32;
/** Characters of the checksum: 62^6 is more than 2^32. */
export const CHECKSUM_LENGTH = 6;

const PREFIXES: Readonly<Record<KeyClass, string>> = {
  service: "svc_live_",
  admin: "svc_admin_",
};
const BODY = /^([0-9A-Za-z]{12})([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;
/** Secrets of an operator's choice: visible ASCII, so that they fit a header, and too long to guess. */
const FIXED = /^[\x21-\x7e]{16,256}$/;

/** Writes a key. */
export function formatKey(parts: KeyParts, keyClass: KeyClass = "service"): string {
  const { publicId, secret } = parts;
  const text = PREFIXES[keyClass] + publicId + secret;
  const key = text + checksum(text);
  invariant(parseKey(key, keyClass) !== undefined, "The parts of a key are base 62 of full length");
  return key;
}

/** Reads a key of a class; `undefined` where it is malformed, of the other class, or mistyped. */
export function parseKey(text: string, keyClass: KeyClass = "service"): KeyParts | undefined {
  const prefix = PREFIXES[keyClass];
  if (!text.startsWith(prefix)) return undefined;
  const match = BODY.exec(text.slice(prefix.length));
  if (match === null) return undefined;
  const [, publicId = "", secret = "", sum] = match;
  return sum === checksum(prefix + publicId + secret) ? { publicId, secret } : undefined;
}

/** Whether a text can be a key at all, one with a fixed value of the operator's included. */
export function isKeyShaped(text: string): boolean {
  return FIXED.test(text);
}

/**
 * The beginning of a key, to recognise it by: prefix and public id, or four characters of one with
 * a fixed value.
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
