/**
 * Seals of frames. A seal proves that a frame is complete, in its place, and the last if so marked;
 * with a passphrase it also encrypts.
 *
 * @module
 */

import { createCipheriv, createDecipheriv, createHash, scrypt, timingSafeEqual } from "node:crypto";

/** Position of a frame. */
export interface Place {
  readonly index: number;
  readonly isLast: boolean;
}

/** Seals and opens frames. */
export interface Seal {
  close(frame: Uint8Array, place: Place): Uint8Array;
  /** Returns `undefined` when the frame was changed, moved, or has another passphrase. */
  open(sealed: Uint8Array, place: Place): Uint8Array | undefined;
}

const TAG_BYTES = 16;
const DIGEST_BYTES = 32;
/** About 0.4 s and 128 MiB per passphrase. Part of the format: a file cannot demand more. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

/** AES-256-GCM. The salt gives each backup its own key, so that frames can be numbered. */
export async function passphraseSeal(
  passphrase: string,
  { salt, header }: { salt: string; header: Uint8Array },
): Promise<Seal> {
  const key = await new Promise<Uint8Array>((resolve, reject) =>
    scrypt(
      passphrase.normalize("NFKC"),
      hexBytes(salt),
      32,
      SCRYPT,
      (error, key) => error === null ? resolve(key) : reject(error),
    )
  );
  return {
    close(frame, place) {
      const cipher = createCipheriv("aes-256-gcm", key, nonceOf(place));
      cipher.setAAD(boundTo(header, place));
      return joined(cipher.update(frame), cipher.final(), cipher.getAuthTag());
    },
    open(sealed, place) {
      if (sealed.length < TAG_BYTES) return undefined;
      const end = sealed.length - TAG_BYTES;
      const options = { authTagLength: TAG_BYTES };
      const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(place), options);
      decipher.setAAD(boundTo(header, place));
      decipher.setAuthTag(sealed.subarray(end));
      try {
        return joined(decipher.update(sealed.subarray(0, end)), decipher.final());
      } catch {
        return undefined;
      }
    },
  };
}

/** SHA-256: detects damage, encrypts nothing, and does not stop deliberate changes. */
export function plainSeal(header: Uint8Array): Seal {
  const digestOf = (frame: Uint8Array, place: Place) =>
    createHash("sha256").update(boundTo(header, place)).update(frame).digest();
  return {
    close: (frame, place) => joined(frame, digestOf(frame, place)),
    open(sealed, place) {
      if (sealed.length < DIGEST_BYTES) return undefined;
      const frame = sealed.subarray(0, -DIGEST_BYTES);
      const fits = timingSafeEqual(sealed.subarray(-DIGEST_BYTES), digestOf(frame, place));
      return fits ? frame : undefined;
    },
  };
}

function nonceOf({ index }: Place): Uint8Array {
  const nonce = new Uint8Array(12);
  new DataView(nonce.buffer).setUint32(8, index);
  return nonce;
}

/** Returns bytes that bind a frame to its file, its number, and to being the last or not. */
function boundTo(header: Uint8Array, { index, isLast }: Place): Uint8Array {
  const place = new Uint8Array(5);
  new DataView(place.buffer).setUint32(0, index);
  place[4] = isLast ? 1 : 0;
  return joined(createHash("sha256").update(header).digest(), place);
}

function hexBytes(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
