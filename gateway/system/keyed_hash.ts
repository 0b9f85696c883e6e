import { createHash, type Hash } from "node:crypto";
import { Buffer } from "node:buffer";

/** Bytes of a block of SHA-256. */
const BLOCK_BYTES = 64;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/**
 * HMAC-SHA-256 (RFC 2104) under one secret, for many short texts. `createHmac` of the platform
 * builds a stream for each text, which costs more than ten times the two hashes.
 */
export class KeyedHash {
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  constructor(secret: string) {
    const given = Buffer.from(secret);
    const key = given.length > BLOCK_BYTES ? sha256().update(given).digest() : given;
    const padded = Buffer.alloc(BLOCK_BYTES);
    key.copy(padded);
    this.#inner = Buffer.from(padded.map((byte) => byte ^ INNER_PAD));
    this.#outer = Buffer.from(padded.map((byte) => byte ^ OUTER_PAD));
  }

  /** Returns the 32 bytes of a text. */
  digest(text: string): Buffer {
    const inner = sha256().update(this.#inner).update(text).digest();
    return sha256().update(this.#outer).update(inner).digest();
  }
}

function sha256(): Hash {
  return createHash("sha256");
}
